from firnline_ingest.config.running import FailuresConfig, OnFailure
from firnline_ingest.shard.receipt import Receipt, ShardProblem, ShardState
from firnline_ingest.spark.policy import FENCE_WINDOW_S, FENCES, ShardPolicy
from firnline_ingest.spark.retry_budget import LEAST, LONGEST_PAUSE_S
from firnline_ingest.values import ShardKey
from tests.fakes.clock import Clock

KEY = ShardKey("events", 1, "shardId-000000000000")
OTHER = ShardKey("events", 1, "shardId-000000000001")
PIPELINE = ShardKey("events", 0, "")
PASSING = ShardProblem("FL-3010", "busy", "wait", is_retryable=True)
FATAL = ShardProblem("FL-3105", "rejected", "look", is_retryable=False)


def receipt(state: ShardState, problem: ShardProblem | None = None, key: ShardKey = KEY) -> Receipt:
    names = {"stream": key.stream, "stream_created_ms": key.stream_created_ms, "shard_id": key.shard_id}
    return Receipt(**names, epoch=1, state=state, problem=problem)  # type: ignore[arg-type] # a key's three names


FINE = receipt(ShardState.READING, key=OTHER)


def test_a_fatal_failure_is_left_out_and_the_others_go_on() -> None:
    policy = ShardPolicy()
    policy.judge([receipt(ShardState.FAILED, FATAL), FINE])
    assert policy.stopped[KEY].problem == FATAL
    assert policy.leaves_out(KEY)
    assert not policy.leaves_out(OTHER)
    assert not policy.ends_the_run


def test_a_failure_ends_the_run_where_the_configuration_says_so() -> None:
    policy = ShardPolicy(FailuresConfig(on_failure=OnFailure.STOP))
    policy.judge([receipt(ShardState.FAILED, FATAL), FINE])
    assert policy.ends_the_run


def test_a_run_of_which_everything_has_stopped_stays_up_and_tries_again_without_haste() -> None:
    clock = Clock()
    policy = ShardPolicy(FailuresConfig(retry_seconds=300), clock)
    policy.judge([receipt(ShardState.FAILED, FATAL), FINE])
    policy.judge([receipt(ShardState.FAILED, FATAL, OTHER)])
    assert not policy.ends_the_run
    assert policy.leaves_out(KEY)
    assert policy.pause_s == LONGEST_PAUSE_S
    policy.judge([])
    clock.now_s = 301.0
    assert not policy.leaves_out(KEY)
    policy.judge([receipt(ShardState.READING), receipt(ShardState.READING, key=OTHER)])
    assert policy.stopped == {}


def test_what_stopped_is_tried_again_after_a_while_and_may_go_on() -> None:
    clock = Clock()
    policy = ShardPolicy(FailuresConfig(retry_seconds=300), clock)
    policy.judge([receipt(ShardState.FAILED, FATAL), FINE])
    clock.now_s = 299.0
    assert policy.leaves_out(KEY)
    clock.now_s = 301.0
    assert not policy.leaves_out(KEY)
    policy.judge([receipt(ShardState.FAILED, PASSING), FINE])
    assert policy.leaves_out(KEY), "it has not gone on yet"
    clock.now_s = 700.0
    policy.judge([receipt(ShardState.READING), FINE])
    assert policy.stopped == {}


def test_how_soon_it_is_tried_again_and_how_long_trouble_may_last_are_settings() -> None:
    clock = Clock()
    policy = ShardPolicy(FailuresConfig(patience_seconds=120, retry_seconds=1000), clock)
    stopped_s = None
    while stopped_s is None:
        policy.judge([receipt(ShardState.FAILED, PASSING), FINE])
        stopped_s = clock.now_s if KEY in policy.stopped else None
        clock.now_s += 20.0
    assert stopped_s == 120.0
    clock.now_s = stopped_s + 999.0
    assert policy.leaves_out(KEY)
    clock.now_s = stopped_s + 1000.0
    assert not policy.leaves_out(KEY)


def test_a_pipelines_own_trouble_is_over_when_nothing_is_said_of_it_any_more() -> None:
    policy = ShardPolicy()
    policy.judge([receipt(ShardState.FAILED, FATAL, PIPELINE), FINE])
    assert set(policy.stopped) == {PIPELINE}
    policy.judge([FINE])
    assert policy.stopped == {}


def test_one_failing_shard_makes_no_other_one_wait() -> None:
    policy = ShardPolicy()
    for _ in range(10):
        policy.judge([receipt(ShardState.FAILED, PASSING), FINE])
        assert policy.pause_s == 0.0
    assert policy.failing == [str(KEY)]


def test_epochs_in_which_nobody_can_read_follow_each_other_slower_and_slower() -> None:
    policy = ShardPolicy()
    pauses = []
    for _ in range(8):
        policy.judge([receipt(ShardState.FAILED, PASSING)])
        pauses.append(policy.pause_s)
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, LONGEST_PAUSE_S, LONGEST_PAUSE_S, LONGEST_PAUSE_S]
    policy.judge([FINE, receipt(ShardState.READING)])
    assert policy.pause_s == 0.0


def test_a_passing_failure_has_patience_by_time_and_not_by_the_length_of_epochs() -> None:
    clock = Clock()
    policy = ShardPolicy(FailuresConfig(patience_seconds=600), clock)
    for _ in range(59):
        policy.judge([receipt(ShardState.FAILED, PASSING), FINE])
        clock.now_s += 10.0
    assert policy.stopped == {}
    clock.now_s += 10.0
    policy.judge([receipt(ShardState.FAILED, PASSING), FINE])
    assert set(policy.stopped) == {KEY}


def test_a_shard_that_does_not_report_is_a_failing_one() -> None:
    clock = Clock()
    policy = ShardPolicy(FailuresConfig(patience_seconds=600), clock)
    policy.judge([receipt(ShardState.LATE, PASSING), FINE])
    assert policy.failing == [str(KEY)]
    for _ in range(LEAST):
        clock.now_s += 200.0
        policy.judge([receipt(ShardState.LATE, PASSING), FINE])
    assert set(policy.stopped) == {KEY}


def test_a_machine_that_slept_for_hours_has_not_tried_often_enough_to_give_up() -> None:
    clock = Clock()
    policy = ShardPolicy(clock=clock)
    policy.judge([receipt(ShardState.FAILED, PASSING), FINE])
    clock.now_s += 5 * 3600.0
    for _ in range(LEAST - 2):
        policy.judge([receipt(ShardState.FAILED, PASSING), FINE])
    assert policy.stopped == {}


def test_a_shard_that_is_taken_away_again_and_again_stops() -> None:
    policy = ShardPolicy(clock=lambda: 0.0)
    for _ in range(FENCES - 1):
        policy.judge([receipt(ShardState.FENCED)])
    assert not policy.stopped
    policy.judge([receipt(ShardState.FENCED)])
    assert policy.stopped[KEY].problem.id == "FL-2105"


def test_being_fenced_now_and_then_is_no_reason_to_stop() -> None:
    clock = Clock()
    policy = ShardPolicy(clock=clock)
    for _ in range(3 * FENCES):
        policy.judge([receipt(ShardState.FENCED)])
        clock.now_s += FENCE_WINDOW_S / 2
    assert not policy.stopped


def test_a_bounded_run_is_done_with_shards_that_are_done_or_ended() -> None:
    policy = ShardPolicy()
    policy.judge([receipt(ShardState.READING)])
    assert not policy.finished
    policy.judge([receipt(ShardState.DONE)])
    assert policy.finished == {KEY}
    assert policy.leaves_out(KEY)


NO_ROOM = ShardProblem("FL-1211", "too few cores", "more of them", is_retryable=True)


def test_a_shard_without_room_is_never_left_out_and_is_read_as_soon_as_there_is_room() -> None:
    clock = Clock()
    policy = ShardPolicy(FailuresConfig(patience_seconds=600), clock)
    for _ in range(100):
        policy.judge([receipt(ShardState.WAITING, NO_ROOM), FINE])
        clock.now_s += 30.0
        assert not policy.leaves_out(KEY)
        assert (policy.waiting, policy.failing, policy.stopped) == ({KEY}, [str(KEY)], {})
    policy.judge([receipt(ShardState.READING), FINE])
    assert (policy.waiting, policy.failing) == (set(), [])


def test_a_shard_without_room_ends_the_run_where_a_failure_does() -> None:
    clock = Clock()
    policy = ShardPolicy(FailuresConfig(patience_seconds=600, on_failure=OnFailure.STOP), clock)
    for _ in range(61):
        policy.judge([receipt(ShardState.WAITING, NO_ROOM), FINE])
        clock.now_s += 10.0
    assert policy.ends_the_run


def test_an_epoch_in_which_all_shards_wait_for_room_pauses() -> None:
    policy = ShardPolicy()
    policy.judge([receipt(ShardState.WAITING, NO_ROOM)])
    assert policy.pause_s > 0
    assert policy.is_anything_left
    assert not policy.ends_the_run
