"""The source without Spark: what its processes load, and how it serves Sparks that remember offsets and those that don't."""

import json
import pickle
import subprocess
import sys
from collections.abc import Iterator

import pytest

from firnline_ingest.spark.planner import PlanRow, ShardPlanner, SourceOffset
from firnline_ingest.spark.source import SCHEMA, PlannedEpoch, ShardPlanReader
from tests.fakes.configs import config


class Planner(ShardPlanner):
    """Plans nothing, and remembers what it was asked after."""

    def __post_init__(self) -> None:
        self.asked: list[int] = []

    def next_offset(self, before: SourceOffset) -> SourceOffset:
        self.asked.append(before.epoch)
        return SourceOffset(before.epoch + 1, before.streams)

    def rows(self, offset: SourceOffset) -> Iterator[PlanRow]:
        yield PlanRow(offset.epoch, "a", 1, "shardId-000000000000", "h", 24)


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> ShardPlanReader:
    monkeypatch.setattr(ShardPlanner, "of", lambda config: Planner(config, None, None))
    return ShardPlanReader(config().model_dump_json(by_alias=True))


def test_a_process_that_only_hands_rows_on_loads_no_planner() -> None:
    heavy = ("botocore", "boto3", "pydantic", "firnline_ingest.spark.planner")
    program = (
        f"import json, sys, firnline_ingest.spark.source; print(json.dumps([m for m in {heavy} if m in sys.modules]))"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(loaded.stdout) == []


def test_a_spark_that_does_not_say_where_it_is_goes_on_from_the_last_plan(reader: ShardPlanReader) -> None:
    assert [reader.latestOffset()["e"], reader.latestOffset()["e"]] == [1, 2]


def test_a_restart_goes_on_from_the_offset_that_it_is_told(reader: ShardPlanReader) -> None:
    logged = {"v": 1, "e": 7, "streams": {"a@1": {"shardId-000000000000": "h"}}}
    assert reader.partitions(logged, logged) == []
    assert reader.latestOffset()["e"] == 8
    assert reader.latestOffset(logged)["e"] == 8


def test_what_crosses_to_the_process_that_reads_is_plain_and_as_wide_as_the_schema(reader: ShardPlanReader) -> None:
    (partition,) = reader.partitions(reader.initialOffset(), reader.latestOffset())
    assert isinstance(partition, PlannedEpoch)
    crossed, there = pickle.loads(pickle.dumps((partition, reader)))
    (row,) = there.read(crossed)
    assert type(row) is tuple
    assert len(row) == SCHEMA.count(",") + 1 == len(PlanRow._fields)
    assert [column.split()[0] for column in SCHEMA.split(", ")] == list(PlanRow._fields)
