"""The driver's run with a stand-in for Spark: who holds the name, what ends it, and within which bound."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.errors import AnotherEngineRuns
from firnline_ingest.ledger.lease import RunLease
from firnline_ingest.shard.receipt import Receipt, ShardState
from firnline_ingest.snowflake.errors import SnowflakeUnavailable
from firnline_ingest.spark import job as job_module
from firnline_ingest.spark import patience, policy, watchdog
from firnline_ingest.spark.errors import QueryFailed, SourceFailed, SparkGone
from firnline_ingest.spark.job import DISPLACED, FAILED, SUCCESS, EngineJob
from firnline_ingest.spark.signals import SAME_S, EndingSignals
from tests.fakes.ledger import MemoryLedger
from tests.ingest.spark.standing_in import StandIn, problem, receipt

HANGS_S = 30


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits that are the machine's seconds elsewhere."""
    for module, name, value in (
        (job_module, "LOOK_S", 0.02),
        (job_module, "BEAT_S", 0.02),
        (job_module, "STOP_S", 0.3),
        (job_module, "CANCELLED_S", 0.3),
        (job_module, "CLOSE_S", 2.0),
        (patience, "LONGEST_PAUSE_S", 0.002),
        (policy, "LEAST_PAUSE_S", 0.002),
    ):
        monkeypatch.setattr(module, name, value)


@pytest.fixture
def events(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[Any]]:
    monkeypatch.setattr(logging.getLogger("firnline_ingest"), "propagate", True)
    caplog.set_level(logging.INFO, "firnline_ingest")
    return lambda event: [record for record in caplog.records if record.getMessage() == event]


class Running:
    """A job on a thread of its own, as a process would run it."""

    def __init__(self, job: EngineJob) -> None:
        self.status: int | None = None
        self.error: BaseException | None = None
        self._job = job
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.status = self._job.run()
        except BaseException as error:
            self.error = error

    def ends(self) -> int | None:
        self._thread.join(HANGS_S)
        assert not self._thread.is_alive(), "the run did not end"
        return self.status


def until(condition: Callable[[], Any]) -> None:
    give_up_s = time.monotonic() + HANGS_S
    while not condition():
        assert time.monotonic() < give_up_s
        time.sleep(0.002)


def run_of(ledger: MemoryLedger) -> Run:
    run = ledger.current_run()
    assert run is not None
    return run


def read_on(_: int) -> list[Receipt]:
    return [receipt()]


def test_a_run_that_is_asked_to_stop_ends_spark_and_gives_its_name_back() -> None:
    ledger, spark = MemoryLedger(), StandIn(read_on)
    running = Running(spark.job(ledger))
    until(lambda: spark.committed)
    ledger.request_stop(run_of(ledger).run_id)
    assert running.ends() == SUCCESS
    assert spark.closed.is_set()
    assert not spark.killed.is_set()
    assert ledger.current_run() is None


def test_a_batch_that_begins_while_the_engine_stops_holds_up_no_end() -> None:
    """Between the last epoch's end and Spark's, while rows that were read since are proven."""

    def finish() -> list[Receipt]:
        begun = spark.begun
        until(lambda: spark.begun > begun)
        return []

    ledger, spark = MemoryLedger(), StandIn(read_on, finish=finish)
    running = Running(spark.job(ledger))
    until(lambda: spark.committed)
    ledger.request_stop(run_of(ledger).run_id)
    assert running.ends() == SUCCESS
    assert not spark.killed.is_set()


def test_the_heart_beats_while_spark_starts() -> None:
    ledger, started = MemoryLedger(), threading.Event()
    spark = StandIn(read_on, opens=lambda: bool(started.wait(HANGS_S)) and None)
    running = Running(spark.job(ledger))
    until(lambda: ledger.current_run() and run_of(ledger).beat >= 3)
    with pytest.raises(AnotherEngineRuns):
        RunLease(ledger, "app", sleep=lambda _: time.sleep(0.05)).begin()
    started.set()
    until(lambda: spark.committed)
    ledger.request_stop(run_of(ledger).run_id)
    assert running.ends() == SUCCESS


def test_of_two_engines_that_start_at_once_one_runs_and_the_other_says_why_not() -> None:
    ledger = MemoryLedger()
    assert ledger.begin_run(Run("dead", "a machine that is off"), None)
    sparks = [StandIn(read_on), StandIn(read_on)]
    running = [Running(spark.job(ledger)) for spark in sparks]
    until(lambda: any(each.error for each in running))
    (refused,) = [each for each in running if each.error]
    assert isinstance(refused.error, AnotherEngineRuns)
    until(lambda: any(spark.committed for spark in sparks))
    ledger.request_stop(run_of(ledger).run_id)
    assert [each.ends() for each in running if each is not refused] == [SUCCESS]


def test_a_displaced_engine_ends_at_once_with_a_status_of_its_own_and_writes_nothing_more(
    events: Callable[[str], list[Any]],
) -> None:
    ledger, go_on = MemoryLedger(), threading.Event()

    def epoch(number: int) -> list[Receipt]:
        if number == 1:
            assert go_on.wait(HANGS_S)
        return [receipt(fingerprint=f"SHA256:{number}")]

    spark = StandIn(epoch)
    running = Running(spark.job(ledger))
    until(lambda: spark.committed)
    assert ledger.begin_run(Run("other", "the other engine"), ledger.current_run())
    assert running.ends() == DISPLACED
    go_on.set()
    assert run_of(ledger) == Run("other", "the other engine"), "no stop request, no fingerprint, no end"
    assert spark.killed.is_set()
    assert spark.committed[:1] == [0]
    (failed,) = events("engine.failed")
    assert failed.problem == "FL-1207"
    assert "the other engine" in failed.what


def test_an_epoch_of_a_displaced_engine_never_comes_back_to_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its commit would stand in the checkpoint in front of the other engine's."""
    ledger, in_epoch, go_on = MemoryLedger(), threading.Event(), threading.Event()
    monkeypatch.setattr(job_module, "BEAT_S", 3600.0)  # frozen: the heart has not noticed yet

    def epoch(_: int) -> list[Receipt]:
        in_epoch.set()
        assert go_on.wait(HANGS_S)
        return [receipt()]

    spark = StandIn(epoch)
    job = spark.job(ledger)
    running = Running(job)
    assert in_epoch.wait(HANGS_S)
    assert ledger.begin_run(Run("other", "the other engine"), ledger.current_run())
    job._heart._beat_s -= 60.0
    committed = list(spark.committed)
    go_on.set()
    assert running.ends() == DISPLACED
    assert committed == []
    assert spark.killed.is_set()


def test_a_spark_job_that_fails_is_an_epoch_that_failed(events: Callable[[str], list[Any]]) -> None:
    def epoch(number: int) -> list[Receipt]:
        if number == 0:
            raise OSError("Job aborted due to stage failure")
        return [receipt()]

    ledger, spark = MemoryLedger(), StandIn(epoch)
    running = Running(spark.job(ledger))
    until(lambda: len(spark.committed) >= 3)
    ledger.request_stop(run_of(ledger).run_id)
    assert running.ends() == SUCCESS
    (failed,) = events("epoch.failed")
    assert failed.problem == "FL-1203"


def test_a_defect_of_the_driver_is_logged_once_and_the_next_epoch_is_tried(events: Callable[[str], list[Any]]) -> None:
    def epoch(number: int) -> list[Receipt]:
        if number < 3:
            raise ModuleNotFoundError("No module named 'snowflake.connector'")
        return [receipt()]

    ledger, spark = MemoryLedger(), StandIn(epoch)
    running = Running(spark.job(ledger))
    until(lambda: len(spark.committed) >= 5)
    ledger.request_stop(run_of(ledger).run_id)
    assert running.ends() == SUCCESS
    assert [event.problem for event in events("epoch.failed")] == ["FL-1000"] * 3
    assert len(events("epoch.defect")) == 1


def test_epochs_that_fail_again_and_again_end_the_run_with_their_reason(events: Callable[[str], list[Any]]) -> None:
    now = [0.0]

    def epoch(_: int) -> list[Receipt]:
        now[0] += 100.0
        raise SnowflakeUnavailable("SHOW TABLES", "390114: the token has expired")

    ledger, spark = MemoryLedger(), StandIn(epoch)
    running = Running(spark.job(ledger, clock=lambda: now[0]))
    assert running.ends() == FAILED
    (failed,) = events("engine.failed")
    assert failed.problem == "FL-3010"
    assert "390114" in failed.what
    assert len(spark.committed) >= patience.LEAST
    assert ledger.current_run() is None


def test_an_epoch_that_fails_now_and_then_ends_nothing() -> None:
    now = [0.0]

    def epoch(number: int) -> list[Receipt]:
        now[0] += 1000.0
        if number % 2:
            raise SnowflakeUnavailable("SHOW TABLES", "it is busy")
        return [receipt()]

    ledger, spark = MemoryLedger(), StandIn(epoch)
    running = Running(spark.job(ledger, clock=lambda: now[0]))
    until(lambda: len(spark.committed) >= 4 * patience.LEAST)
    ledger.request_stop(run_of(ledger).run_id)
    running.ends()


def test_a_query_that_dies_is_started_again(events: Callable[[str], list[Any]]) -> None:
    ledger, spark = MemoryLedger(), StandIn(read_on)
    running = Running(spark.job(ledger))
    until(lambda: spark.committed)
    spark.breaks(QueryFailed("Multiple streaming jobs detected for 7"))
    until(lambda: spark.starts == 2)
    until(lambda: spark.committed)
    ledger.request_stop(run_of(ledger).run_id)
    assert running.ends() == SUCCESS
    assert len(events("query.failed")) >= 1


@pytest.mark.parametrize(
    "error", [SourceFailed("Planning failed (FL-2101): no table", next_step="make it"), SparkGone("out of memory")]
)
def test_what_kills_the_query_for_good_ends_the_run_with_its_reason(
    error: Any, events: Callable[[str], list[Any]]
) -> None:
    ledger, spark = MemoryLedger(), StandIn(read_on)
    running = Running(spark.job(ledger))
    until(lambda: spark.committed)
    spark.breaks(error)
    assert running.ends() == FAILED
    assert [event.problem for event in events("engine.failed")] == [error.id]
    assert ledger.current_run() is None


def test_what_keeps_spark_from_starting_refuses_the_run() -> None:
    def opens() -> None:
        raise SourceFailed("no", next_step="yes")

    ledger, spark = MemoryLedger(), StandIn(read_on, opens=opens)
    running = Running(spark.job(ledger))
    assert running.ends() is None
    assert isinstance(running.error, SourceFailed)
    assert ledger.current_run() is None


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
    ledger, hanging = MemoryLedger(), Hanging(heeds=True)
    running = Running(hanging.spark.job(ledger, clock=hanging.clock, epoch={"seconds": 10}))
    assert hanging.begun.wait(HANGS_S)
    hanging.time_passes(lambda: events("epoch.late"))
    assert events("epoch.late")[0].active == 1, "what Spark knows of its tasks"
    assert not hanging.spark.cancelled.is_set()
    hanging.time_passes(lambda: len(hanging.spark.committed) >= 2)
    (failed,) = events("epoch.failed")
    assert failed.problem == "FL-1204"
    ledger.request_stop(run_of(ledger).run_id)
    assert running.ends() == SUCCESS


def test_an_epoch_that_does_not_heed_its_cancelling_ends_the_run(
    events: Callable[[str], list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchdog, "GRACE_S", 10.0)
    monkeypatch.setattr(job_module.faulthandler, "dump_traceback", lambda *_: None)
    ledger, hanging = MemoryLedger(), Hanging(heeds=False)
    job = hanging.spark.job(ledger, clock=hanging.clock, epoch={"seconds": 10})
    running = Running(job)
    assert hanging.begun.wait(HANGS_S)
    hanging.time_passes(hanging.spark.cancelled.is_set)
    hanging.time_passes(lambda: job.has_loose_ends)
    assert running.ends() == FAILED
    assert [event.problem for event in events("engine.failed")] == ["FL-1205"]
    assert job.has_loose_ends
    assert ledger.current_run() is None


def test_a_stop_does_not_wait_for_ever_for_an_epoch_that_hangs() -> None:
    ledger, hanging = MemoryLedger(), Hanging(heeds=False)
    job = hanging.spark.job(ledger)
    running = Running(job)
    assert hanging.begun.wait(HANGS_S)
    ledger.request_stop(run_of(ledger).run_id)
    assert running.ends() == FAILED
    assert hanging.spark.cancelled.is_set()
    assert hanging.spark.killed.is_set()
    assert job.has_loose_ends
    assert ledger.current_run() is None


class Silent(StandIn):
    """Spark's JVM does not answer any more: it was stopped, or collects garbage."""

    def failure(self) -> Any:
        threading.Event().wait()


def test_a_stop_is_heard_although_spark_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_module, "CLOSE_S", 0.1)
    ledger, spark, signals = MemoryLedger(), Silent(read_on), EndingSignals()
    running = Running(spark.job(ledger, signals))
    until(lambda: spark.committed)
    signals.heard(15)
    assert running.ends() == SUCCESS


def test_a_spark_that_does_not_answer_for_minutes_ends_the_run(
    monkeypatch: pytest.MonkeyPatch, events: Callable[[str], list[Any]]
) -> None:
    monkeypatch.setattr(job_module, "SILENT_S", 0.2)
    ledger, spark = MemoryLedger(), Silent(read_on)
    assert Running(spark.job(ledger)).ends() == FAILED
    assert [event.problem for event in events("engine.failed")] == ["FL-1202"]
    assert spark.killed.is_set()


def test_a_signal_ends_the_run_with_everything_proven() -> None:
    ledger, spark, signals = MemoryLedger(), StandIn(read_on), EndingSignals()
    running = Running(spark.job(ledger, signals))
    until(lambda: spark.committed)
    signals.heard(15)
    assert running.ends() == SUCCESS
    assert spark.closed.is_set()


def test_a_signal_while_spark_starts_ends_at_once_and_gives_the_name_back() -> None:
    ledger, signals, opening = MemoryLedger(), EndingSignals(), threading.Event()

    def opens() -> None:
        opening.set()
        threading.Event().wait()

    spark = StandIn(read_on, opens=opens)
    job = spark.job(ledger, signals)
    running = Running(job)
    assert opening.wait(HANGS_S)
    signals.heard(15)
    assert running.ends() == SUCCESS
    assert ledger.current_run() is None
    assert job.has_loose_ends
    assert spark.killed.is_set()


def test_a_second_signal_ends_an_epoch_that_hangs_at_once_with_the_signals_status(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(job_module, "STOP_S", 3600.0)
    monkeypatch.setattr(job_module, "CANCELLED_S", 3600.0)
    now = [0.0]
    ledger, hanging, signals = MemoryLedger(), Hanging(heeds=False), EndingSignals(clock=lambda: now[0])
    running = Running(hanging.spark.job(ledger, signals))
    assert hanging.begun.wait(HANGS_S)
    signals.heard(2)
    signals.heard(2)
    assert not signals.at_once.is_set(), "one signal, told twice: by the terminal and by the JVM"
    now[0] += SAME_S + 0.1
    signals.heard(2)
    assert running.ends() == 128 + 2


def test_an_epoch_that_fails_while_the_engine_stops_is_told_by_the_status() -> None:
    ledger, signals, begun = MemoryLedger(), EndingSignals(), threading.Event()

    def epoch(_: int) -> list[Receipt]:
        begun.set()
        assert signals.ending.wait(HANGS_S)
        raise ConnectionRefusedError("the JVM was killed")

    spark = StandIn(epoch)
    running = Running(spark.job(ledger, signals))
    assert begun.wait(HANGS_S)
    signals.heard(15)
    assert running.ends() == 128 + 15


def missing(stream: str, *, passes: bool = False) -> Receipt:
    return Receipt.of_pipeline(stream, 1, problem(passes=passes))


def test_a_pipeline_that_cannot_go_on_stops_no_other_and_the_status_says_so_at_the_end(
    events: Callable[[str], list[Any]],
) -> None:
    ledger, spark = MemoryLedger(), StandIn(lambda _: [missing("orders"), receipt("clicks")])
    running = Running(spark.job(ledger))
    until(lambda: len(spark.committed) >= 5)
    ledger.request_stop(run_of(ledger).run_id)
    assert running.ends() == FAILED
    (failed,) = events("pipeline.failed")
    assert (failed.stream, failed.problem) == ("orders", "FL-3006")
    (last,) = events("engine.incomplete")
    assert last.stopped == {"orders": "FL-3006"}, "the line that told it first may be minutes old"


def test_an_engine_that_shall_stop_on_a_failure_does_so_after_the_epoch() -> None:
    ledger, spark = MemoryLedger(), StandIn(lambda _: [missing("orders"), receipt("clicks")])
    running = Running(spark.job(ledger, failures={"on_failure": "stop"}))
    assert running.ends() == FAILED
    assert len(spark.committed) <= 2


def test_an_engine_with_nothing_left_to_do_ends() -> None:
    ledger, spark = MemoryLedger(), StandIn(lambda _: [missing("orders"), missing("clicks")])
    assert Running(spark.job(ledger)).ends() == FAILED


def test_a_pipeline_that_goes_on_again_is_no_failure(events: Callable[[str], list[Any]]) -> None:
    def epoch(number: int) -> list[Receipt]:
        return [receipt("clicks"), missing("orders") if number < 3 else receipt("orders")]

    ledger, spark = MemoryLedger(), StandIn(epoch)
    running = Running(spark.job(ledger))
    until(lambda: len(spark.committed) >= 5)
    ledger.request_stop(run_of(ledger).run_id)
    assert running.ends() == SUCCESS
    assert [event.stream for event in events("pipeline.recovered")] == ["orders"]


def test_a_bounded_run_finishes_the_other_pipelines_before_it_ends_with_a_failure() -> None:
    def epoch(number: int) -> list[Receipt]:
        clicks = receipt("clicks", state=ShardState.DONE if number == 4 else ShardState.READING)
        return [missing("orders"), *([clicks] if number < 5 else [])]

    ledger, spark = MemoryLedger(), StandIn(epoch)
    job = spark.job(ledger, is_bounded=True)
    job._bound_ms = lambda: 1  # type: ignore[method-assign] # asks Kinesis for the time
    assert Running(job).ends() == FAILED
    assert len(spark.committed) >= 5


def test_one_plan_without_work_does_not_end_a_bounded_run() -> None:
    """A listing that leaves out a shard that nobody has begun makes such a plan."""
    done = receipt(state=ShardState.DONE)
    later = receipt(shard="shard-1", state=ShardState.DONE)
    epochs = {0: [done], 1: [], 2: [later]}
    ledger, spark = MemoryLedger(), StandIn(lambda number: epochs.get(number, []))
    job = spark.job(ledger, is_bounded=True)
    job._bound_ms = lambda: 1  # type: ignore[method-assign] # asks Kinesis for the time
    assert Running(job).ends() == SUCCESS
    assert len(spark.committed) >= 4
