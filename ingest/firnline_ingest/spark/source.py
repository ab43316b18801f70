"""The query's source: its rows are work, not data. One row a readable shard (spark/planner.py).

Spark runs the reader in a process of its own that shares nothing with the driver's program but disk and network. The
configuration comes as text in the options; nothing secret is in it.
"""

# ruff: noqa: N802 (the methods' names are Spark's)

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from firnline_ingest.config import EngineConfig
from firnline_ingest.spark.planner import PlanRow, ShardPlanner, SourceOffset

FORMAT = "firnline_shards"
SCHEMA = (
    "epoch bigint, stream string, created_ms bigint, shard string, start string, retention_hours int, "
    "unread_parents string, since_ms bigint, is_closed boolean, problem string"
)


class ShardPlanSource(DataSource):
    """Registered under FORMAT; the option `config` is an EngineConfig document."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> str:
        return SCHEMA

    def streamReader(self, schema: StructType) -> "ShardPlanReader":
        return ShardPlanReader(EngineConfig.model_validate_json(self.options["config"]))


class PlannedEpoch(InputPartition):
    """All rows of one epoch: they are few, and one partition starts one worker."""

    def __init__(self, rows: list[PlanRow]) -> None:
        super().__init__(0)
        self.rows = rows


class ShardPlanReader(DataSourceStreamReader):
    """Works on every Spark from 4.0: those before 4.2 call latestOffset without arguments, and hand a restart's
    offset over through partitions(). Pickled for the executors, which only call `read`.
    """

    def __init__(self, config: EngineConfig) -> None:
        self._config = config
        self._last = SourceOffset()

    @cached_property
    def _planner(self) -> ShardPlanner:
        return ShardPlanner.of(self._config)

    def __getstate__(self) -> dict[str, Any]:
        return {"_config": self._config, "_last": SourceOffset()}

    def initialOffset(self) -> dict[str, Any]:
        return SourceOffset().as_document()

    def latestOffset(self, start: Mapping[str, Any] | None = None, limit: object = None) -> dict[str, Any]:
        before = SourceOffset.from_document(start) if start else self._last
        self._last = self._planner.next_offset(before)
        return self._last.as_document()

    def partitions(self, start: Mapping[str, Any], end: Mapping[str, Any]) -> list[InputPartition]:
        self._last = SourceOffset.from_document(end)
        if start == end:
            return []
        return [PlannedEpoch(list(self._planner.rows(self._last)))]

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        assert isinstance(partition, PlannedEpoch)
        return iter(partition.rows)

    def commit(self, end: Mapping[str, Any]) -> None:
        """Nothing to forget: what was read is in the ledger."""
