"""Epochs, queries and sessions that fail: what is tried again, what ends the run, with which reason."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from firnline_ingest.shard.receipt import Receipt
from firnline_ingest.snowflake.errors import SnowflakeUnavailable
from firnline_ingest.spark import retry_budget
from firnline_ingest.spark.errors import QueryFailed, SourceFailed, SparkGone
from firnline_ingest.spark.job import FAILED, SUCCESS
from firnline_ingest.spark.signals import EndingSignals
from tests.ingest.spark.job.running import Running, read_on, run_of, runs
from tests.ingest.spark.standing_in import StandIn, receipt
from tests.ingest.waiting import HANGS_S, until


def test_a_spark_job_that_fails_is_an_epoch_that_failed(events: Callable[[str], list[Any]]) -> None:
    def epoch(number: int) -> list[Receipt]:
        if number == 0:
            raise OSError("Job aborted due to stage failure")
        return [receipt()]

    spark = StandIn(epoch)
    assert runs(spark, epochs=3).stops() == SUCCESS
    (failed,) = events("epoch.failed")
    assert failed.problem == "FL-1203"


def test_a_defect_of_the_driver_is_logged_once_and_the_next_epoch_is_tried(events: Callable[[str], list[Any]]) -> None:
    def epoch(number: int) -> list[Receipt]:
        if number < 3:
            raise ModuleNotFoundError("No module named 'snowflake.connector'")
        return [receipt()]

    spark = StandIn(epoch)
    assert runs(spark, epochs=5).stops() == SUCCESS
    assert [event.problem for event in events("epoch.failed")] == ["FL-1000"] * 3
    assert len(events("epoch.defect")) == 1


def test_epochs_that_fail_again_and_again_end_the_run_with_their_reason(events: Callable[[str], list[Any]]) -> None:
    now = [0.0]

    def epoch(_: int) -> list[Receipt]:
        now[0] += 100.0
        raise SnowflakeUnavailable("SHOW TABLES", "390114: the token has expired")

    spark = StandIn(epoch)
    running = Running(spark.job(clock=lambda: now[0]))
    assert running.ends() == FAILED
    (failed,) = events("engine.failed")
    assert failed.problem == "FL-3010"
    assert "390114" in failed.what
    assert len(spark.committed) >= retry_budget.LEAST
    assert spark.ledger.current_run() is None


def test_an_epoch_that_fails_now_and_then_ends_nothing() -> None:
    now = [0.0]

    def epoch(number: int) -> list[Receipt]:
        now[0] += 1000.0
        if number % 2:
            raise SnowflakeUnavailable("SHOW TABLES", "it is busy")
        return [receipt()]

    spark = StandIn(epoch)
    running = Running(spark.job(clock=lambda: now[0]))
    until(lambda: len(spark.committed) >= 4 * retry_budget.LEAST)
    spark.ledger.request_stop(run_of(spark.ledger).run_id)
    running.ends()


def test_a_query_that_dies_is_started_again(events: Callable[[str], list[Any]]) -> None:
    spark = StandIn(read_on)
    running = runs(spark)
    spark.breaks(QueryFailed("Multiple streaming jobs detected for 7"))
    until(lambda: spark.starts == 2)
    until(lambda: spark.committed)
    assert running.stops() == SUCCESS
    assert len(events("query.failed")) >= 1


@pytest.mark.parametrize(
    "error", [SourceFailed("Planning failed (FL-2101): no table", next_step="make it"), SparkGone("out of memory")]
)
def test_what_kills_the_query_for_good_ends_the_run_with_its_reason(
    error: Any, events: Callable[[str], list[Any]]
) -> None:
    spark = StandIn(read_on)
    running = runs(spark)
    spark.breaks(error)
    assert running.ends() == FAILED
    assert [event.problem for event in events("engine.failed")] == [error.id]
    assert spark.ledger.current_run() is None


def test_what_keeps_spark_from_starting_refuses_the_run() -> None:
    def opens() -> None:
        raise SourceFailed("no", next_step="yes")

    spark = StandIn(read_on, opens=opens)
    running = Running(spark.job())
    assert running.ends() is None
    assert isinstance(running.error, SourceFailed)
    assert spark.ledger.current_run() is None


def test_an_epoch_that_fails_while_the_engine_stops_is_told_by_the_status() -> None:
    signals, begun = EndingSignals(), threading.Event()

    def epoch(_: int) -> list[Receipt]:
        begun.set()
        assert signals.ending.wait(HANGS_S)
        raise ConnectionRefusedError("the JVM was killed")

    spark = StandIn(epoch)
    running = Running(spark.job(signals=signals))
    assert begun.wait(HANGS_S)
    signals.heard(15)
    assert running.ends() == 128 + 15
