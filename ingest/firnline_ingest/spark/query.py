"""Spark's side of a run: the session, the streaming query, its jobs, and what becomes of them.

Everything here may block for as long as Spark likes; the job (spark/job.py) calls it from threads that it does not wait for.
"""

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark.errors import PySparkException

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import Fatal, FirnlineError
from firnline_ingest.ledger.backend import PlanLedger
from firnline_ingest.snowflake.target import TargetCatalog
from firnline_ingest.spark.checkpoint import opened_by
from firnline_ingest.spark.errors import (
    EpochDefect,
    QueryFailed,
    SourceFailed,
    SparkGone,
    SparkJobFailed,
    SparkUnstartable,
)
from firnline_ingest.spark.executor_warmup import warm_up
from firnline_ingest.spark.jvm import is_jvm_gone, kill_jvm
from firnline_ingest.spark.source import FORMAT, ShardPlanSource
from firnline_ingest.spark.spark_session import new_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

OnEpoch: TypeAlias = "Callable[[DataFrame, int], None]"
CUT_OFF = (Py4JNetworkError, OSError, EOFError)
"""What a call into a JVM raises that is not there any more."""
LONGEST_CAUSE = 1000  # characters

log = logging.getLogger(__name__)


@dataclass(slots=True)
class SparkQuery:
    """One query on one session; Spark starts with `open`."""

    config: EngineConfig
    heard: Callable[[int], None]
    """Called with the signals that the JVM got in our place."""
    _session: "SparkSession | None" = None
    _query: "StreamingQuery | None" = None

    def prepare(self, run_id: str, catalog: TargetCatalog, ledger: PlanLedger) -> None:
        """Starts Spark, and all that the run will need before its first record. Raises as `open`, and what Snowflake refuses."""
        session = self.open()
        with _explained():
            warm_up(session, self.config, run_id, catalog, ledger)

    def open(self) -> "SparkSession":
        """Opens the session, once. Raises SparkUnstartable, or SparkGone."""
        if self._session is not None:
            return self._session
        with _explained():
            self._session = new_session(self.config, self.heard)
            self._look_at_checkpoint(self._session)
            self._session.dataSource.register(ShardPlanSource)
        return self._session

    def _look_at_checkpoint(self, session: "SparkSession") -> None:
        """Checks that this Spark knows the checkpoint's kind at all: its own message about that names no cause."""
        if "://" in self.config.spark.checkpoint:
            java: Any = session
            opened_by(java._jvm, java._jsc.hadoopConfiguration(), self.config.spark.checkpoint)

    def start(self, on_epoch: OnEpoch) -> None:
        """Goes on from the checkpoint; again after the query has failed."""
        assert self._session is not None
        options = self.config.model_dump_json(by_alias=True)
        with _explained():
            planned = self._session.readStream.format(FORMAT).option("config", options).load()
            writer = planned.writeStream.queryName(self.config.application).foreachBatch(on_epoch)
            self._query = writer.option("checkpointLocation", self.config.spark.checkpoint).start()

    def failure(self) -> FirnlineError | None:
        """Returns why the query runs no more; None while it does."""
        if self._query is None:
            return None
        try:
            error = self._query.exception()
            if error is None and self._query.isActive:
                return None
        except (Py4JError, OSError) as lost:
            return SparkGone(in_short(lost))
        return query_failure(str(error or "it ended without a reason"))

    def cancel_jobs(self) -> None:
        if self._session is not None:
            self._session.sparkContext.cancelAllJobs()

    def progress(self) -> dict[str, int]:
        """The tasks of the jobs at hand, as far as Spark tells."""
        counts = {"tasks": 0, "completed": 0, "active": 0, "failed": 0}
        if self._session is None:
            return counts
        with suppress(Py4JError, OSError):
            tracker = self._session.sparkContext.statusTracker()
            for stage in map(tracker.getStageInfo, tracker.getActiveStageIds()):
                if stage is not None:
                    counts["tasks"] += stage.numTasks
                    counts["completed"] += stage.numCompletedTasks
                    counts["active"] += stage.numActiveTasks
                    counts["failed"] += stage.numFailedTasks
        return counts

    def end(self) -> None:
        """Ends the query, which leaves the checkpoint alone from then on; a JVM that has gone already has ended it."""
        _stop(self._query)

    def close(self) -> None:
        """Ends what is left of query and session."""
        _stop(self._query)
        _stop(self._session)

    def kill(self) -> None:
        """Ends Spark at once, without asking it."""
        kill_jvm()


def _stop(end: "StreamingQuery | SparkSession | None") -> None:
    try:
        if end is not None:
            end.stop()
    except (Py4JError, PySparkException, OSError) as error:
        log.warning("spark.unended", extra={"cause": in_short(error)})


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except FirnlineError:
        raise
    except Exception as error:
        kind = SparkGone if is_jvm_gone() or isinstance(error, CUT_OFF) else SparkUnstartable
        raise kind(in_short(error)) from error


def epoch_failure(error: Exception) -> FirnlineError:
    """An epoch's failure as an error of ours: our own as it is, Spark's as a job that failed, any other as a defect."""
    if isinstance(error, FirnlineError):
        return error
    is_sparks = isinstance(error, (Py4JError, PySparkException, *CUT_OFF))
    return SparkJobFailed(in_short(error)) if is_sparks else EpochDefect(error)


def in_short(error: Exception) -> str:
    """The first words of what Java or Python says, without its stack."""
    if isinstance(error, Py4JJavaError):
        java: Any = error.java_exception
        with suppress(Py4JError, OSError):
            return first_lines(str(java.toString()))
    inmost: Any = error
    while (cause := getattr(inmost, "_cause", None)) is not None:  # as PySpark keeps Java's
        inmost = cause
    because = "" if inmost is error else f" (because of {first_lines(str(inmost))})"
    return first_lines(f"{type(error).__name__}: {error}")[: LONGEST_CAUSE - len(because)] + because


def first_lines(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("at ")]
    return " ".join(lines)[:LONGEST_CAUSE]


def query_failure(text: str) -> FirnlineError:
    """Finds our own error in the text that Spark made of it; what passes, and what is Spark's own, is tried again."""
    found = re.search(r"\[(FL-\d+)\] (.*?)\n\s+Next: (.*?)(?:\n|$)", text, re.DOTALL)
    if found is not None and _is_fatal(found[1]):
        return SourceFailed(f"Planning failed ({found[1]}): {found[2]}", next_step=found[3])
    return QueryFailed(f"{found[1]}: {found[2]}" if found else first_lines(text))


def _is_fatal(error_id: str) -> bool:
    kinds = [FirnlineError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    return any(kind.id == error_id and issubclass(kind, Fatal) for kind in kinds)
