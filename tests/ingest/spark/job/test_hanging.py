"""Tests of what does not come back: an epoch, Spark itself. Everything ends within a bound."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from firnline_ingest.shard.receipt import Receipt
from firnline_ingest.spark import job as job_module
from firnline_ingest.spark import watchdog
from firnline_ingest.spark.job import FAILED, SUCCESS
from firnline_ingest.spark.signals import SAME_S, EndingSignals
from tests.ingest.spark.job.running import Running, read_on, runs
from tests.ingest.spark.standing_in import StandIn, receipt
from tests.ingest.waiting import HANGS_S, until


class Hanging:
    """An epoch that returns when its job is cancelled, or never."""

    def __init__(self, *, heeds: bool) -> None:
        self.now = 0.0
        self.begun = threading.Event()
        self.spark = StandIn(self.epoch)
        self._heeds = heeds

    def epoch(self, number: int) -> list[Receipt]:
        if number > 0:
            return [receipt()]
        self.begun.set()
        if not self._heeds:
            threading.Event().wait()
        assert self.spark.cancelled.wait(HANGS_S)
        raise OSError("Job 7 cancelled")

    def clock(self) -> float:
        return self.now

    def time_passes(self, until_seen: Callable[[], Any]) -> None:
        def seen() -> Any:
            self.now += 1.0
            return until_seen()

        until(seen)


def test_an_epoch_that_never_ends_is_reported_then_cancelled_and_counts_as_failed(
    events: Callable[[str], list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchdog, "GRACE_S", 10.0)
    hanging = Hanging(heeds=True)
    running = Running(hanging.spark.job(clock=hanging.clock, epoch={"seconds": 10}))
    assert hanging.begun.wait(HANGS_S)
    hanging.time_passes(lambda: events("epoch.late"))
    assert events("epoch.late")[0].active == 1, "what Spark knows of its tasks"
    assert not hanging.spark.cancelled.is_set()
    hanging.time_passes(lambda: len(hanging.spark.committed) >= 2)
    (failed,) = events("epoch.failed")
    assert failed.problem == "FL-1204"
    assert running.stops() == SUCCESS


def test_an_epoch_that_does_not_heed_its_cancelling_ends_the_run(
    events: Callable[[str], list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchdog, "GRACE_S", 10.0)
    monkeypatch.setattr(job_module.faulthandler, "dump_traceback", lambda *_: None)
    hanging = Hanging(heeds=False)
    job = hanging.spark.job(clock=hanging.clock, epoch={"seconds": 10})
    running = Running(job)
    assert hanging.begun.wait(HANGS_S)
    hanging.time_passes(hanging.spark.cancelled.is_set)
    hanging.time_passes(lambda: job.has_loose_ends)
    assert running.ends() == FAILED
    assert [event.problem for event in events("engine.failed")] == ["FL-1205"]
    assert job.has_loose_ends
    assert hanging.spark.ledger.current_run() is None


def test_a_stop_does_not_wait_for_ever_for_an_epoch_that_hangs() -> None:
    hanging = Hanging(heeds=False)
    job = hanging.spark.job()
    running = Running(job)
    assert hanging.begun.wait(HANGS_S)
    assert running.stops() == FAILED
    assert hanging.spark.cancelled.is_set()
    assert hanging.spark.killed.is_set()
    assert job.has_loose_ends
    assert hanging.spark.ledger.current_run() is None


class Silent(StandIn):
    """Spark's JVM does not answer any more: it was stopped, or collects garbage."""

    def failure(self) -> Any:
        threading.Event().wait()


def test_a_stop_is_heard_although_spark_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_module, "CLOSE_S", 0.1)
    spark, signals = Silent(read_on), EndingSignals()
    running = runs(spark, signals)
    signals.heard(15)
    assert running.ends() == SUCCESS


def test_a_spark_that_does_not_answer_for_minutes_ends_the_run(
    monkeypatch: pytest.MonkeyPatch, events: Callable[[str], list[Any]]
) -> None:
    monkeypatch.setattr(job_module, "SILENT_S", 0.2)
    spark = Silent(read_on)
    assert Running(spark.job()).ends() == FAILED
    assert [event.problem for event in events("engine.failed")] == ["FL-1202"]
    assert spark.killed.is_set()


def test_a_second_signal_ends_an_epoch_that_hangs_at_once_with_the_signals_status(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(job_module, "STOP_S", 3600.0)
    monkeypatch.setattr(job_module, "CANCELLED_S", 3600.0)
    now = [0.0]
    hanging, signals = Hanging(heeds=False), EndingSignals(clock=lambda: now[0])
    running = Running(hanging.spark.job(signals=signals))
    assert hanging.begun.wait(HANGS_S)
    signals.heard(2)
    signals.heard(2)
    assert not signals.at_once.is_set(), "one signal, told twice: by the terminal and by the JVM"
    now[0] += SAME_S + 0.1
    signals.heard(2)
    assert running.ends() == 128 + 2
