"""Tests of how much time is left until a stream drops what was not read."""

from firnline_ingest.metrics.time_to_trim import HOUR_MS, TimeToTrim, Unread
from firnline_ingest.shard.receipt import Receipt, ShardState
from firnline_ingest.values import ShardKey
from tests.fakes.clock import Clock

NOW_S = 1_795_000_000.0
NOW_MS = int(NOW_S * 1000)
ORDERS, CLICKS = ShardKey("orders", 1, "0"), ShardKey("clicks", 1, "0")


def answered(key: ShardKey, behind_ms: int | None) -> Receipt:
    return Receipt(
        stream=key.stream,
        stream_created_ms=key.stream_created_ms,
        shard_id=key.shard_id,
        epoch=1,
        state=ShardState.READING,
        behind_ms=behind_ms,
    )


def test_what_was_read_an_hour_ago_has_a_retention_less_an_hour() -> None:
    left = TimeToTrim(Clock(NOW_S))
    left.planned([Unread(ORDERS, NOW_MS - HOUR_MS, 24)])
    assert left.seconds() == {ORDERS: 23 * 3600}


def test_an_answer_knows_better_than_the_ledger_that_trails_and_never_worse() -> None:
    left = TimeToTrim(Clock(NOW_S))
    left.planned([Unread(ORDERS, NOW_MS - HOUR_MS, 24), Unread(CLICKS, NOW_MS - HOUR_MS, 24)])
    left.told([answered(ORDERS, 0), answered(CLICKS, 5 * HOUR_MS)])
    assert left.seconds() == {ORDERS: 24 * 3600, CLICKS: 23 * 3600}
    left.told([answered(ORDERS, None)])
    assert left.seconds()[ORDERS] == 24 * 3600


def test_a_stream_that_is_paused_or_can_not_be_planned_has_less_and_less() -> None:
    clock = Clock(NOW_S)
    left = TimeToTrim(clock)
    left.planned([Unread(ORDERS, NOW_MS, 24), Unread(CLICKS, NOW_MS, 24)])
    clock.now_s += 3600 * 10
    left.planned([Unread(CLICKS, NOW_MS + 10 * HOUR_MS, 24)])
    assert left.seconds() == {ORDERS: 14 * 3600, CLICKS: 24 * 3600}
    clock.now_s += 3600 * 20
    assert left.seconds()[ORDERS] == 0


def test_a_shard_that_was_read_to_its_end_is_forgotten_with_the_next_plan_of_its_stream() -> None:
    left, child = TimeToTrim(Clock(NOW_S)), ShardKey("orders", 1, "1")
    left.planned([Unread(ORDERS, NOW_MS - 20 * HOUR_MS, 24)])
    left.planned([Unread(child, NOW_MS, 24)])
    assert left.seconds() == {child: 24 * 3600}


def test_nothing_is_said_of_a_shard_of_which_nothing_is_known() -> None:
    left = TimeToTrim(Clock(NOW_S))
    left.planned([Unread(ORDERS, 0, 24), Unread(CLICKS, 1, 24)])
    assert left.seconds() == {}
