"""The driver's run with a stand-in for Spark: who holds the name, what ends it."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.engine_report import EngineReport
from firnline_ingest.ledger.errors import AnotherEngineRuns
from firnline_ingest.ledger.lease import RunLease
from firnline_ingest.ledger.row import RunningTotals
from firnline_ingest.metrics import Unread
from firnline_ingest.shard.receipt import Receipt
from firnline_ingest.spark import job as job_module
from firnline_ingest.spark.job import DISPLACED, SUCCESS
from firnline_ingest.spark.signals import EndingSignals
from firnline_ingest.values import Position
from tests.fakes.ledger import MemoryLedger
from tests.ingest.spark.job.running import Running, read_on, run_of, runs
from tests.ingest.spark.standing_in import StandIn, receipt
from tests.ingest.waiting import HANGS_S, until


def test_a_run_that_is_asked_to_stop_ends_spark_and_gives_its_name_back() -> None:
    spark = StandIn(read_on)
    assert runs(spark).stops() == SUCCESS
    assert spark.closed.is_set()
    assert not spark.killed.is_set()
    assert spark.ledger.current_run() is None


def test_an_epoch_hands_on_what_was_reported_of_a_shard_by_this_run_and_by_the_one_before() -> None:
    """A process that finds no row of it in the ledger goes on with that."""
    ledger = MemoryLedger()
    totals = RunningTotals(through=Position(7), rows=7, dead_letters=2, begun_by="x/1", reported_through=Position(9))

    def read(_: int) -> list[Receipt]:
        assert first.runner is not None
        first.runner.planned([Unread(receipt().key, 1, 24)])
        return [receipt(rows=7, dead_letters=2, totals=totals)]

    first = StandIn(read, ledger=ledger)
    assert runs(first).stops() == SUCCESS
    second = StandIn(read_on, ledger=ledger)
    assert runs(second).stops() == SUCCESS
    for each in (first, second):
        assert each.runner is not None
        reported = each.runner.reported(receipt().key)
        assert reported is not None
        assert (reported.rows, reported.dead_letters, reported.known_through) == (7, 2, Position(9))


def test_the_application_is_given_back_when_the_query_has_ended_and_before_spark_has() -> None:
    """A run that waits for it begins with the same checkpoint, and need not wait for executors to go."""
    held = list[object]()
    spark = StandIn(read_on, closes=lambda: held.append(spark.ledger.current_run()))
    assert runs(spark).stops() == SUCCESS
    assert held == [None]
    assert spark.closed.is_set()


def test_a_batch_that_begins_while_the_engine_stops_holds_up_no_end() -> None:
    """Between the last epoch's end and Spark's, while rows that were read since are proven."""

    def finish() -> list[Receipt]:
        begun = spark.begun
        until(lambda: spark.begun > begun)
        return []

    spark = StandIn(read_on, finish=finish)
    assert runs(spark).stops() == SUCCESS
    assert not spark.killed.is_set()


def test_an_epoch_that_begins_after_a_stop_was_asked_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks see the stop, prove their rows and end; Spark begins the next batch before the heart has beaten once more."""
    worked = list[int]()
    monkeypatch.setattr(job_module, "BEAT_S", 3600.0)

    def epoch(number: int) -> list[Receipt]:
        worked.append(number)
        spark.ledger.request_stop(run_of(spark.ledger).run_id)
        return [receipt()]

    spark = StandIn(epoch)
    assert Running(spark.job()).ends() == SUCCESS
    assert worked == [0]


def test_the_heart_beats_while_spark_starts() -> None:
    started = threading.Event()
    spark = StandIn(read_on, opens=lambda: bool(started.wait(HANGS_S)) and None)
    running = Running(spark.job())
    until(lambda: spark.ledger.current_run() and run_of(spark.ledger).beat >= 3)
    with pytest.raises(AnotherEngineRuns):
        RunLease(spark.ledger, "app", sleep=lambda _: time.sleep(0.05)).begin()
    started.set()
    until(lambda: spark.committed)
    assert running.stops() == SUCCESS


def test_of_two_engines_that_start_at_once_one_runs_and_the_other_says_why_not() -> None:
    ledger = MemoryLedger()
    assert ledger.begin_run(Run("dead", "a machine that is off"), None)
    sparks = [StandIn(read_on, ledger=ledger), StandIn(read_on, ledger=ledger)]
    running = [Running(spark.job()) for spark in sparks]
    until(lambda: any(each.error for each in running))
    (refused,) = [each for each in running if each.error]
    assert isinstance(refused.error, AnotherEngineRuns)
    until(lambda: any(spark.committed for spark in sparks))
    assert [each.stops() for each in running if each is not refused] == [SUCCESS]


def test_a_displaced_engine_ends_at_once_with_a_status_of_its_own_and_writes_nothing_more(
    events: Callable[[str], list[Any]],
) -> None:
    go_on = threading.Event()

    def epoch(number: int) -> list[Receipt]:
        if number == 1:
            assert go_on.wait(HANGS_S)
        return [receipt(fingerprint=f"SHA256:{number}")]

    spark = StandIn(epoch)
    running = runs(spark)
    assert spark.ledger.begin_run(Run("other", "the other engine"), spark.ledger.current_run())
    assert running.ends() == DISPLACED
    go_on.set()
    assert run_of(spark.ledger) == Run("other", "the other engine"), "no stop request, no fingerprint, no end"
    assert spark.killed.is_set()
    assert spark.committed[:1] == [0]
    (failed,) = events("engine.failed")
    assert failed.problem == "FL-1207"
    assert "the other engine" in failed.what


def test_an_epoch_of_a_displaced_engine_never_comes_back_to_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """The epoch's commit would stand in the checkpoint in front of the other engine's."""
    in_epoch, go_on = threading.Event(), threading.Event()
    monkeypatch.setattr(job_module, "BEAT_S", 3600.0)  # frozen: the heart has not noticed yet

    def epoch(_: int) -> list[Receipt]:
        in_epoch.set()
        assert go_on.wait(HANGS_S)
        return [receipt()]

    spark = StandIn(epoch)
    job = spark.job()
    running = Running(job)
    assert in_epoch.wait(HANGS_S)
    assert spark.ledger.begin_run(Run("other", "the other engine"), spark.ledger.current_run())
    job._heart._beat_s -= 60.0
    others = EngineReport(run_id="other", at_ms=1)
    spark.ledger.write_report(others)
    committed = list(spark.committed)
    go_on.set()
    assert running.ends() == DISPLACED
    assert committed == []
    assert spark.ledger.report() == others
    assert spark.killed.is_set()


def test_a_signal_ends_the_run_with_everything_proven() -> None:
    spark, signals = StandIn(read_on), EndingSignals()
    running = runs(spark, signals)
    signals.heard(15)
    assert running.ends() == SUCCESS
    assert spark.closed.is_set()


def test_a_signal_while_spark_starts_ends_at_once_and_gives_the_name_back() -> None:
    signals, opening = EndingSignals(), threading.Event()

    def opens() -> None:
        opening.set()
        threading.Event().wait()

    spark = StandIn(read_on, opens=opens)
    job = spark.job(signals=signals)
    running = Running(job)
    assert opening.wait(HANGS_S)
    signals.heard(15)
    assert running.ends() == SUCCESS
    assert spark.ledger.current_run() is None
    assert job.has_loose_ends
    assert spark.killed.is_set()
