"""What the driver makes of a plan, without Spark: which shards are run, and whose pipeline can't go on."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.shard.receipt import Receipt, ShardProblem, ShardState
from firnline_ingest.snowflake.errors import SessionRefused, TableMissing
from firnline_ingest.snowflake.target import TargetState
from firnline_ingest.spark.epoch import EpochRunner
from firnline_ingest.spark.planner import PlanRow
from firnline_ingest.values import TargetTable
from tests.ingest.spark.test_assignment import CONFIG

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

    def columns_of(self, target: TargetTable) -> frozenset[str]:
        return frozenset({"C"})


def runner(monkeypatch: pytest.MonkeyPatch, catalog: Catalog) -> EpochRunner:
    """Whose tasks read their shards."""
    pipelines = [{"stream": stream, "database": "DB", "schema": "RAW"} for stream in STREAMS]
    document = {**CONFIG.model_dump(mode="json", by_alias=True), "pipelines": pipelines}
    config = EngineConfig.model_validate_json(json.dumps(document))
    runner = EpochRunner(cast("Any", None), config, "run", cast("Any", catalog))
    monkeypatch.setattr(
        EpochRunner,
        "_ingest",
        lambda _, shards: [
            Receipt(
                stream=shard.stream,
                stream_created_ms=shard.created_ms,
                shard_id=shard.shard,
                epoch=shard.epoch,
                state=ShardState.READING,
            )
            for shard in shards
        ],
    )
    return runner


def frame(*rows: PlanRow) -> Any:
    return SimpleNamespace(collect=lambda: [SimpleNamespace(asDict=row._asdict) for row in rows])


def shard(stream: str) -> PlanRow:
    return PlanRow(7, stream, 1, "shardId-000000000000", "h", 24)


def told(receipts: list[Receipt]) -> list[tuple[str, str, ShardState, str]]:
    found = [(each.stream, each.shard_id, each.state, each.problem.id if each.problem else "") for each in receipts]
    return sorted(found)


def test_a_table_that_is_missing_stops_only_its_own_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    receipts = runner(monkeypatch, Catalog(missing=("b",))).run(frame(shard("a"), shard("b")))
    assert told(receipts) == [
        ("a", "shardId-000000000000", ShardState.READING, ""),
        ("b", "", ShardState.FAILED, "FL-3006"),
    ]
    assert {receipt.epoch for receipt in receipts} == {7}


def test_a_stream_that_could_not_be_planned_is_told_and_its_table_not_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = ShardProblem("FL-2001", "gone", "look", is_retryable=False)
    row = PlanRow(7, "b", 0, problem=json.dumps(asdict(problem)))
    catalog = Catalog()
    receipts = runner(monkeypatch, catalog).run(frame(shard("a"), row))
    assert told(receipts) == [
        ("a", "shardId-000000000000", ShardState.READING, ""),
        ("b", "", ShardState.FAILED, "FL-2001"),
    ]
    assert [receipt.problem for receipt in receipts if receipt.stream == "b"] == [problem]
    assert catalog.asked == ["a"]


def test_a_refused_session_is_everybodys(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SessionRefused):
        runner(monkeypatch, Catalog(refusal=SessionRefused("U", "R", "a test"))).run(frame(shard("a")))
