"""Tests of what the driver makes of a plan, without Spark: which shards are run, and whose pipeline can't go on."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.row import RunningTotals
from firnline_ingest.metrics import Unread
from firnline_ingest.shard.receipt import Receipt, ShardProblem, ShardState, Tally
from firnline_ingest.snowflake.errors import HostUnknown, KeyRefused, LoginRefused, SnowflakeUnavailable
from firnline_ingest.snowflake.table_columns import TableColumn
from firnline_ingest.snowflake.target import TargetState
from firnline_ingest.snowflake.target_errors import TableMissing
from firnline_ingest.spark import epoch
from firnline_ingest.spark.assignment import Assignment
from firnline_ingest.spark.epoch import EpochRunner
from firnline_ingest.spark.planner import PlanRow
from firnline_ingest.values import Position, ShardKey, TargetTable
from tests.fakes.configs import config, reading

STREAMS = ("a", "b")


@dataclass
class Catalog:
    """Knows every table but those of `missing`."""

    missing: tuple[str, ...] = ()
    refusal: FirnlineError | None = None
    asked: list[str] = field(default_factory=list)

    def states(self, pipelines: Iterable[PipelineConfig]) -> dict[str, TargetState | FirnlineError]:
        if self.refusal is not None:
            raise self.refusal
        names = [pipeline.stream for pipeline in pipelines]
        self.asked += names
        return {name: self._state(name) for name in names}

    def _state(self, name: str) -> TargetState | FirnlineError:
        if name in self.missing:
            return TableMissing(name, "R")
        target = TargetTable("DB", "RAW", name.upper(), "2026", f"{name.upper()}-STREAMING")
        return TargetState(target, evolves=True, logs_errors=True)

    def columns_of(self, target: TargetTable) -> dict[str, bool]:
        return {"C": True}

    def described(self, target: TargetTable) -> dict[str, TableColumn]:
        return {"C": TableColumn("VARIANT", True)}


@dataclass
class Tasks:
    """In place of Spark: each task reads its shards."""

    slots: int = 1
    run: list[list[str]] = field(default_factory=list)
    """The shards of each task of the last epoch."""
    seconds: set[float] = field(default_factory=set)
    """How long each of its tasks reads."""
    reported: list[RunningTotals | None] = field(default_factory=list)

    def answer(self, _: object, __: object, tasks: list[tuple[int, str, str]]) -> list[str]:
        assignments = [Assignment.from_json(item) for *_, item in tasks]
        self.seconds = {assignment.seconds for assignment in assignments}
        self.reported = [shard.reported for assignment in assignments for shard in assignment.shards]
        self.run = [[str(shard.key) for shard in assignment.shards] for assignment in assignments]
        return [
            json.dumps(Receipt.of(shard.key, Tally(), epoch=shard.epoch, state=ShardState.READING).as_dict())
            for assignment in assignments
            for shard in assignment.shards
        ]


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch) -> Tasks:
    tasks = Tasks()
    monkeypatch.setattr(epoch, "executor_slots", lambda _: {"": tasks.slots})
    monkeypatch.setattr(epoch, "run_in_own_workers", tasks.answer)
    return tasks


def runner(catalog: Catalog, **settings: Any) -> EpochRunner:
    asked, spark = config(**{"pipelines": list(map(reading, STREAMS)), **settings}), SimpleNamespace(sparkContext=None)
    return EpochRunner(cast("Any", spark), asked, "run", cast("Any", catalog))


def frame(*rows: PlanRow) -> Any:
    return SimpleNamespace(collect=lambda: [SimpleNamespace(asDict=row._asdict) for row in rows])


def shard(stream: str, number: int = 0) -> PlanRow:
    return PlanRow(7, stream, 1, f"shardId-{number:012d}", "h", 24)


def told(receipts: list[Receipt]) -> list[tuple[str, str, ShardState, str]]:
    found = [(each.stream, each.shard_id, each.state, each.problem.id if each.problem else "") for each in receipts]
    return sorted(found)


def test_each_task_reads_as_long_as_an_epoch_is_configured_to_last(tasks: Tasks) -> None:
    runner(Catalog(), epoch={"seconds": 47, "shards_per_task": 1}).run(frame(*(shard("a", n) for n in range(3))))
    assert tasks.seconds == {47}


def test_each_shard_goes_to_its_task_with_what_was_reported_of_it(tasks: Tasks) -> None:
    totals = RunningTotals(through=Position(7), rows=5, begun_by="run/one", reported_through=Position(9))
    made = runner(Catalog())
    made.reported = lambda key: totals if key.shard_id.endswith("1") else None
    made.run(frame(shard("a"), shard("a", 1)))
    assert tasks.reported == [None, totals]


def test_a_table_that_is_missing_stops_only_its_own_pipeline(tasks: Tasks) -> None:
    receipts = runner(Catalog(missing=("b",))).run(frame(shard("a"), shard("b")))
    assert told(receipts) == [
        ("a", "shardId-000000000000", ShardState.READING, ""),
        ("b", "", ShardState.FAILED, "FL-3006"),
    ]
    assert {receipt.epoch for receipt in receipts} == {7}


def test_a_stream_that_could_not_be_planned_is_told_and_its_table_not_asked_for(tasks: Tasks) -> None:
    problem = ShardProblem("FL-2001", "gone", "look", is_retryable=False)
    row = PlanRow(7, "b", 0, problem=json.dumps(asdict(problem)))
    catalog = Catalog()
    receipts = runner(catalog).run(frame(shard("a"), row))
    assert told(receipts) == [
        ("a", "shardId-000000000000", ShardState.READING, ""),
        ("b", "", ShardState.FAILED, "FL-2001"),
    ]
    assert [receipt.problem for receipt in receipts if receipt.stream == "b"] == [problem]
    assert catalog.asked == ["a"]


@pytest.mark.parametrize(
    "refusal",
    [
        LoginRefused("U", "R", "User is disabled"),
        KeyRefused("U", "SHA256:x", "390144"),
        SnowflakeUnavailable("open a session", "HTTP 503"),
        HostUnknown("nowhere", "no such name"),
    ],
)
def test_a_refused_session_is_the_problem_of_each_pipeline_and_of_no_run(tasks: Tasks, refusal: FirnlineError) -> None:
    catalog = Catalog(refusal=refusal)
    engine = runner(catalog)
    receipts = engine.run(frame(shard("a"), shard("b"), shard("b", 1)))
    assert told(receipts) == [(stream, "", ShardState.FAILED, refusal.id) for stream in STREAMS]
    catalog.refusal = None
    assert {receipt.state for receipt in engine.run(frame(shard("a"), shard("b")))} == {ShardState.READING}


def test_a_look_at_columns_that_fails_is_too(tasks: Tasks, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise SnowflakeUnavailable("answer 'SHOW COLUMNS'", "a time-out")

    monkeypatch.setattr(epoch.TableWatch, "look", away)
    assert told(runner(Catalog()).run(frame(shard("a")))) == [("a", "", ShardState.FAILED, "FL-3010")]


def test_shards_beyond_what_the_processes_may_read_wait_and_say_what_they_need(tasks: Tasks) -> None:
    receipts = runner(Catalog(), epoch={"shards_per_task": 2}).run(frame(*(shard("a", n) for n in range(3))))
    assert [(key, state, problem) for _, key, state, problem in told(receipts)] == [
        ("shardId-000000000000", ShardState.READING, ""),
        ("shardId-000000000001", ShardState.READING, ""),
        ("shardId-000000000002", ShardState.WAITING, "FL-1211"),
    ]


def test_a_stream_that_can_not_be_planned_for_an_epoch_comes_back_to_where_it_was(tasks: Tasks) -> None:
    tasks.slots = 2
    engine = runner(Catalog(), epoch={"shards_per_task": 2})
    row = PlanRow(8, "b", 0, problem=json.dumps(asdict(ShardProblem("FL-2004", "busy", "wait", is_retryable=True))))
    engine.run(frame(shard("a", 0), shard("a", 1), shard("b", 0), shard("b", 1)))
    before = tasks.run
    engine.run(frame(shard("a", 0), shard("a", 1), row))
    assert tasks.run == [[key for key in keys if key.startswith("a/")] for keys in before]
    engine.run(frame(shard("a", 0), shard("a", 1), shard("b", 0), shard("b", 1)))
    assert tasks.run == before


def test_what_is_left_out_of_an_epoch_is_told_with_all_that_its_plan_knows_of_it(tasks: Tasks) -> None:
    engine, told_of = runner(Catalog(missing=("b",))), list[Unread]()
    engine.skips, engine.planned = lambda key: key.stream == "a", told_of.extend
    engine.run(frame(shard("a")._replace(known_ms=5), shard("b")))
    assert told_of == [
        Unread(ShardKey("a", 1, "shardId-000000000000"), 5, 24),
        Unread(ShardKey("b", 1, "shardId-000000000000"), 0, 24),
    ]


def test_two_streams_whose_channels_would_have_one_name_are_not_both_read(tasks: Tasks) -> None:
    """Their names differ in case only, they were made in one second, and go into one table."""
    same = [reading(stream, table="T") for stream in ("Orders", "orders", "other")]
    one_table = runner(OneTable(), pipelines=same)
    receipts = one_table.run(frame(shard("orders"), shard("Orders"), shard("other")))
    assert told(receipts) == [
        ("Orders", "shardId-000000000000", ShardState.READING, ""),
        ("orders", "", ShardState.FAILED, "FL-2343"),
        ("other", "shardId-000000000000", ShardState.READING, ""),
    ]
    later = shard("orders")._replace(created_ms=2)
    receipts = one_table.run(frame(later, shard("Orders")))
    assert {receipt.state for receipt in receipts} == {ShardState.READING}, "another second, other names"


class OneTable(Catalog):
    def _state(self, name: str) -> TargetState | FirnlineError:
        return super()._state("t")
