"""Tests of what is said of a shard that does not go on: its state, and the problem with its cause."""

from dataclasses import replace

from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.errors import LedgerUnavailable
from firnline_ingest.ledger.row import RunningTotals, ShardRow
from firnline_ingest.shard.receipt import Receipt, ShardState, Tally
from firnline_ingest.shard.report import (
    FAILING,
    LATE_S,
    OPENING_S,
    UNANSWERED_S,
    ShardActivity,
    ShardReport,
    ShardSnapshot,
)
from firnline_ingest.snowflake.channel_errors import ChannelStalled
from firnline_ingest.snowflake.errors import SnowflakeUnavailable
from firnline_ingest.snowflake.in_flight import Chunk
from firnline_ingest.snowflake.row_positions import RowPositions
from firnline_ingest.values import Position
from tests.fakes.clock import Clock
from tests.fakes.configs import pipeline
from tests.ingest.shard.conftest import World


class Watched:
    """A report on a clock that a test moves."""

    def __init__(self, world: World) -> None:
        self.clock = Clock(1000.0)
        self.work = world.work()
        self.report = ShardReport(self.work.key, self.clock)

    def receipt(self, after_s: float = 0.0) -> Receipt:
        self.clock.now_s += after_s
        return self.report.receipt(self.work, "fingerprint")

    def reads(self, behind_ms: int = 0) -> None:
        self.report.opened()
        self.report.set_activity(ShardActivity.READING)
        self.report.answered(self.clock(), "")
        self.report.show(ShardSnapshot(replace(self.report.tally, behind_ms=behind_ms)))

    def turn(self, accounted: int, read_through: int) -> None:
        self.report.counted_up_to(Position(read_through))
        self.report.show(ShardSnapshot(replace(self.report.tally), Position(accounted)))
        self.report.answered(self.clock(), "")
        self.report.set_activity(ShardActivity.WAITING)


def told(receipt: Receipt) -> tuple[ShardState, str | None]:
    return receipt.state, receipt.problem and receipt.problem.id


def test_a_shard_that_nobody_answers_for_is_not_caught_up_and_after_minutes_the_cause_is_told(world: World) -> None:
    watched = Watched(world)
    watched.reads(behind_ms=0)
    assert (watched.receipt().behind_ms, watched.receipt().unanswered_s) == (0, 0)
    watched.report.answered(0.0, "GetRecords on 'events' got no useful answer: HTTP 500")
    watched.report.set_activity(ShardActivity.WAITING)
    assert (watched.receipt(60.0).behind_ms, watched.receipt().unanswered_s) == (60_000, 60)
    assert told(watched.receipt()) == (ShardState.READING, None)
    receipt = watched.receipt(UNANSWERED_S)
    assert told(receipt) == (ShardState.READING, "FL-2203")
    assert "HTTP 500" in receipt.problem.what
    watched.reads(behind_ms=7)
    assert (told(watched.receipt()), watched.receipt().behind_ms) == ((ShardState.READING, None), 7)


def test_nobody_knows_how_far_behind_a_shard_is_that_was_never_answered(world: World) -> None:
    assert Watched(world).receipt(60.0).behind_ms is None


def test_an_opening_that_lasts_since_its_first_try_is_a_failure_and_goes_on(world: World) -> None:
    watched = Watched(world)
    watched.report.opening()
    assert told(watched.receipt(OPENING_S)) == (ShardState.OPENING, None)
    watched.report.opening()
    assert told(watched.receipt(1.0)) == (ShardState.FAILED, "FL-2202")
    watched.reads()
    assert told(watched.receipt()) == (ShardState.READING, None)


def test_a_call_that_lasts_is_named_with_since_when(world: World) -> None:
    watched = Watched(world)
    watched.reads()
    watched.report.set_activity(ShardActivity.WRITING)
    receipt = watched.receipt(LATE_S + 1)
    assert told(receipt) == (ShardState.LATE, "FL-2201")
    assert f"writing its row of the ledger for {LATE_S + 1:.0f} s" in receipt.problem.what


def test_a_function_of_the_users_that_does_not_return_is_named(world: World) -> None:
    watched = Watched(world)
    declared = [{"type": "flatten"}, {"type": "callable", "callable": "acme.orders:cleaned", "version": "1"}]
    watched.work = replace(watched.work, pipeline=pipeline(transforms=declared))
    watched.reads()
    watched.report.set_activity(ShardActivity.CONVERTING)
    receipt = watched.receipt(LATE_S + 1)
    assert told(receipt) == (ShardState.LATE, "FL-2201")
    assert f"making rows of records (by acme.orders:cleaned) for {LATE_S + 1:.0f} s" in receipt.problem.what
    assert "stop the engine and fix the function" in receipt.problem.next_step
    watched.report.set_activity(ShardActivity.SENDING)
    assert "acme" not in str(watched.receipt(LATE_S + 1).problem)


def test_trouble_is_a_failure_when_it_keeps_the_shard_from_reading_or_comes_again_and_again(world: World) -> None:
    watched, trouble = Watched(world), LedgerUnavailable("ledger", "throttled")
    watched.report.opening()
    watched.report.troubled(trouble)
    assert told(watched.receipt()) == (ShardState.FAILED, "FL-2103")
    watched.reads()
    assert told(watched.receipt()) == (ShardState.READING, "FL-2103")
    for _ in range(FAILING):
        watched.report.troubled(trouble)
    assert told(watched.receipt()) == (ShardState.FAILED, "FL-2103")
    watched.report.healed()
    assert told(watched.receipt()) == (ShardState.READING, None)


def test_a_shard_that_reads_again_what_went_well_before_its_trouble_is_not_back(world: World) -> None:
    watched, (begin, place, beyond) = Watched(world), (Position(number) for number in (1, 5, 6))
    assert watched.report.is_back(None)
    watched.reads()
    watched.report.show(ShardSnapshot(Tally(), accounted=place))
    watched.report.troubled(LedgerUnavailable("ledger", "throttled"))
    watched.report.show(ShardSnapshot(Tally(), accounted=begin))
    watched.report.troubled(LedgerUnavailable("ledger", "throttled"))
    assert [watched.report.is_back(each) for each in (None, begin, place, beyond)] == [False, False, True, True]
    watched.report.healed()
    assert watched.report.is_back(begin)


def test_trouble_interrupts_a_shard_that_is_open_and_not_one_that_opens(world: World) -> None:
    watched, trouble = Watched(world), LedgerUnavailable("ledger", "throttled")
    watched.report.opening()
    watched.report.troubled(trouble)
    assert watched.receipt().interruptions == 0
    watched.reads()
    watched.report.troubled(trouble)
    assert watched.receipt().interruptions == 1


def test_trouble_with_the_books_alone_is_told_of_a_shard_that_goes_on(world: World) -> None:
    watched = Watched(world)
    watched.reads()
    for _ in range(2 * FAILING):
        watched.report.noted(LedgerUnavailable("ledger", "throttled"))
    assert told(watched.receipt()) == (ShardState.READING, "FL-2103")


def test_counts_that_no_receipt_had_are_in_the_next_one_whatever_ended_in_between(world: World) -> None:
    watched = Watched(world)
    watched.report.tally.incidents += 1
    watched.report.ended(ShardState.READING, None)
    watched.report.begin()
    assert (watched.receipt().incidents, watched.receipt().incidents) == (1, 0)
    assert watched.report.so_far() == Tally(unanswered_s=0)


def test_a_receipt_has_the_longest_wait_for_a_proof_since_the_one_before_and_none_where_nothing_waited(
    world: World,
) -> None:
    watched = Watched(world)
    assert watched.receipt().proof_delay_ms is None
    for delay_ms in (700, 2000, 900):
        watched.report.proved(delay_ms)
    assert watched.receipt().proof_delay_ms == 2000
    assert watched.receipt().proof_delay_ms is None
    watched.report.proved(5)
    assert watched.receipt().proof_delay_ms == 5


def test_rows_that_are_never_committed_are_one_problem_however_often_their_channel_is_opened(world: World) -> None:
    watched = Watched(world)
    row = ShardRow(key=watched.work.key, start=TrimHorizon(), totals=RunningTotals(through=Position(0)))
    watched.report.adopt(row)
    watched.reads()

    def sends(accounted: int, read_through: int = 0) -> None:
        watched.report.sent(Chunk(Position(accounted), RowPositions(["1", "2", "3"]), 30))
        watched.turn(accounted, read_through)

    sends(3)
    first = watched.receipt(60.0)
    assert (first.uncommitted_s, first.uncommitted_rows, first.problem) == (60, 3, None)
    watched.report.troubled(ChannelStalled.after("channel", 120.0))
    watched.report.adopt(row)
    watched.report.opened()
    watched.turn(0, 0)
    receipt = watched.receipt(100.0)
    assert (receipt.uncommitted_s, told(receipt)) == (160, (ShardState.READING, SnowflakeUnavailable.id))
    sends(3)
    receipt = watched.receipt(40.0)
    assert receipt.problem is not None
    assert "commit 3 rows of" in receipt.problem.what
    assert "nothing was committed for 200 s" in receipt.problem.what
    watched.turn(3, 3)
    watched.report.healed()
    receipt = watched.receipt(40.0)
    assert (receipt.uncommitted_s, receipt.uncommitted_rows, receipt.problem) == (0, 0, None)


def test_what_keeps_rows_from_being_committed_is_told_where_it_is_known(world: World) -> None:
    watched = Watched(world)
    watched.report.adopt(ShardRow(key=watched.work.key, start=TrimHorizon(), totals=RunningTotals(through=Position(0))))
    watched.reads()
    watched.report.sent(Chunk(Position(3), RowPositions(["1", "2", "3"]), 30))
    watched.turn(3, 0)
    watched.report.noted(LedgerUnavailable("ledger", "a test"))
    assert told(watched.receipt(600.0)) == (ShardState.READING, LedgerUnavailable.id)


def sent(report: ShardReport, first: int, last: int) -> None:
    report.sent(Chunk(Position(last), RowPositions([str(number) for number in range(first, last + 1)]), 100))


def test_what_is_proven_again_below_the_totals_waits_for_nothing_and_is_not_kept(world: World) -> None:
    watched = Watched(world)
    through = RunningTotals(through=Position(100), rows=100, begun_by="one/a")
    watched.report.adopt(ShardRow(key=watched.work.key, start=TrimHorizon(), totals=through))
    watched.report.opened()
    for number in range(1, 101):  # a person had the shard read again from its horizon
        sent(watched.report, number, number)
        watched.turn(number, number)
        watched.clock.now_s += 10.0
    receipt = watched.receipt(300.0)
    known = replace(through, reported_through=through.through, tallied_through=Position(100))
    assert (receipt.uncommitted_s, receipt.uncommitted_rows, receipt.totals) == (0, 0, known)
    sent(watched.report, 101, 101)
    watched.turn(101, 100)
    assert (watched.receipt(5.0).uncommitted_s, watched.receipt().uncommitted_rows) == (5, 1)


def test_rows_of_a_shard_that_another_process_took_are_not_waited_for_when_it_comes_back(world: World) -> None:
    watched = Watched(world)
    watched.report.adopt(ShardRow(key=watched.work.key, start=TrimHorizon(), totals=RunningTotals(through=Position(0))))
    watched.report.opened()
    sent(watched.report, 1, 5)
    watched.turn(5, 0)
    watched.report.ended(ShardState.FENCED, None, is_followed=True)
    watched.clock.now_s += 7200.0
    watched.report.begin()
    watched.report.opening()
    receipt = watched.receipt(1.0)
    assert (*told(receipt), receipt.uncommitted_s, receipt.uncommitted_rows) == (ShardState.OPENING, None, 0, 0)
