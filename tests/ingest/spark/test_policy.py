from firnline_ingest.shard.receipt import Receipt, ShardProblem, ShardState
from firnline_ingest.spark.policy import FENCE_WINDOW_S, FENCES, PATIENT_EPOCHS, ShardPolicy
from firnline_ingest.values import ShardKey

KEY = ShardKey("events", 1, "shardId-000000000000")
PASSING = ShardProblem("FL-3010", "busy", "wait", is_retryable=True)
FATAL = ShardProblem("FL-3105", "rejected", "look", is_retryable=False)


def receipt(state: ShardState, problem: ShardProblem | None = None) -> Receipt:
    return Receipt(stream=KEY.stream, stream_created_ms=1, shard_id=KEY.shard_id, epoch=1, state=state, problem=problem)


def test_a_fatal_failure_stops_the_engine_at_once() -> None:
    policy = ShardPolicy()
    policy.judge([receipt(ShardState.FAILED, FATAL)])
    assert policy.failures == {KEY: FATAL}


def test_a_passing_failure_is_waited_out_with_growing_pauses() -> None:
    policy = ShardPolicy()
    pauses = []
    for _ in range(4):
        policy.judge([receipt(ShardState.FAILED, PASSING)])
        pauses.append(policy.pause_s)
    assert pauses == [1.0, 2.0, 4.0, 8.0]
    assert not policy.failures
    policy.judge([receipt(ShardState.READING)])
    assert policy.pause_s == 0.0


def test_a_passing_failure_that_does_not_pass_stops_the_engine() -> None:
    policy = ShardPolicy()
    for _ in range(PATIENT_EPOCHS):
        policy.judge([receipt(ShardState.FAILED, PASSING)])
    assert policy.failures == {KEY: PASSING}


def test_a_shard_that_is_taken_away_again_and_again_stops_the_engine() -> None:
    policy = ShardPolicy(clock=lambda: 0.0)
    for _ in range(FENCES - 1):
        policy.judge([receipt(ShardState.FENCED)])
    assert not policy.failures
    policy.judge([receipt(ShardState.FENCED)])
    assert policy.failures[KEY].id == "FL-2105"


def test_being_fenced_now_and_then_is_no_reason_to_stop() -> None:
    now = [0.0]
    policy = ShardPolicy(clock=lambda: now[0])
    for _ in range(3 * FENCES):
        policy.judge([receipt(ShardState.FENCED)])
        now[0] += FENCE_WINDOW_S / 2
    assert not policy.failures


def test_a_bounded_run_is_done_with_shards_that_are_done_or_ended() -> None:
    policy = ShardPolicy()
    policy.judge([receipt(ShardState.READING)])
    assert not policy.finished
    policy.judge([receipt(ShardState.DONE)])
    assert policy.finished == {KEY}
