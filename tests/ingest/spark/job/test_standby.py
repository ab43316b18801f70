"""A run that stands by, with a stand-in for Spark: nothing of it begins before the application is its own."""

import threading
import time

import pytest

from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.lease import START_VARIABLE
from firnline_ingest.ledger.standby import StandbyState
from firnline_ingest.spark.errors import SparkUnstartable
from firnline_ingest.spark.job import SUCCESS
from firnline_ingest.spark.signals import EndingSignals
from tests.fakes.ledger import MemoryLedger
from tests.ingest.spark.job.running import Running, read_on, run_of, runs
from tests.ingest.spark.standing_in import StandIn
from tests.ingest.waiting import HANGS_S, until

OLD, TOKEN, LONG_S = Run("old", "the old engine", start="1-a"), "2-b", 3600.0


@pytest.fixture
def ledger(monkeypatch: pytest.MonkeyPatch) -> MemoryLedger:
    """The old engine has the application, and this process is started with a token."""
    monkeypatch.setenv(START_VARIABLE, TOKEN)
    ledger = MemoryLedger()
    assert ledger.begin_run(OLD, None)
    return ledger


def state_of(ledger: MemoryLedger) -> StandbyState | None:
    row = ledger.standby()
    return row.state if row else None


def test_it_prepares_beside_the_old_engine_and_reads_once_the_application_is_its_own(ledger: MemoryLedger) -> None:
    spark = StandIn(read_on, ledger=ledger)
    running = Running(spark.job(standby_s=LONG_S))
    until(lambda: state_of(ledger) is StandbyState.READY)
    row = ledger.standby()
    assert (row.start, spark.prepared, spark.starts, ledger.current_run()) == (TOKEN, 1, 0, OLD)
    assert ledger.admit(row.run_id)
    free_ms = time.time_ns() // 1_000_000
    ledger.end_run(OLD.run_id)
    until(lambda: spark.committed)
    assert (run_of(ledger).run_id, state_of(ledger)) == (row.run_id, StandbyState.TAKEN)
    assert ledger.report().began_ms >= free_ms
    assert running.stops() == SUCCESS


def test_one_that_nobody_takes_on_ends_with_success_so_that_no_service_starts_it_again(ledger: MemoryLedger) -> None:
    spark = StandIn(read_on, ledger=ledger)
    running = Running(spark.job(standby_s=0.0))
    assert running.ends() == SUCCESS
    assert (spark.starts, state_of(ledger), ledger.current_run()) == (0, StandbyState.ENDED, OLD)
    assert spark.killed.is_set()


def test_a_signal_ends_it_while_it_prepares(ledger: MemoryLedger) -> None:
    signals, opening = EndingSignals(), threading.Event()

    def opens() -> None:
        opening.set()
        threading.Event().wait()

    spark = StandIn(read_on, opens=opens, ledger=ledger)
    running = Running(spark.job(signals=signals, standby_s=LONG_S))
    assert opening.wait(HANGS_S)
    signals.heard(15)
    assert running.ends() == SUCCESS
    assert spark.killed.is_set()


def test_what_keeps_it_from_standing_by_ends_it_and_nothing_of_the_old_one(ledger: MemoryLedger) -> None:
    def opens() -> None:
        raise SparkUnstartable("no memory")

    spark = StandIn(read_on, opens=opens, ledger=ledger)
    running = Running(spark.job(standby_s=LONG_S))
    running.ends()
    assert isinstance(running.error, SparkUnstartable)
    assert (state_of(ledger), ledger.current_run()) == (StandbyState.ENDED, OLD)
    assert spark.killed.is_set()


def test_one_that_was_let_in_before_is_an_engine_like_any_other(ledger: MemoryLedger) -> None:
    """The standby's service starts it again after a crash: the name is still that of the attempt before."""
    dead = Run("dead", "the attempt before", start=TOKEN)
    assert ledger.begin_run(dead, OLD)
    spark = StandIn(read_on, ledger=ledger)
    running = runs(spark, standby_s=LONG_S)
    assert (spark.prepared, ledger.standby()) == (0, None)
    assert running.stops() == SUCCESS
