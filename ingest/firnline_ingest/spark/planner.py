"""Plans an epoch from the streams' lineage and the ledger: the source's work, without Spark.

The query's offset is an epoch, and where each shard stands. It plans, and a person can read it:

    {"v": 1, "e": 7, "streams": {"<stream>@<created ms>": {"<shard id>": "p:<token>" | "t:<ms>" | "h" | "end"}}}

The epoch rises with every plan, so that Spark always has a next batch. Positions are a last resort: the ledger and
Snowflake know better (docs/design/ledger.md, section 1).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from firnline_ingest.aws.client import dynamodb_client
from firnline_ingest.config import EngineConfig
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.lineage import read_lineage
from firnline_ingest.kinesis.pin import initial_pin
from firnline_ingest.kinesis.start import ENDED, TrimHorizon
from firnline_ingest.ledger.backend import StreamLedger
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.ledger.plan import plan_shards, unread_parents

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

VERSION = 1

PlanRow: TypeAlias = tuple[int, str, int, str, str, int, str]
"""Epoch, stream, its creation time in ms, shard, start, retention in hours, parents that were never read to their end."""


@dataclass(frozen=True, slots=True)
class SourceOffset:
    """Starts by incarnation of a stream and shard id, spelt as in kinesis/start.py."""

    epoch: int = 0
    streams: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Raises ValueError for a checkpoint that another version wrote."""
        if document.get("v") != VERSION:
            raise ValueError(
                f"the checkpoint's offsets have version {document.get('v')!r}, this engine reads {VERSION}"
            )
        return cls(document["e"], document["streams"])

    def as_document(self) -> dict[str, Any]:
        return {
            "v": VERSION,
            "e": self.epoch,
            "streams": {stream: dict(shards) for stream, shards in self.streams.items()},
        }


@dataclass(frozen=True, slots=True)
class ShardPlanner:
    """Reads the world afresh at every call; keeps nothing."""

    config: EngineConfig
    kinesis: "KinesisClient"
    ledger: StreamLedger

    @classmethod
    def of(cls, config: EngineConfig) -> "ShardPlanner":
        return cls(config, kinesis_client(config.aws), DynamoLedger(dynamodb_client(config.aws), config.ledger.table))

    def next_offset(self, before: SourceOffset) -> SourceOffset:
        """Raises the errors of Kinesis and of the ledger."""
        streams: dict[str, dict[str, str]] = {}
        for pipeline in self.config.pipelines:
            lineage = read_lineage(self.kinesis, pipeline.stream)
            rows = self.ledger.rows(lineage.incarnation)
            offsets = before.streams.get(lineage.incarnation, {})
            is_first_start = not rows and not offsets
            pin = (
                initial_pin(pipeline.initial_position, self.kinesis, lineage.stream)
                if is_first_start
                else TrimHorizon()
            )
            streams[lineage.incarnation] = plan_shards(lineage, rows, offsets, pin).offsets
        return SourceOffset(before.epoch + 1, streams)

    def rows(self, offset: SourceOffset) -> Iterator[PlanRow]:
        """What an offset asks for. A stream that was made again since then has no rows: the next plan begins the new one."""
        for pipeline in self.config.pipelines:
            lineage = read_lineage(self.kinesis, pipeline.stream)
            ledger_rows = self.ledger.rows(lineage.incarnation)
            for shard, start in offset.streams.get(lineage.incarnation, {}).items():
                if start != ENDED:
                    unread = ",".join(unread_parents(shard, lineage, ledger_rows))
                    created_ms, retention = lineage.stream_created_ms, lineage.retention_hours
                    yield offset.epoch, lineage.stream, created_ms, shard, start, retention, unread
