"""Assignments of the driver to a task: a group of shards, for how long, and the configuration. JSON, without secrets."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.identifiers import channel_name, routed_channel
from firnline_ingest.kinesis.start import parse_start
from firnline_ingest.ledger.row import RunningTotals
from firnline_ingest.shard.work import Destination, ShardWork
from firnline_ingest.spark.planner import PlanRow
from firnline_ingest.values import ShardKey, TargetTable


@dataclass(frozen=True, slots=True)
class PlannedShard:
    """A row of the source (spark/planner.py) with the target that its pipeline writes to now."""

    epoch: int
    stream: str
    created_ms: int
    shard: str
    start: str
    retention_hours: int
    unread_parents: str
    target: TargetTable
    since_ms: int = 0
    is_closed: bool = False
    consumer_arn: str = ""
    until_ms: int = 0
    columns: tuple[str, ...] | None = None
    routed: tuple[tuple[str, TargetTable], ...] = ()
    reported: RunningTotals | None = None

    @classmethod
    def of(
        cls,
        row: PlanRow,
        target: TargetTable,
        columns: Iterable[str] | None = None,
        routed: tuple[tuple[str, TargetTable], ...] = (),
        reported: RunningTotals | None = None,
    ) -> Self:
        """The assignment of a plan's row that names a shard."""
        fields = row._asdict()
        del fields["problem"], fields["known_ms"]  # the driver's
        names = None if columns is None else tuple(columns)
        return cls(**fields, target=target, columns=names, routed=routed, reported=reported)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        columns = fields["columns"]
        read = {
            "target": TargetTable(**fields["target"]),
            "columns": None if columns is None else tuple(columns),
            "routed": tuple((table, TargetTable(**there)) for table, there in fields["routed"]),
            "reported": RunningTotals.from_dict(fields["reported"]) if fields["reported"] else None,
        }
        return cls(**{**fields, **read})

    @property
    def key(self) -> ShardKey:
        return ShardKey(self.stream, self.created_ms, self.shard)


@dataclass(frozen=True, slots=True)
class Assignment:
    """One task's."""

    config: EngineConfig
    run_id: str
    shards: tuple[PlannedShard, ...]
    seconds: float
    arrival_ms: int | None = None
    log_level: str = "INFO"
    schemas: Mapping[str, str] = field(default_factory=dict)
    """The schemas of the pipelines' queries as Spark has parsed them, in JSON, by their texts."""
    confirmed: tuple[str, ...] = ()
    """The rounds of queries whose jobs have succeeded (shard/queries.py)."""
    place: int = 0
    among: int = 1
    """The task's number among those of the epoch, from 0 on, and how many these are: their processes share what an account may be
    asked."""

    @property
    def works(self) -> list[ShardWork]:
        return [_work(shard, self.config) for shard in self.shards]

    def to_json(self) -> str:
        retries = self.config.retries.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return json.dumps(
            {
                # a default of `attempts` that plans give up after would stop shards as one that a person set
                "config": self.config.model_dump(mode="json", by_alias=True) | {"retries": retries},
                "run_id": self.run_id,
                "shards": [asdict(shard) for shard in self.shards],
                "seconds": self.seconds,
                "arrival_ms": self.arrival_ms,
                "log_level": self.log_level,
                "schemas": dict(self.schemas),
                "confirmed": self.confirmed,
                "place": self.place,
                "among": self.among,
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        document: dict[str, Any] = json.loads(text)
        shards = tuple(map(PlannedShard.from_dict, document.pop("shards")))
        config = EngineConfig.model_validate_json(json.dumps(document.pop("config")))
        confirmed = tuple(document.pop("confirmed"))
        return cls(config=config, shards=shards, confirmed=confirmed, **document)


def _work(shard: PlannedShard, config: EngineConfig) -> ShardWork:
    start = parse_start(shard.start)
    assert start is not None, "a shard that ended is never planned"
    channel = channel_name(config.application, shard.stream, shard.created_ms, shard.shard)
    return ShardWork(
        key=shard.key,
        epoch=shard.epoch,
        start=start,
        pipeline=config.pipeline_of(shard.stream),
        target=shard.target,
        channel=channel,
        retention_hours=shard.retention_hours,
        trimmed_parents=tuple(name for name in shard.unread_parents.split(",") if name),
        since_ms=shard.since_ms,
        is_closed=shard.is_closed,
        registered_arn=shard.consumer_arn,
        until_ms=shard.until_ms,
        columns=shard.columns,
        routed=tuple(Destination(there, routed_channel(channel, table), table) for table, there in shard.routed),
        reported=shard.reported,
    )
