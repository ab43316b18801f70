"""Pipelines that can't go on beside others that can, and runs that end when nothing is left to do."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from firnline_ingest.ledger.errors import LedgerUnavailable
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.shard.receipt import Receipt, ShardState
from firnline_ingest.spark import job, policy
from firnline_ingest.spark.job import FAILED, SUCCESS
from tests.ingest.spark.job.running import Running, runs
from tests.ingest.spark.standing_in import StandIn, problem, receipt
from tests.ingest.waiting import until


@pytest.fixture
def no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service's, which a bounded run asks for."""
    monkeypatch.setattr(job, "bound_ms", lambda *_: 1)


def missing(stream: str, *, passes: bool = False) -> Receipt:
    return Receipt.of_pipeline(stream, 1, problem(passes=passes))


def test_a_pipeline_that_cannot_go_on_stops_no_other_and_the_status_says_so_at_the_end(
    events: Callable[[str], list[Any]],
) -> None:
    spark = StandIn(lambda _: [missing("orders"), receipt("clicks")])
    assert runs(spark, epochs=5).stops() == FAILED
    (failed,) = events("pipeline.failed")
    assert (failed.stream, failed.problem) == ("orders", "FL-3006")
    (last,) = events("engine.incomplete")
    assert last.stopped == {"orders": "FL-3006"}, "the line that told it first may be minutes old"


def test_an_engine_that_shall_stop_on_a_failure_does_so_after_the_epoch() -> None:
    worked: list[int] = []

    def fails(epoch: int) -> list[Receipt]:
        worked.append(epoch)
        return [missing("orders"), receipt("clicks")]

    running = Running(StandIn(fails).job(failures={"on_failure": "stop"}))
    assert running.ends() == FAILED
    assert worked == [0], "what Spark still begins does nothing"


@pytest.mark.parametrize("streams", [["orders"], ["orders", "clicks"]])
def test_an_engine_of_which_nothing_can_go_on_stays_up_and_goes_on_once_somebody_has_mended_it(
    monkeypatch: pytest.MonkeyPatch, streams: list[str]
) -> None:
    """The commonest engine has one pipeline: a right that was revoked for ten minutes needs nobody but who grants it again."""
    monkeypatch.setattr(policy, "LONGEST_PAUSE_S", 0.01)
    monkeypatch.setattr(policy, "LEAST_PAUSE_S", 0.01)
    mended = threading.Event()
    spark = StandIn(lambda _: [receipt(stream) if mended.is_set() else missing(stream) for stream in streams])
    running = runs(spark, epochs=5)
    mended.set()
    so_far = len(spark.committed)
    until(lambda: len(spark.committed) >= so_far + 2)
    assert running.stops() == SUCCESS


def test_a_bounded_run_of_which_nothing_can_go_on_ends(no_clock: None) -> None:
    spark = StandIn(lambda _: [missing("orders")])
    assert Running(spark.job(is_bounded=True)).ends() == FAILED


def test_a_pipeline_that_goes_on_again_is_no_failure(events: Callable[[str], list[Any]]) -> None:
    def epoch(number: int) -> list[Receipt]:
        return [receipt("clicks"), missing("orders") if number < 3 else receipt("orders")]

    spark = StandIn(epoch)
    assert runs(spark, epochs=5).stops() == SUCCESS
    assert [event.stream for event in events("pipeline.recovered")] == ["orders"]


def test_a_bounded_run_finishes_the_other_pipelines_before_it_ends_with_a_failure(no_clock: None) -> None:
    def epoch(number: int) -> list[Receipt]:
        clicks = receipt("clicks", state=ShardState.DONE if number == 4 else ShardState.READING)
        return [missing("orders"), *([clicks] if number < 5 else [])]

    spark = StandIn(epoch)
    assert Running(spark.job(is_bounded=True)).ends() == FAILED
    assert len(spark.committed) >= 5


def test_one_plan_without_work_does_not_end_a_bounded_run(no_clock: None) -> None:
    """A listing that leaves out a shard that nobody has begun makes such a plan."""
    done = receipt(state=ShardState.DONE)
    later = receipt(shard="shard-1", state=ShardState.DONE)
    epochs = {0: [done], 1: [], 2: [later]}
    spark = StandIn(lambda number: epochs.get(number, []))
    assert Running(spark.job(is_bounded=True)).ends() == SUCCESS
    assert len(spark.committed) >= 4


@pytest.mark.parametrize(
    ("paused", "is_bounded", "status"),
    [
        (["orders"], True, FAILED),
        (["clicks", "orders"], True, FAILED),
        (["no-pipeline-reads-it"], True, SUCCESS),
        (["orders"], False, SUCCESS),
    ],
)
def test_a_bounded_run_beside_a_paused_stream_says_that_it_was_not_read(
    paused: list[str], is_bounded: bool, status: int, no_clock: None, events: Callable[[str], list[Any]]
) -> None:
    spark = StandIn(lambda number: [receipt(state=ShardState.DONE)] if number == 0 else [])
    for stream in (*paused, "read"):
        spark.ledger.set_mark(stream, StreamMark(f"{stream}@1"), None)
    assert all(spark.ledger.pause(stream, True) for stream in paused)
    pipelines = [{"stream": stream, "database": "DB", "schema": "RAW"} for stream in ("orders", "clicks", "read")]
    running = Running(spark.job(is_bounded=is_bounded, pipelines=pipelines))
    if not is_bounded:
        until(lambda: len(spark.committed) >= 2)
        running.stops()
    assert running.ends() == status
    said = [event.what for event in events("engine.incomplete")]
    names = ", ".join(paused)
    assert said == (
        [f"The run is done with every stream but what is paused, which it did not read: {names}."] if status else []
    )


def test_a_bounded_run_that_cannot_learn_what_is_paused_does_not_say_that_all_is_done(
    no_clock: None, monkeypatch: pytest.MonkeyPatch, events: Callable[[str], list[Any]]
) -> None:
    spark = StandIn(lambda _: [])

    def unreachable() -> list[str]:
        raise LedgerUnavailable("table", "no answer")

    monkeypatch.setattr(spark.ledger, "begun_streams", unreachable)
    assert Running(spark.job(is_bounded=True)).ends() == FAILED
    assert [event.problem for event in events("engine.incomplete")] == [LedgerUnavailable.id]
