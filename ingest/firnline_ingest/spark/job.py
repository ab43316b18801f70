"""The engine's run from start to end: hold the application's name, drive the query, stop when asked or done.

The main thread never calls Spark: it listens, watches the epoch, and ends the run within a bound whatever hangs. One thread
starts Spark and looks after the query, another one ends it; Spark calls `_epoch` on its own; the heart beats on another one.
"""

import faulthandler
import logging
import sys
import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.backend import Ledger, was_let_in
from firnline_ingest.ledger.lease import BEAT_S, Heartbeat, RunLease, new_run
from firnline_ingest.metrics import EngineMetrics, Unread
from firnline_ingest.shard.receipt import Receipt, ShardState
from firnline_ingest.snowflake.target import TargetCatalog
from firnline_ingest.spark.background_call import BackgroundCall
from firnline_ingest.spark.beginning import NOTHING_NEW, bound_ms, log_started, pipelines_at_start
from firnline_ingest.spark.epoch import EpochRunner
from firnline_ingest.spark.errors import EpochDefect, EpochOverdue, EpochStuck, QueryFailed, SparkGone, StreamsPaused
from firnline_ingest.spark.oversize import OversizeRounds
from firnline_ingest.spark.policy import ShardPolicy, describe
from firnline_ingest.spark.query import OnEpoch, SparkQuery, epoch_failure
from firnline_ingest.spark.report import EpochReport
from firnline_ingest.spark.retry_budget import RetryBudget
from firnline_ingest.spark.shown import EngineReporter, ShownRun
from firnline_ingest.spark.signals import EndingSignals
from firnline_ingest.spark.standing_by import StandingBy
from firnline_ingest.spark.watchdog import EpochPace, EpochWatch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LOOK_S = 1.0
STOP_S = 180.0  # for the epoch at hand, after a stop was asked for: tasks flush, and prove their last rows
CANCELLED_S = 30.0  # for the same, after its job was cancelled
SILENT_S = 300.0  # an answer of the JVM is a matter of milliseconds
REPORT_S = 5.0  # for the last one, which nothing depends on
OVERSIZE_S = 3600.0  # for the rows that go by file when a bounded run is done; what is left stays a dead letter
CLOSE_S = 60.0  # for the query, and for Spark
PLANS_TO_BE_DONE = 2  # of a bounded run: one listing may leave out shards that were not begun
SUCCESS, FAILED, DISPLACED = 0, 4, 5

log = logging.getLogger(__name__)


class Query(Protocol):
    """SparkQuery, as the job uses it."""

    def prepare(self, run_id: str, catalog: TargetCatalog, ledger: Ledger) -> None: ...
    def open(self) -> "SparkSession": ...
    def start(self, on_epoch: OnEpoch) -> None: ...
    def failure(self) -> FirnlineError | None: ...
    def cancel_jobs(self) -> None: ...
    def progress(self) -> dict[str, int]: ...
    def end(self) -> None: ...
    def close(self) -> None: ...
    def kill(self) -> None: ...


class EngineJob:
    """One run, once.

    `run` returns an exit status: 0 done or stopped, 4 something failed, 5 another engine has taken over, 128 and a signal's
    number where one ended the run before everything was proven.
    """

    def __init__(
        self,
        config: EngineConfig,
        ledger: Ledger,
        *,
        is_bounded: bool = False,
        until: datetime | None = None,
        signals: EndingSignals | None = None,
        standby_s: float | None = None,
        new_query: Callable[[EngineConfig, Callable[[int], None]], Query] = SparkQuery,
        new_runner: Callable[..., EpochRunner] = EpochRunner,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.has_loose_ends = False
        """Something still hangs: the process has to be ended, not left."""
        self._config = config
        self._ledger = ledger
        self._is_bounded = is_bounded
        self._until = until
        self._standby_s = standby_s
        self._signals = signals or EndingSignals()
        self._over = self._signals.ending
        run = new_run(config.content_hash)
        self._lease = RunLease(ledger, config.application, run, sleep=self._over.wait, every_s=BEAT_S)
        self._heart = Heartbeat(self._lease, self._over.set, every_s=BEAT_S)
        self._query = new_query(config, self._signals.heard)
        self._new_runner = new_runner
        self._runner: EpochRunner | None = None
        self._policy = ShardPolicy(config.failures, clock)
        self._report = EpochReport()
        self._shown = ShownRun(ledger, run.run_id)
        self._reporter = EngineReporter(ledger, run, is_ours=self._heart.is_ours)
        self._oversize = OversizeRounds(config, ledger, self._heart.is_ours, is_wanted=self._takes_oversize_rows)
        self._reporter.beside, self._oversize.loads = self._oversize.problems, self._reporter.loads
        self._metrics = EngineMetrics(config.metrics, config.application)
        self._watch = EpochWatch(config.epoch.seconds, clock)
        self._epochs = RetryBudget(config.failures.patience_seconds, clock)
        self._queries = RetryBudget(config.failures.patience_seconds, clock)
        self._failure: FirnlineError | None = None
        self._plans_without_work = 0
        self._is_unproven = False  # the epoch at hand did not end, or the last one failed
        self._is_started = self._has_begun = self._is_done = False
        self._looks = 0
        self._running = threading.Lock()  # held by an epoch while it runs
        self._left = threading.Event()

    def run(self) -> int:
        """Raises what keeps the engine from starting; says why it ended in its last log lines otherwise."""
        with self._signals:
            catalog = TargetCatalog(self._config)
            if self._over.is_set() or not self._hold(catalog):
                return SUCCESS
            self._heart.start()
            self._reporter.began()
            try:
                self._drive(BackgroundCall("spark", lambda: self._run_query(catalog)))
            except FirnlineError as error:
                self._failure = self._failure or error
                self._leave()
                raise
            finally:
                self._left.set()
                self._heart.stop()
                self._metrics.close()
                if not self._heart.is_displaced:
                    BackgroundCall("report", lambda: self._reporter.ended(self._failure)).wait(REPORT_S)
                    self._lease.end()
                self._close_spark()
                self.has_loose_ends |= not BackgroundCall("catalog-close", catalog.close).wait(LOOK_S)
                self.has_loose_ends |= self._oversize.is_at_work
        return self._exit_status()

    @property
    def _takes_oversize_rows(self) -> bool:
        """A drain takes in nothing new, and waits for no load."""
        return self._config.goes_by_file and self._until != NOTHING_NEW

    def _hold(self, catalog: TargetCatalog) -> bool:
        """Returns whether the application is ours: now, or after a time beside the engine that has it (spark/standing_by.py)."""
        run = self._lease.run
        if self._standby_s is None or was_let_in(self._ledger, run.start):
            return self._lease.begin()
        standby = StandingBy(self._ledger, self._lease, self._standby_s, self._over.wait, BEAT_S)
        is_ours = False
        try:
            prepare = BackgroundCall("prepare", lambda: self._query.prepare(run.run_id, catalog, self._ledger))
            is_ours = standby.until_it_is_ours(prepare)
        finally:
            if not is_ours:
                self._leave()
        return is_ours

    def _run_query(self, catalog: TargetCatalog) -> None:
        self._start(catalog)
        self._is_started = True
        while not self._over.wait(LOOK_S):
            self._look_after_query()
            self._looks += 1

    def _start(self, catalog: TargetCatalog) -> None:
        pipelines = pipelines_at_start(self._config, self._over.wait)
        arrival_ms = bound_ms(self._config, pipelines, self._over.wait, self._until) if self._is_bounded else None
        session = self._query.open()
        if self._over.is_set():
            return
        run_id = self._lease.run.run_id
        self._runner = self._new_runner(
            session,
            self._config,
            run_id,
            catalog,
            arrival_ms,
            self._policy.leaves_out,
            self._planned,
            self._ledger,
            self._reporter.reported.of,
        )
        log_started(self._config, run_id)
        self._reporter.started()
        if self._oversize.is_wanted:
            BackgroundCall("oversize", lambda: self._oversize.run(self._over))
        self._query.start(self._epoch)

    def _look_after_query(self) -> None:
        error = self._query.failure()
        if error is None:
            return
        log.warning("query.failed", extra=describe(error))
        self._reporter.failed(error)
        if self._queries.failed() or not isinstance(error, QueryFailed):
            self._end_with(error)
        elif not self._over.wait(self._queries.pause_s):
            try:
                self._query.start(self._epoch)
            except FirnlineError as again:
                log.warning("query.failed", extra=describe(again))  # the next look finds it

    # Spark's threads

    def _planned(self, shards: Sequence[Unread]) -> None:
        self._metrics.planned(shards)
        self._reporter.reported.planned(each.key for each in shards)

    def _epoch(self, planned: "DataFrame", batch_id: int) -> None:
        """Runs an epoch; never raises: what fails here is either waited out, or ends the run from the main thread."""
        with self._running:
            self._has_begun = True
            if not self._over.is_set():
                self._heart.look()  # tasks hear of a stop in the ledger too, and Spark then begins the next epoch at once
            if not self._over.is_set() and self._runner is not None:
                self._watch.began(batch_id)
                try:
                    receipts = self._runner.run(planned)
                except Exception as error:
                    failure = epoch_failure(error)
                    if isinstance(failure, EpochDefect) and not self._epochs.in_a_row:
                        log.exception("epoch.defect")
                    self._epoch_failed(batch_id, failure)
                else:
                    self._is_unproven = False
                    self._epochs.passed()
                    self._queries.passed()
                    self._judge(receipts)
                finally:
                    self._watch.ended()
            if not self._heart.is_ours():
                self._left.wait()  # Spark must not write the epoch into a checkpoint that is another engine's now

    def _epoch_failed(self, batch: int, error: FirnlineError) -> None:
        if self._watch.is_cancelled:
            error = EpochOverdue(batch, self._watch.lasted_s, error.what)
        self._is_unproven = True
        log.warning("epoch.failed", extra={"batch": batch, **describe(error)})
        self._reporter.failed(error)
        if self._epochs.failed() or not error.is_retryable:
            self._end_with(error)
        self._over.wait(self._epochs.pause_s)

    def _judge(self, receipts: list[Receipt]) -> None:
        receipts = self._reporter.counted(receipts)
        self._oversize.look(receipts)
        self._shown.write(receipts)
        self._policy.judge(receipts)
        self._report.write(receipts, self._policy.stopped)
        self._metrics.write(receipts, self._policy.stopped)
        self._reporter.epoch_ended(
            receipts, self._policy.stopped, self._policy.clock()
        )  # last: what it has is not sent again
        self._plans_without_work = 0 if self._policy.is_anything_left else self._plans_without_work + 1
        is_without_work = self._plans_without_work >= PLANS_TO_BE_DONE or self._policy.has_all_stopped
        is_done = self._is_bounded and is_without_work
        self._is_done |= is_done
        if self._policy.ends_the_run or is_done:
            self._over.set()
        self._over.wait(self._policy.pause_s)

    # The main thread

    def _drive(self, spark: "BackgroundCall[None]") -> None:
        silent_s, looks = 0.0, 0
        while not self._over.wait(LOOK_S):
            if spark.failure is not None:
                raise spark.failure
            silent_s = silent_s + LOOK_S if self._is_started and self._looks == looks else 0.0
            looks = self._looks
            if silent_s > SILENT_S:
                self._end_with(SparkGone(f"it has not answered for {SILENT_S:.0f} s"))
            self._look_after_epoch()
        if self._heart.failure is not None:
            self._end_with(self._heart.failure)
        is_starting = not self._is_started and not self._has_begun
        if self._heart.is_displaced or is_starting or isinstance(self._failure, SparkGone):
            self._leave()
            return
        log.info("engine.stopping", extra={"application": self._config.application})
        has_ended = self._let_epoch_end()
        self._is_unproven |= not has_ended
        if not has_ended or not BackgroundCall("query-end", self._query.end).wait(CLOSE_S, self._signals.at_once):
            self._leave()
        elif self._is_done:
            self._replay_the_last()

    def _replay_the_last(self) -> None:
        """A bounded run ends with the rows in the table that no channel takes, or says how many are not."""
        last = BackgroundCall("oversize-last", self._oversize.last_round)
        give_up_s = time.monotonic() + OVERSIZE_S
        while not last.wait(LOOK_S) and time.monotonic() < give_up_s:
            if self._signals.number is not None or self._heart.is_displaced:
                break
        self._oversize.conclude()
        if receipts := self._oversize.untold():
            self._report.write(receipts, self._policy.stopped)
            self._metrics.write(receipts, self._policy.stopped)

    def _close_spark(self) -> None:
        """Closes Spark after the application was given back: an engine that waits for it does not wait for Spark's end."""
        if not self.has_loose_ends and not BackgroundCall("spark-end", self._query.close).wait(
            CLOSE_S, self._signals.at_once
        ):
            self._leave()

    def _leave(self) -> None:
        """Leaves without waiting for Spark: nothing that it might still do is wanted, or it does not answer."""
        self.has_loose_ends = True
        self._query.kill()

    def _look_after_epoch(self) -> None:
        match self._watch.look():
            case EpochPace.LATE:
                log.warning("epoch.late", extra=self._known())
            case EpochPace.OVERDUE:
                log.error("epoch.overdue", extra=self._known())
                BackgroundCall("cancel", self._query.cancel_jobs).wait(LOOK_S)
            case EpochPace.STUCK:
                faulthandler.dump_traceback(sys.__stderr__ or 2)
                self._end_with(EpochStuck(self._watch.batch or 0, self._watch.lasted_s))
            case EpochPace.FINE:
                pass

    def _known(self) -> dict[str, object]:
        progress = BackgroundCall("progress", self._query.progress)
        progress.wait(LOOK_S)
        return {"batch": self._watch.batch, "lasts_s": round(self._watch.lasted_s), **(progress.result or {})}

    def _let_epoch_end(self) -> bool:
        """Returns whether it has; within a bound. Tasks watch the ledger too: they prove their last rows and return early."""
        asked = BackgroundCall("stop", lambda: self._ledger.request_stop(self._lease.run.run_id))
        if asked.wait(STOP_S, self._signals.at_once) and isinstance(asked.failure, FirnlineError):
            log.warning("ledger.unreachable", extra=describe(asked.failure))
        if self._has_ended(STOP_S):
            return self._finish()
        log.error("epoch.overdue", extra=self._known())
        BackgroundCall("cancel", self._query.cancel_jobs).wait(LOOK_S)
        return self._has_ended(CANCELLED_S)

    def _finish(self) -> bool:
        """Shards are read on between two epochs: the last rows of such a time are proven too."""
        if self._runner is None or self._heart.is_displaced:
            return True
        finishing = BackgroundCall("finish", self._runner.finish)
        if not finishing.wait(STOP_S, self._signals.at_once) or finishing.failure is not None:
            return False
        receipts = self._reporter.counted(finishing.result or [])
        self._oversize.look(receipts)
        self._report.write(receipts, self._policy.stopped)
        self._metrics.write(receipts, self._policy.stopped)
        self._reporter.finished(receipts)
        return all(receipt.state not in (ShardState.FAILED, ShardState.LATE) for receipt in receipts)

    def _has_ended(self, seconds: float) -> bool:
        give_up_s = time.monotonic() + seconds
        while not self._running.acquire(timeout=LOOK_S):
            if time.monotonic() > give_up_s or self._signals.at_once.is_set() or self._heart.is_displaced:
                return False
        self._running.release()  # whatever Spark begins now does nothing, and has to come back before Spark can end
        return True

    def _end_with(self, error: FirnlineError) -> None:
        self._failure = self._failure or error
        self._over.set()

    def _exit_status(self) -> int:
        if self._failure is not None:
            log.error("engine.failed", extra=describe(self._failure))
            return DISPLACED if self._heart.is_displaced else FAILED
        if self._is_unproven or self._policy.failing:
            log.error("engine.unproven", extra={"shards": self._policy.failing})
            return self._signals.exit_status or FAILED
        if self._policy.stopped:
            log.error("engine.incomplete", extra={"stopped": self._policy.reasons})
            return FAILED
        return self._status_beside_paused() if self._is_bounded else SUCCESS

    def _status_beside_paused(self) -> int:
        """A bounded run says that it took in everything; no plan has a paused stream."""
        try:
            marks = {stream: self._ledger.mark(stream) for stream in self._ledger.begun_streams()}
        except FirnlineError as error:
            log.error("engine.incomplete", extra=describe(error))
            return FAILED
        paused = [
            stream for stream, mark in marks.items() if mark and mark.is_paused and self._config.find_pipeline(stream)
        ]
        if paused:
            log.error("engine.incomplete", extra=describe(StreamsPaused(sorted(paused))))
        return FAILED if paused else SUCCESS
