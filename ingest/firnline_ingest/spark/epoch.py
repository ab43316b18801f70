"""One epoch, on the driver: what the source planned, in groups, as one Spark job; the receipts come back.

Spark calls `run` once a batch (foreachBatch). A replayed batch is safe: every shard is reconciled at its open.
"""

import json
import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from firnline_ingest.config import EngineConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.shard.receipt import Receipt, ShardProblem
from firnline_ingest.snowflake.target import TargetCatalog, TargetState
from firnline_ingest.spark.assignment import Assignment, PlannedShard
from firnline_ingest.spark.columns import ColumnWatch
from firnline_ingest.spark.placement import executor_locations, placed, run_in_own_workers
from firnline_ingest.spark.planner import PlanRow
from firnline_ingest.spark.task import ingest_partition
from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

log = logging.getLogger(__name__)


@dataclass(slots=True)
class EpochRunner:
    """The driver's half of an epoch; `skips` says which shards a bounded run is done with."""

    spark: "SparkSession"
    config: EngineConfig
    run_id: str
    catalog: TargetCatalog
    arrival_ms: int | None = None
    skips: Callable[[ShardKey], bool] = lambda _: False
    columns: ColumnWatch = field(default_factory=ColumnWatch)

    def run(self, planned: "DataFrame") -> list[Receipt]:
        """A receipt a shard, and one without a shard for each pipeline that can't go on. Raises what no pipeline can be
        blamed for: the session's refusal.
        """
        rows = [PlanRow(**row.asDict()) for row in planned.collect()]
        shards, refused = self._with_targets([row for row in rows if not row.problem])
        refused = [_refused(row) for row in rows if row.problem] + refused
        return refused + self._ingest([shard for shard in shards if not self.skips(shard.key)])

    def _ingest(self, shards: Sequence[PlannedShard]) -> list[Receipt]:
        if not shards:
            return []
        context = self.spark.sparkContext
        groups = grouped(shards, slots=context.defaultParallelism, most=self.config.epoch.shards_per_task)
        assignments = [self._assignment(group).to_json() for group in groups]
        answers = run_in_own_workers(
            context, ingest_partition, placed(context, assignments, executor_locations(context))
        )
        return [Receipt.from_dict(json.loads(answer)) for answer in answers]

    def _with_targets(self, rows: Sequence[PlanRow]) -> tuple[list[PlannedShard], list[Receipt]]:
        """Asks Snowflake about each table once an epoch: a table that was replaced is seen before it is written to."""
        epochs = {row.stream: row.epoch for row in rows}
        states = self.catalog.states([self.config.pipeline_of(stream) for stream in epochs])
        self.columns.look(self.catalog, [state for state in states.values() if isinstance(state, TargetState)])
        shards, refused = list[PlannedShard](), list[Receipt]()
        for stream, state in states.items():
            if isinstance(state, FirnlineError):
                refused.append(Receipt.of_pipeline(stream, epochs[stream], ShardProblem.of(state)))
            else:
                shards += [PlannedShard.of(row, state.target) for row in rows if row.stream == stream]
        return shards, refused

    def _assignment(self, group: Sequence[PlannedShard]) -> Assignment:
        return Assignment(self.config, self.run_id, tuple(group), self.config.epoch.seconds, self.arrival_ms)


def _refused(row: PlanRow) -> Receipt:
    return Receipt.of_pipeline(row.stream, row.epoch, ShardProblem(**json.loads(row.problem)))


def grouped(shards: Sequence[PlannedShard], *, slots: int, most: int) -> list[list[PlannedShard]]:
    """At most one task a slot, because tasks that wait would hold their shards' records back for a whole epoch.

    A shard stays in its group as long as the plan is the same.
    """
    ordered = sorted(shards, key=lambda shard: (shard.stream, shard.shard))
    count = max(1, min(slots, math.ceil(len(ordered) / most)))
    return [ordered[n::count] for n in range(count)]
