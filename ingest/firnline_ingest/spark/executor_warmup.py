"""Everything that an engine starts once, before its first record: Spark, its executors' processes, a query, Snowflake's session.

Nothing is read of a stream, no channel is opened, nothing is written to the ledger or the checkpoint. What fails here would
have failed with the first epoch; what only takes long (an executor that has not come) is left to the epoch.
"""

import logging
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.backend import PlanLedger
from firnline_ingest.snowflake.target import TargetCatalog
from firnline_ingest.spark.assignment import Assignment
from firnline_ingest.spark.background_call import BackgroundCall
from firnline_ingest.spark.groups import Placement, place
from firnline_ingest.spark.placement import executor_slots, run_in_own_workers
from firnline_ingest.spark.source import FORMAT, WARM_UP
from firnline_ingest.spark.task import prepare_partition
from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EXECUTORS_S = 120.0
"""For executors that come, and their Python's imports; after that the first epoch waits for them."""
QUERY_S, CLOSE_S = 60.0, 60.0

log = logging.getLogger(__name__)


def warm_up(
    session: "SparkSession", config: EngineConfig, run_id: str, catalog: TargetCatalog, ledger: PlanLedger
) -> None:
    """Raises what no pipeline can be blamed for, and the first pipeline's problem where none is without one. What only makes the
    first epoch quicker may fail: it is reported.
    """
    check_tables(config, catalog)
    workers = BackgroundCall("warm-up-workers", lambda: prepare_workers(session, config, run_id, ledger))
    if not workers.wait(EXECUTORS_S):
        session.sparkContext.cancelAllJobs()
        log.warning("warm_up.late", extra={"cause": f"no executor was ready after {EXECUTORS_S:.0f} s"})
    query = BackgroundCall("warm-up-query", lambda: run_a_query(session))
    query.wait(QUERY_S + CLOSE_S)
    for failure in (workers.failure, query.failure):
        if isinstance(failure, FirnlineError):
            raise failure
        if failure is not None:
            log.warning("warm_up.failed", extra={"cause": str(failure)[:500]})


def check_tables(config: EngineConfig, catalog: TargetCatalog) -> None:
    """One pipeline that can't go on keeps no engine from running the others."""
    states = catalog.states(config.pipelines)
    problems = [state for state in states.values() if isinstance(state, FirnlineError)]
    for stream, state in states.items():
        if isinstance(state, FirnlineError):
            log.warning("warm_up.table", extra={"stream": stream, "problem": state.id, "what": state.what})
    if problems and len(problems) == len(states):
        raise problems[0]


def prepare_workers(session: "SparkSession", config: EngineConfig, run_id: str, ledger: PlanLedger) -> None:
    """The processes that the first epoch will meet, where the shards are those that the ledger knows."""
    slots = executor_slots(session.sparkContext)
    placement = place(Placement(), shards_of(config, ledger), slots=slots, most=config.epoch.shards_per_task)
    item = Assignment(config, run_id, (), config.epoch.seconds).to_json()
    run_in_own_workers(
        session.sparkContext,
        prepare_partition,
        [(group.number, group.executor, item) for group in placement.groups] or [(0, next(iter(slots)), item)],
    )


def shards_of(config: EngineConfig, ledger: PlanLedger) -> Sequence[ShardKey]:
    """The shards that have not ended, as far as the ledger knows."""
    marks = (ledger.mark(pipeline.stream) for pipeline in config.pipelines)
    return [
        row.key
        for mark in marks
        if mark is not None and not mark.is_paused
        for row in ledger.rows(mark.incarnation).values()
        if not row.ended
    ]


def run_a_query(session: "SparkSession") -> None:
    """One batch without work, through all that a query needs, in a checkpoint of its own on the driver's disk."""
    has_run = threading.Event()

    def batch(planned: "DataFrame", _: int) -> None:
        planned.collect()
        has_run.set()

    with _folder() as folder:
        planned = session.readStream.format(FORMAT).option(WARM_UP, "true").load()
        query = planned.writeStream.foreachBatch(batch).option("checkpointLocation", f"file://{folder}").start()
        try:
            if not has_run.wait(QUERY_S):
                log.warning("warm_up.late", extra={"cause": str(query.exception() or "no batch has begun")[:500]})
        finally:
            query.stop()


@contextmanager
def _folder() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="firnline-warm-up-", ignore_cleanup_errors=True) as folder:
        yield folder
