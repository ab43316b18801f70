"""The query's source: its rows are work, not data. One row a readable shard (spark/planner.py).

Spark runs the reader in a process of its own that shares nothing with the driver's program but disk and network. The
configuration comes as text in the options; nothing secret is in it.
"""

# ruff: noqa: N802 (the methods' names are Spark's)

import random
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, TypeVar

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from firnline_ingest.config import EngineConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.spark.planner import PlanRow, ShardPlanner, SourceOffset

Result = TypeVar("Result")

FORMAT = "firnline_shards"
SCHEMA = "epoch bigint, stream string, created_ms bigint, shard string, start string, retention_hours int, unread_parents string"
PAUSES_S = (1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 30.0, 30.0)


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
        self._last = patiently(lambda: self._planner.next_offset(before))
        return self._last.as_document()

    def partitions(self, start: Mapping[str, Any], end: Mapping[str, Any]) -> list[InputPartition]:
        self._last = SourceOffset.from_document(end)
        if start == end:
            return []
        return [PlannedEpoch(patiently(lambda: list(self._planner.rows(self._last))))]

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        assert isinstance(partition, PlannedEpoch)
        return iter(partition.rows)

    def commit(self, end: Mapping[str, Any]) -> None:
        """Nothing to forget: what was read is in the ledger."""


def patiently(attempt: Callable[[], Result], sleep: Callable[[float], None] = time.sleep) -> Result:
    """Waits out what passes: an error raised here would end the query. Raises what lasts, and what is fatal."""
    for pause_s in PAUSES_S:
        try:
            return attempt()
        except FirnlineError as error:
            if not error.is_retryable:
                raise
            sleep(pause_s * random.random())  # noqa: S311 - jitter, not a secret
    return attempt()
