"""Errors of Spark's side of a run."""

from collections.abc import Sequence

from firnline_ingest.errors import Fatal, FirnlineError, Retryable, declared

STARTED_AGAIN = (
    "nothing: it is started again. If it lasts, the run ends with this: look at the checkpoint's storage, and at the log before "
    "this line."
)
CONNECT_BACK = "connect back"
"""In Spark's words for a Python process that has not reported within its time."""
TOO_BUSY = (
    "nothing: it is started again. The machine of the driver was too busy to start a Python process in time. Spark waits ten "
    "seconds for the source's process, which no setting changes, and spark.python.authenticate.socketTimeout for the others. "
    "If it lasts, the run ends with this: give the driver more CPU, or take other work from its machine."
)


class SourceFailed(FirnlineError, Fatal):
    """Planning failed in the source's own process, for good; Spark hands over its words only."""

    id = "FL-1200"
    causes = "Planning an epoch failed for good, in the source's own process"
    remedy = "the message carries the cause's own id"


@declared
class QueryFailed(FirnlineError, Retryable):
    """Spark ended the query; it is started again from its checkpoint."""

    cause: str

    id = "FL-1201"
    message = "Spark's query failed: {cause}"
    next_step = "{advice}"
    causes = (
        "Spark ended the query: the checkpoint's storage, another query that writes to it, or a driver's machine so busy that "
        "a Python process does not start within ten seconds (`connect back`)"
    )
    remedy = "nothing, unless it lasts: then the run ends with it"

    @property
    def advice(self) -> str:
        return TOO_BUSY if CONNECT_BACK in self.cause else STARTED_AGAIN


@declared
class SparkGone(FirnlineError, Fatal):
    """Spark's JVM is not there any more."""

    cause: str

    id = "FL-1202"
    message = "Spark's JVM has ended, and the engine can't go on without it ({cause})."
    next_step = (
        "start the engine again: it goes on after what is proven. Find out who ended the JVM: the kernel for want of "
        "memory (dmesg), a supervisor, spark-submit."
    )
    causes = "The driver's JVM was killed, or spark-submit ended before the engine"
    remedy = "start again; `dmesg` tells of the kernel's want of memory"


@declared
class SparkJobFailed(FirnlineError, Retryable):
    """The Spark job of an epoch failed: tasks died more often than they are tried."""

    cause: str

    id = "FL-1203"
    message = "An epoch's Spark job failed: {cause}"
    next_step = (
        "nothing is lost, and the next epoch is tried; if it lasts, look at the executors: are they killed for want "
        "of memory (spark.executor.memory, spark.executor.memoryOverhead), or lost?"
    )
    causes = "A task died eight times, or an executor was lost for good"
    remedy = "the executors' memory; the next epoch is tried by itself"


class EpochDefect(FirnlineError, Retryable):
    """The driver's own part of an epoch failed in a way that was not foreseen; it is tried again all the same."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(
            f"{type(cause).__name__}: {cause}",
            next_step="this is a defect of ours: please report it, with the trace that is in the log.",
        )


@declared
class EpochOverdue(FirnlineError, Retryable):
    """An epoch did not end; its job was cancelled."""

    batch: int
    seconds: float
    known: str

    id = "FL-1204"
    message = "Epoch {batch} had not ended after {seconds:.0f} s, and its Spark job was cancelled ({known})."
    next_step = (
        "nothing is lost, and the next epoch is tried; if it lasts, look at the executor of the task that did not "
        "return: a process that is stopped, a machine that swaps, a disk that hangs."
    )
    causes = "A task did not return in five times the epoch's length and a minute's grace; its job was cancelled"
    remedy = "the executor that `epoch.late` tells of: stopped, swapping, a disk that hangs"


@declared
class EpochStuck(FirnlineError, Fatal):
    """An epoch does not end although its job was cancelled: the driver itself hangs."""

    batch: int
    seconds: float

    id = "FL-1205"
    message = "Epoch {batch} has not ended after {seconds:.0f} s, nor by cancelling its Spark job: the driver hangs."
    next_step = (
        "start the engine again: it goes on after what is proven. If it happens again, send us the stacks that the "
        "driver wrote into its log before it ended."
    )
    causes = "The driver itself hangs; it wrote its threads' stacks into the log and ended"
    remedy = "start again; send us the stacks"


@declared
class StreamsPaused(FirnlineError, Fatal):
    """A bounded run has taken in everything but streams that a person had paused: these it did not read."""

    streams: Sequence[str]

    id = "FL-1212"
    message = "The run is done with every stream but what is paused, which it did not read: {streams}."
    next_step = (
        "resume each (firnline pipeline resume ENV STREAM), and run it again: what is done is not read twice. "
        "If it was a drain before a change of format, keep the configuration until then."
    )
    causes = (
        "A drain, `--available-now` or `--until` ran while a stream was paused: it was not read. The others are done"
    )
    remedy = "`firnline pipeline resume ENV STREAM`, then the same run again"


@declared
class SparkUnstartable(FirnlineError, Fatal):
    """Spark refused to start, or to start the query."""

    cause: str

    id = "FL-1206"
    message = "Spark did not start: {cause}"
    next_step = (
        "look at what Spark wrote before this line; spark.master, spark.conf and spark.checkpoint in the configuration are "
        "handed to it as they are."
    )
    causes = "Spark refused its settings, its master or the checkpoint"
    remedy = "`spark` in the configuration is handed over as it is"


@declared
class QueryNotNarrow(FirnlineError, Fatal):
    """A pipeline's query can't be run between a shard's records and its channel."""

    stream: str
    problems: Sequence[str]

    id = "FL-1213"
    message = "The query of {stream} can't be run row by row, exactly once: {problems:; }."
    next_step = (
        "change what is named. A join, an aggregate or a window needs several records together: it belongs behind "
        "the table (a dynamic table), or into a query of your own (docs/which-lane.md)."
    )
    causes = (
        "A pipeline's `query` has a shuffle, drops or makes up `_position`, reads something else than its rows, or gives another "
        "value each time; or Spark can't analyze it"
    )
    remedy = "change what the message names (docs/query.md); its stream is not read until then, and the others are"


@declared
class QueryRoundFailed(FirnlineError, Retryable):
    """Spark's job over pages of a pipeline failed, mostly because its query raised an error on a record."""

    stream: str
    cause: str
    words: str = ""
    """Words of what was raised, without the task and the machine where it was."""

    id = "FL-1214"
    message = "Spark could not run the query of {stream} over the records at hand: {cause}"
    next_step = (
        "nothing of these records is in the table, and none is passed over: they are read again. If the query fails on every "
        "record, correct it; a value that few records have makes them dead letters, and does not end here. If its UDF asks a "
        "service, look at that; else at the executors."
    )
    causes = (
        "A pipeline's `query` raises an error on every record at hand (a UDF whose service is away), or executors are lost again "
        "and again"
    )
    remedy = (
        "correct the query, or what its UDF asks; a record on which it alone fails is a dead letter (docs/query.md). Nothing was "
        "taken in or passed over"
    )

    @property
    def was_cancelled(self) -> bool:
        """Returns whether the job did not end by itself: its epoch was long over (FL-1204)."""
        return "[SPARK_JOB_CANCELLED]" in self.cause
