"""The query's source: its rows are work, not data. One row a readable shard (spark/planner.py).

Spark runs the reader in a process of its own that shares nothing with the driver's program but disk and network. The
configuration comes as text in the options; nothing secret is in it. Three more processes import this file and plan nothing
(they make the source, plan its read, and read its rows): so it loads the planner, with botocore and all, where it plans.
"""

# ruff: noqa: N802 (the methods' names are Spark's)

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

if TYPE_CHECKING:
    from firnline_ingest.spark.planner import ShardPlanner

FORMAT = "firnline_shards"
WARM_UP = "warm-up"
"""The option of a query that plans nothing (spark/executor_warmup.py)."""
SCHEMA = (
    "epoch bigint, stream string, created_ms bigint, shard string, start string, retention_hours int, "
    "unread_parents string, since_ms bigint, is_closed boolean, known_ms bigint, consumer_arn string, until_ms bigint, "
    "problem string"
)


class ShardPlanSource(DataSource):
    """Registered under FORMAT; the option `config` is an EngineConfig document."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> str:
        return SCHEMA

    def streamReader(self, schema: StructType) -> "ShardPlanReader | EmptyReader":
        if WARM_UP in self.options:
            return EmptyReader()
        return ShardPlanReader(self.options["config"])


class PlannedEpoch(InputPartition):
    """All rows of one epoch: they are few, and one partition starts one worker. Plain tuples in the order of SCHEMA."""

    def __init__(self, rows: list[tuple[Any, ...]]) -> None:
        super().__init__(0)
        self.rows = rows


class ShardPlanReader(DataSourceStreamReader):
    """Works on every Spark from 4.0: those before 4.2 call latestOffset without arguments, and hand a restart's
    offset over through partitions(). Pickled for the executors, which only call `read`.
    """

    def __init__(self, config: str) -> None:
        self._config = config
        self._last: Mapping[str, Any] | None = None

    @cached_property
    def _planner(self) -> "ShardPlanner":
        from firnline_ingest.config.model import EngineConfig
        from firnline_ingest.spark.planner import ShardPlanner

        return ShardPlanner.of(EngineConfig.model_validate_json(self._config))

    def __getstate__(self) -> dict[str, Any]:
        return {"_config": self._config, "_last": None}

    def initialOffset(self) -> dict[str, Any]:
        from firnline_ingest.spark.planner import SourceOffset

        return SourceOffset().as_document()

    def latestOffset(self, start: Mapping[str, Any] | None = None, limit: object = None) -> dict[str, Any]:
        from firnline_ingest.spark.planner import SourceOffset

        before = start or self._last or self.initialOffset()
        self._last = self._planner.next_offset(SourceOffset.from_document(before)).as_document()
        return self._last

    def partitions(self, start: Mapping[str, Any], end: Mapping[str, Any]) -> list[InputPartition]:
        from firnline_ingest.spark.planner import SourceOffset

        self._last = end
        if start == end:
            return []
        return [PlannedEpoch([tuple(row) for row in self._planner.rows(SourceOffset.from_document(end))])]

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        assert isinstance(partition, PlannedEpoch)
        return iter(partition.rows)

    def commit(self, end: Mapping[str, Any]) -> None:
        """Nothing to forget: what was read is in the ledger."""


class EmptyReader(DataSourceStreamReader):
    """Epochs without work."""

    def __init__(self) -> None:
        self._epoch = 0

    def initialOffset(self) -> dict[str, Any]:
        return {"e": 0}

    def latestOffset(self, start: Mapping[str, Any] | None = None, limit: object = None) -> dict[str, Any]:
        import firnline_ingest.spark.planner  # noqa: F401 (the next process finds its files read)

        self._epoch += 1
        return {"e": self._epoch}

    def partitions(self, start: Mapping[str, Any], end: Mapping[str, Any]) -> list[InputPartition]:
        return [PlannedEpoch([])]

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        return iter(())

    def commit(self, end: Mapping[str, Any]) -> None:
        """Nothing to forget."""
