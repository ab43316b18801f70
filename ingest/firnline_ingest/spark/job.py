"""The engine's run from start to end: hold the application's name, drive the query, stop when asked or done.

The main thread beats and listens; Spark's own thread runs the epochs through `_epoch`.
"""

import logging
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING

from firnline_ingest.config import EngineConfig
from firnline_ingest.errors import FirnlineError, LedgerError
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.pin import server_time_ms
from firnline_ingest.ledger.backend import Ledger
from firnline_ingest.ledger.lease import RunLease
from firnline_ingest.shard.receipt import Receipt
from firnline_ingest.snowflake.target import TargetCatalog
from firnline_ingest.spark.epoch import EpochRunner
from firnline_ingest.spark.policy import ShardPolicy, describe
from firnline_ingest.spark.source import FORMAT, ShardPlanSource
from firnline_ingest.spark.spark_session import new_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

BEAT_S = 1.0
SUCCESS, FAILED, SHARD_FAILED = 0, 2, 4
ENDING = (signal.SIGTERM, signal.SIGINT)

log = logging.getLogger(__name__)


class SourceFailed(FirnlineError):
    """Planning failed in the source's own process; Spark hands over its words only."""

    id = "FL-1200"


@dataclass(slots=True)
class EngineJob:
    """One run. `run` returns an exit status: 0 done or stopped, 2 refused, 4 a shard failed."""

    config: EngineConfig
    ledger: Ledger
    is_bounded: bool = False
    _policy: ShardPolicy = field(default_factory=ShardPolicy)
    _over: threading.Event = field(default_factory=threading.Event)
    _running: threading.Lock = field(default_factory=threading.Lock)
    """Held by an epoch while it runs."""
    _failure: FirnlineError | None = None
    _runner: EpochRunner | None = None
    _fingerprints: tuple[str, ...] = ()

    def run(self) -> int:
        """Raises what keeps the engine from starting."""
        lease = RunLease(self.ledger, self.config.application)
        lease.begin()
        catalog = TargetCatalog(self.config)
        try:
            arrival_ms = self._bound_ms() if self.is_bounded else None
            with self._hearing_signals():
                spark = new_session(self.config)
                self._hear_signals()  # SparkContext has taken SIGINT for itself
                try:
                    self._runner = EpochRunner(
                        spark, self.config, lease.run.run_id, catalog, arrival_ms, self._policy.finished.__contains__
                    )
                    log.info("engine.started", extra={"application": self.config.application, "run": lease.run.run_id})
                    self._drive(self._start_query(spark), lease)
                finally:
                    spark.stop()
        finally:
            catalog.close()
            lease.end()
        return self._exit_status()

    def _bound_ms(self) -> int:
        """A second later than the service's clock says, which tells whole seconds."""
        client = kinesis_client(self.config.aws)
        return max(server_time_ms(client, pipeline.stream) for pipeline in self.config.pipelines) + 1000

    def _start_query(self, spark: "SparkSession") -> "StreamingQuery":
        spark.dataSource.register(ShardPlanSource)
        planned = spark.readStream.format(FORMAT).option("config", self.config.model_dump_json(by_alias=True)).load()
        writer = planned.writeStream.queryName(self.config.application).foreachBatch(self._epoch)
        return writer.option("checkpointLocation", self.config.spark.checkpoint).start()

    def _epoch(self, planned: "DataFrame", batch_id: int) -> None:
        """Never raises: what fails here is either waited out, or ends the run from the main thread."""
        with self._running:
            if self._over.is_set() or self._runner is None:
                return
            try:
                self._judge(self._runner.run(planned))
            except FirnlineError as error:
                log.warning("epoch.failed", extra={"batch": batch_id, **describe(error)})
                self._fail_unless_it_passes(error)
                self._over.wait(BEAT_S)

    def _judge(self, receipts: list[Receipt]) -> None:
        self._show_fingerprints(receipts)
        self._policy.judge(receipts)
        if self._policy.failures or (self.is_bounded and not receipts):
            self._over.set()
        self._over.wait(self._policy.pause_s)

    def _show_fingerprints(self, receipts: list[Receipt]) -> None:
        """In the run's row, where `firnline keys rotate` sees whether the old key is still in use."""
        found = tuple(sorted({receipt.fingerprint for receipt in receipts} - {""}))
        if not found or found == self._fingerprints or self._runner is None:
            return
        try:
            self.ledger.show_fingerprints(self._runner.run_id, found)
        except LedgerError as error:
            log.warning("engine.unheard", extra=describe(error))
        else:
            self._fingerprints = found

    def _fail_unless_it_passes(self, error: FirnlineError) -> None:
        if not error.is_retryable:
            self._failure = error
            self._over.set()

    def _drive(self, query: "StreamingQuery", lease: RunLease) -> None:
        """Beats until the run is over; then lets the epoch at hand end, and stops the query between two epochs."""
        try:
            while not self._over.wait(BEAT_S):
                if query.exception() is not None or not query.isActive:
                    raise _source_failure(query)
                self._beat(lease)
            self._let_epoch_end(lease)
        finally:
            query.stop()

    def _beat(self, lease: RunLease) -> None:
        try:
            if lease.beat() and not self._over.is_set():
                log.info("engine.stopping", extra={"application": self.config.application})
                self._over.set()
        except LedgerError as error:
            log.warning("engine.unheard", extra=describe(error))
            self._fail_unless_it_passes(error)

    def _let_epoch_end(self, lease: RunLease) -> None:
        """Tasks watch the ledger too: they prove their last rows and return early."""
        try:
            self.ledger.request_stop(lease.run.run_id)
        except LedgerError as error:
            log.warning("engine.unheard", extra=describe(error))
        while not self._running.acquire(timeout=BEAT_S):
            self._beat(lease)

    @contextmanager
    def _hearing_signals(self) -> Iterator[None]:
        """Also while Spark starts and ends, which takes seconds: the run's name is given back in any case."""
        previous = {number: signal.getsignal(number) for number in ENDING}
        self._hear_signals()
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)

    def _hear_signals(self) -> None:
        for number in ENDING:
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        log.info("engine.signalled", extra={"signal": signal.Signals(number).name})
        self._over.set()

    def _exit_status(self) -> int:
        if self._failure is not None:
            raise self._failure
        return SHARD_FAILED if self._policy.failures else SUCCESS


def _source_failure(query: "StreamingQuery") -> FirnlineError:
    """Finds our own error in the text that Spark made of it."""
    text = str(query.exception() or "the query ended without a reason")
    found = re.search(r"\[(FL-\d+)\] (.*?)\n\s+Next: (.*?)(?:\n|$)", text, re.DOTALL)
    if found is None:
        return SourceFailed(f"Spark's query failed: {text[:2000]}", next_step="read the driver's log for the cause.")
    return SourceFailed(f"Planning failed ({found[1]}): {found[2]}", next_step=found[3])
