"""One epoch, on the driver: what the source planned, in groups, as one Spark job; the receipts come back.

Spark calls `run` once a batch (foreachBatch). A replayed batch is safe: every shard is reconciled at its open.
"""

import json
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import FirnlineError, SnowflakeError
from firnline_ingest.ledger.backend import ColumnLedger
from firnline_ingest.ledger.row import RunningTotals
from firnline_ingest.metrics import Unread
from firnline_ingest.shard.receipt import Receipt, ShardProblem, ShardState, Tally
from firnline_ingest.snowflake.target import TargetCatalog, TargetState
from firnline_ingest.spark.assignment import Assignment, PlannedShard
from firnline_ingest.spark.collisions import channels_of_two
from firnline_ingest.spark.columns import ColumnWatch
from firnline_ingest.spark.columns_by_hand import columns_made
from firnline_ingest.spark.groups import Placement, TooFewCores, place
from firnline_ingest.spark.pattern_watch import PatternWatch
from firnline_ingest.spark.placement import executor_slots, run_in_own_workers
from firnline_ingest.spark.planner import PlanRow
from firnline_ingest.spark.planner_daemons import end_own_idle_daemons
from firnline_ingest.spark.query_rounds import QueryEpochs, Task
from firnline_ingest.spark.table_watch import TableWatch
from firnline_ingest.spark.task import finish_partition, ingest_partition
from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(slots=True)
class EpochRunner:
    """The driver's half of an epoch; `skips` says which shards a bounded run is done with."""

    spark: "SparkSession"
    config: EngineConfig
    run_id: str
    catalog: TargetCatalog
    arrival_ms: int | None = None
    skips: Callable[[ShardKey], bool] = lambda _: False
    planned: Callable[[Sequence[Unread]], None] = lambda _: None
    """Called with every shard that there is, those that are skipped too."""
    ledger: ColumnLedger | None = None
    """Keeps what is noted of the tables' columns; nothing is without it."""
    reported: Callable[[ShardKey], RunningTotals | None] = lambda _: None
    """What was reported of a shard so far."""
    columns: ColumnWatch = field(default_factory=ColumnWatch)
    tables: TableWatch = field(default_factory=TableWatch)
    patterns: PatternWatch = field(init=False)
    queries: QueryEpochs = field(init=False)
    _placement: Placement = field(default_factory=Placement)
    """Of the last epoch."""
    _tasks: list[tuple[int, str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.patterns = PatternWatch(self.config)
        self.queries = QueryEpochs(self.spark, self.config)
        self.tables.notes.ledger = self.ledger
        self.columns.by_hand.makes = columns_made(self.config)

    def finish(self) -> list[Receipt]:
        """The run ends between two epochs: whatever shards the last one's processes still read prove what they sent."""
        if not self._tasks:
            return []
        answers = run_in_own_workers(self.spark.sparkContext, finish_partition, self._tasks)
        return [Receipt.from_dict(json.loads(answer)) for answer in answers]

    def run(self, planned: "DataFrame") -> list[Receipt]:
        """A receipt a shard, and one without a shard for each pipeline that can't go on."""
        rows = [PlanRow(**row.asDict()) for row in planned.collect()]
        self.planned([_unread(row) for row in rows if row.shard])
        self.patterns.look({row.stream for row in rows})
        shards, refused = self._with_targets([row for row in rows if not row.problem])
        refused = [_refused(row) for row in rows if row.problem] + refused
        unqueried = self.queries.prepare(
            {shard.stream for shard in shards}, lambda name: self.skips(ShardKey(name, 0, ""))
        )
        refused += self._without_rounds(unqueried, shards)
        to_read = [shard for shard in shards if not self.skips(shard.key) and shard.stream not in unqueried]
        receipts = self._ingest(to_read, waiting={receipt.stream for receipt in refused})
        self.columns.sighted(receipts)
        self.columns.count(refused + receipts)
        end_own_idle_daemons()  # what planned the query's start
        return refused + receipts

    def _ingest(self, shards: Sequence[PlannedShard], waiting: Collection[str]) -> list[Receipt]:
        """The shards of the streams that are `waiting` keep their places for when they come back."""
        if not shards:
            return []
        context = self.spark.sparkContext
        planned = {shard.key: shard for shard in shards}
        slots, most = executor_slots(context), self.config.epoch.shards_per_task
        kept = {key for group in self._placement.groups for key in group.shards if key.stream in waiting}
        wanted = planned.keys() | kept
        self._placement = place(self._placement, wanted, slots=slots, most=most)
        groups = [
            (group, here)
            for group in self._placement.groups
            if (here := sorted(group.shards & planned.keys(), key=str))
        ]
        tasks = [
            (group.number, group.executor, self._assignment([planned[key] for key in here], place, len(groups)))
            for place, (group, here) in enumerate(groups)
        ]
        self._tasks = [(number, where, assignment.to_json()) for number, where, assignment in tasks]
        failed = self._with_rounds(tasks, shards) if self.queries.streams(key.stream for key in planned) else []
        receipts = failed + [
            Receipt.from_dict(json.loads(answer))
            for answer in run_in_own_workers(context, ingest_partition, self._tasks)
        ]
        error = TooFewCores(shards=len(wanted), most=most, slots=sum(slots.values()))
        return receipts + [_left_out(planned[key], error) for key in self._placement.left_out if key in planned]

    def _with_rounds(self, tasks: Sequence[Task], shards: Sequence[PlannedShard]) -> list[Receipt]:
        """Runs the queries for the epoch; what is left of its time is for the tasks that follow, which bring the receipts."""
        ends_s = time.monotonic() + self.config.epoch.seconds
        problems = self.queries.run(tasks, self.config.epoch.seconds)
        left_s = max(0.0, ends_s - time.monotonic())
        self._tasks = [
            (number, where, replace(assignment, seconds=left_s, confirmed=self.queries.confirmed).to_json())
            for number, where, assignment in tasks
        ]
        return self._without_rounds(problems, shards)

    @staticmethod
    def _without_rounds(problems: Mapping[str, FirnlineError], shards: Sequence[PlannedShard]) -> list[Receipt]:
        epochs = {shard.stream: shard.epoch for shard in shards}
        return [Receipt.of_pipeline(name, epochs[name], ShardProblem.of(error)) for name, error in problems.items()]

    def _with_targets(self, rows: Sequence[PlanRow]) -> tuple[list[PlannedShard], list[Receipt]]:
        """Asks Snowflake about each table once an epoch: a table that was replaced is seen before it is written to."""
        epochs = {row.stream: row.epoch for row in rows}
        states = self._states(epochs)
        shards, refused = list[PlannedShard](), list[Receipt]()
        for stream, state in states.items():
            if isinstance(state, FirnlineError):
                refused.append(Receipt.of_pipeline(stream, epochs[stream], ShardProblem.of(state)))
            else:
                columns = None if state.routed else self.columns.fixed(state.target)
                here = [row for row in rows if row.stream == stream]
                shards += [self._planned_shard(row, state, columns) for row in here]
        collided = channels_of_two(self.config.application, shards)
        refused += [Receipt.of_pipeline(name, epochs[name], ShardProblem.of(error)) for name, error in collided.items()]
        return [shard for shard in shards if shard.stream not in collided], refused

    def _planned_shard(self, row: PlanRow, state: TargetState, columns: Iterable[str] | None) -> PlannedShard:
        reported = self.reported(ShardKey(row.stream, row.created_ms, row.shard))
        return PlannedShard.of(row, state.target, columns, state.routed, reported)

    def _states(self, streams: Iterable[str]) -> Mapping[str, TargetState | FirnlineError]:
        """The state of each stream's table. If Snowflake is unavailable, or refuses every login, each pipeline has that
        problem and is retried."""
        try:
            states = self.catalog.states([self.config.pipeline_of(stream) for stream in streams])
            found = {stream: state for stream, state in states.items() if isinstance(state, TargetState)}
            self.tables.look(self.catalog, found)
            self.columns.look(self.catalog, {stream: state for stream, state in found.items() if not state.routed})
        except SnowflakeError as error:
            return dict.fromkeys(streams, error)
        return states

    def _assignment(self, group: Sequence[PlannedShard], place: int, among: int) -> Assignment:
        return Assignment(
            self.config,
            self.run_id,
            tuple(group),
            self.config.epoch.seconds,
            self.arrival_ms,
            schemas=self.queries.schemas,
            place=place,
            among=among,
        )


def _unread(row: PlanRow) -> Unread:
    return Unread(ShardKey(row.stream, row.created_ms, row.shard), row.known_ms, row.retention_hours)


def _refused(row: PlanRow) -> Receipt:
    return Receipt.of_pipeline(row.stream, row.epoch, ShardProblem(**json.loads(row.problem)))


def _left_out(shard: PlannedShard, error: TooFewCores) -> Receipt:
    problem = ShardProblem.of(error)
    return Receipt.of(shard.key, Tally(), epoch=shard.epoch, state=ShardState.WAITING, problem=problem)
