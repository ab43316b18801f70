"""Tests of what an engine tells of itself in the ledger: `firnline status` shows it."""

import random
from dataclasses import replace
from typing import Any

import pytest

from firnline_ingest.errors import ConfigError
from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.engine_report import (
    MOST_MINUTES,
    MOST_PROBLEMS,
    MOST_SHARDS,
    MOST_STREAMS,
    EngineReport,
    MinuteCounts,
    ShardReading,
    report_from_bytes,
)
from firnline_ingest.ledger.errors import LedgerUnavailable
from firnline_ingest.shard.receipt import Receipt, ShardState
from firnline_ingest.spark.policy import ShardPolicy
from firnline_ingest.spark.shown import OTHERS, EngineReporter, with_counts
from tests.fakes.ledger import MemoryLedger
from tests.ingest.spark.job.running import read_on, runs
from tests.ingest.spark.standing_in import StandIn, problem, receipt


class Clock:
    def __init__(self) -> None:
        self.s = 60.0 * 29_000_000

    def ms(self) -> int:
        return round(self.s * 1000)


class Engine:
    """Judges and reports epochs as the job does, on a clock of the test's."""

    def __init__(self, ledger: MemoryLedger, clock: Clock, run_id: str = "one") -> None:
        self.ledger, self.clock = ledger, clock
        self.policy = ShardPolicy(clock=lambda: clock.s)
        self.reporter = EngineReporter(ledger, Run(run_id, "a test", version="0.1.0"), clock.ms)

    def epoch(self, *receipts: Receipt) -> EngineReport:
        self.clock.s += 30
        self.policy.judge(receipts)
        self.reporter.epoch_ended(receipts, self.policy.stopped, self.policy.clock())
        return self.report

    @property
    def report(self) -> EngineReport:
        return self.ledger.report()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(ledger: MemoryLedger, clock: Clock) -> Engine:
    return Engine(ledger, clock)


def test_a_problem_has_its_object_its_words_since_when_it_is_met_and_when_it_is_tried_again(engine: Engine) -> None:
    failed = receipt(shard="", stream_created_ms=0, state=ShardState.FAILED, problem=problem())
    first_ms = engine.clock.ms() + 30_000
    engine.epoch(failed, receipt("clicks"))
    engine.epoch(receipt("clicks"))
    (found,) = engine.epoch(failed, receipt("clicks")).problems
    assert (found.id, found.stream, found.shard, found.what, found.next_step) == (
        "FL-3006", "orders", "", "no such table", "make it",
    )  # fmt: skip # as one reads it
    assert (found.since_ms, found.has_stopped) == (engine.clock.ms(), True), "it had healed in between"
    assert found.next_try_ms == engine.clock.ms() + 300_000
    again = engine.epoch(failed, receipt("clicks")).problems[0]
    assert (again.since_ms, again.tries) == (found.since_ms, 2)
    assert first_ms < again.since_ms


def test_what_stopped_is_told_while_no_epoch_looks_at_it(engine: Engine) -> None:
    engine.epoch(receipt(state=ShardState.FAILED, problem=problem()), receipt("clicks"))
    (found,) = engine.epoch(receipt("clicks")).problems
    assert (found.shard, found.tries, found.next_try_ms) == ("shard-0", 1, engine.clock.ms() + 270_000)
    assert engine.epoch(receipt(), receipt("clicks")).problems == ()


def test_minutes_add_up_what_was_counted(engine: Engine) -> None:
    one = receipt(records=10, rows=8, bytes=80, dead_letters=2, behind_ms=500)
    other = replace(one, shard_id="shard-1", behind_ms=900)
    engine.epoch(one, other)
    report = engine.epoch(one)
    assert report.minutes == (
        MinuteCounts("orders", 29_000_000, 20, 16, 160, 4, 0, 900),
        MinuteCounts("orders", 29_000_001, 10, 8, 80, 2, 0, 500),
    )
    assert report.shards == (ShardReading("orders", "shard-0", "reading", 500, None, 8),)
    assert (report.epochs, report.version) == (2, "0.1.0")


def test_a_run_goes_on_with_what_the_run_before_had_counted_and_met(ledger: MemoryLedger, clock: Clock) -> None:
    first = Engine(ledger, clock)
    failed = receipt(state=ShardState.FAILED, problem=problem(), records=1)
    first.epoch(failed)
    since_ms = first.report.problems[0].since_ms
    first.reporter.ended(None)
    assert first.report.ended_ms == clock.ms()
    second = Engine(ledger, clock, "two")
    report = second.epoch(failed)
    assert (report.run_id, report.ended_ms, report.epochs) == ("two", 0, 1)
    assert [(each.since_ms, each.tries) for each in report.problems] == [(since_ms, 2)]
    assert sum(each.records for each in report.minutes) == 2


def test_the_engines_own_failure_comes_first_and_forgets_no_shards(engine: Engine) -> None:
    engine.epoch(receipt(state=ShardState.FAILED, problem=problem()))
    engine.reporter.failed(LedgerUnavailable("ledger", "no answer"))
    engine.reporter.ended(LedgerUnavailable("ledger", "no answer"))
    assert [(each.stream, each.id, each.tries) for each in engine.report.problems] == [
        ("", LedgerUnavailable.id, 2), ("orders", "FL-3006", 1),
    ]  # fmt: skip # as one reads it


def test_a_report_is_bounded_and_holds_no_secret(engine: Engine) -> None:
    secret = replace(problem(), what="password=hunter2hunter2 " + "x" * 5000)
    failing: dict[str, Any] = {"state": ShardState.FAILED, "problem": secret}
    many = [
        receipt(f"stream-{n % 40:02}", f"shardId-{n:012}", records=n, **(failing if n % 30 == 0 else {}))
        for n in range(3000)
    ]
    report = engine.epoch(*many)
    assert (len(report.problems), report.all_problems, len(report.shards)) == (MOST_PROBLEMS, 100, MOST_SHARDS)
    assert "hunter2" not in str(report)
    assert {each.stream for each in report.minutes} == {*(f"stream-{n:02}" for n in range(MOST_STREAMS)), OTHERS}
    assert sum(each.records for each in report.minutes) == sum(range(3000))
    minutes = [MinuteCounts(f"s{n}", minute, 9**9, 9**9) for minute in range(400) for n in range(30)]
    bounded = with_counts((), minutes)
    assert {each.minute for each in bounded} == set(range(400 - MOST_MINUTES, 400))
    assert len(replace(report, minutes=bounded).to_bytes()) < 100_000


def test_a_report_fits_its_item_whatever_the_words_are(ledger: MemoryLedger, clock: Clock) -> None:
    words, engine = random.Random(1), Engine(ledger, clock)
    many = [
        receipt(
            shard=f"shardId-{n:012}",
            state=ShardState.FAILED,
            problem=replace(
                problem(), what="\ud800" + "".join(map(chr, words.choices(range(1 << 16, 17 << 16), k=3000)))
            ),
            behind_ms=words.randrange(10**8),
        )
        for n in range(100)
    ]
    report = engine.epoch(*many)
    problems = tuple(replace(each, next_step=each.what[::-1]) for each in report.problems)
    written = replace(report, problems=problems).to_bytes()
    assert len(written) < 400_000
    read = report_from_bytes(written)
    assert read is not None, "half a surrogate pair is escaped"
    assert (read.problems, read.all_problems) == (problems[: len(problems) // 2], 100)


def test_a_clock_that_was_set_back_hides_no_minutes(ledger: MemoryLedger, clock: Clock) -> None:
    clock.s += 86_400
    first = Engine(ledger, clock)
    first.epoch(receipt(records=5))
    clock.s -= 86_400
    assert [each.records for each in first.epoch(receipt(records=7)).minutes] == [7]
    clock.s += 86_400
    first.epoch(receipt(records=5))
    clock.s -= 86_400
    assert [each.records for each in Engine(ledger, clock, "two").epoch(receipt(records=9)).minutes] == [9]


def test_what_the_run_before_had_stopped_is_not_stopped_by_this_one(ledger: MemoryLedger, clock: Clock) -> None:
    """A deploy gives up for what the new run has stopped, and the new run may be the remedy."""
    failed = receipt(shard="", stream_created_ms=0, state=ShardState.FAILED, problem=problem())
    (before,) = Engine(ledger, clock).epoch(failed).problems
    second = Engine(ledger, clock, "two")
    second.reporter.failed(LedgerUnavailable("ledger", "no answer"))
    assert [(each.id, each.has_stopped, each.next_try_ms) for each in second.report.problems] == [
        (LedgerUnavailable.id, False, 0), ("FL-3006", False, 0),
    ]  # fmt: skip # as one reads it
    (again,) = second.epoch(failed).problems
    assert (again.has_stopped, again.since_ms, again.tries) == (True, before.since_ms, 2)


def test_a_run_began_when_it_took_the_application(ledger: MemoryLedger, clock: Clock) -> None:
    reporter = EngineReporter(ledger, Run("one", "a test"), clock.ms)
    clock.s += 1200  # on standby
    reporter.began()
    reporter.ended(None)
    report = ledger.report()
    assert report.began_ms == clock.ms()


def test_what_is_read_after_the_last_epoch_is_counted() -> None:
    stand_in = StandIn(lambda _: [receipt(records=1)], finish=lambda: [receipt(records=1000)])
    assert runs(stand_in).stops() == 0
    report = stand_in.ledger.report()
    assert sum(each.records for each in report.minutes) == 1000 + report.epochs


def test_a_report_of_another_form_is_none() -> None:
    assert report_from_bytes(b"no zlib") is None
    data = EngineReport(run_id="one", at_ms=1).to_bytes()
    assert report_from_bytes(data[:-4]) is None


def test_what_keeps_spark_from_starting_is_in_the_ledger_when_the_engine_has_ended(ledger: MemoryLedger) -> None:
    def opens() -> None:
        raise ConfigError("engine.json", ["there is no such thing"])

    with pytest.raises(ConfigError):
        StandIn(read_on, opens=opens).job(ledger).run()
    report = ledger.report()
    assert report.ended_ms
    assert [each.id for each in report.problems] == ["FL-1001"]


def test_a_ledger_that_takes_no_report_holds_up_no_epoch(ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object) -> None:
        raise LedgerUnavailable("ledger", "a test")

    monkeypatch.setattr(ledger, "write_report", unreachable)
    monkeypatch.setattr(ledger, "report", unreachable)
    stand_in = StandIn(read_on, ledger=ledger)
    assert runs(stand_in, epochs=3).stops() == 0
