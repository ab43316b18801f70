"""Shards of a stream, and which came from which.

ListShards is eventually consistent and forgets shards whose records have all left retention; a shard that is missing
from one listing is therefore never taken for finished (research: KCL's rules; docs/design/ledger.md, section 8).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from firnline_ingest.kinesis.aws_errors import answered, understood
from firnline_ingest.kinesis.errors import ShardUnlisted
from firnline_ingest.kinesis.hash_range import EVERY_KEY, HashRange
from firnline_ingest.kinesis.service_time import service_time_ms

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient


@dataclass(frozen=True, slots=True)
class ListedShard:
    """One shard as it is listed; one or two parents where it came from a split or a merge."""

    id: str
    parents: tuple[str, ...] = ()
    is_closed: bool = False
    first_number: str = ""
    """The starting sequence number, which a shard of the same id in another stream does not share."""
    hash_range: HashRange = EVERY_KEY
    """Which hash keys are its own; all of them where the listing does not say."""


@dataclass(frozen=True, slots=True)
class StreamSummary:
    """Facts of the service about a stream as a whole."""

    created_ms: int
    retention_hours: int
    told_ms: int
    """The service's time; 0 where it did not say."""
    arn: str
    ignores_keys: bool = False
    """True if a record may be in any shard, whatever its partition key is."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """The shards of one incarnation of a stream, by id."""

    stream: str
    stream_created_ms: int
    retention_hours: int
    shards: Mapping[str, ListedShard]
    listed_ms: int = 0
    """The service's time, before the listing; 0 where it did not say."""
    stream_arn: str = ""

    @property
    def lacks_parents(self) -> bool:
        """True if a parent is not listed: it expired, or the listing is behind."""
        return any(parent not in self.shards for shard in self.shards.values() for parent in shard.parents)

    def joined(self, again: "Lineage") -> "Lineage":
        """Returns what either listing has: each may be behind."""
        return replace(again, shards=MappingProxyType({**self.shards, **again.shards}))

    def is_of_the_same_stream_as(self, before: "Lineage") -> bool:
        """Returns whether one stream can have both listings: shards in common, each with the number that it began with."""
        common = self.shards.keys() & before.shards.keys()
        return bool(common) and all(self.shards[id_].first_number == before.shards[id_].first_number for id_ in common)

    @property
    def incarnation(self) -> str:
        return f"{self.stream}@{self.stream_created_ms}"


def read_summary(client: "KinesisClient", stream: str) -> StreamSummary:
    """Raises StreamMissing and the other errors of kinesis/errors.py."""
    answer = answered(
        lambda: client.describe_stream_summary(StreamName=stream),
        operation="DescribeStreamSummary",
        stream=stream,
        needs="StreamDescriptionSummary",
    )
    return understood(partial(_summary, answer), operation="DescribeStreamSummary", stream=stream)


def read_lineage(client: "KinesisClient", stream: str, summary: StreamSummary | None = None) -> Lineage:
    """Reads the lineage, under this summary or a new one. Raises as `read_summary` does."""
    told = summary or read_summary(client, stream)
    shards = {shard.id: shard for shard in _list_shards(client, stream)}
    return Lineage(stream, told.created_ms, told.retention_hours, MappingProxyType(shards), told.told_ms, told.arn)


def children_of_closed(client: "KinesisClient", stream: str, shard_id: str) -> tuple[str, ...]:
    """The shards that go on where this one ended, as a listing has them; none where it does not show the shard closed.

    Raises the errors of kinesis/errors.py.
    """
    shards = {shard.id: shard for shard in _list_shards(client, stream)}
    if shard_id in shards and not shards[shard_id].is_closed:
        return ()
    return tuple(sorted(shard.id for shard in shards.values() if shard_id in shard.parents))


def read_hash_range(client: "KinesisClient", stream: str, shard_id: str) -> HashRange:
    """Raises ShardUnlisted where this listing does not have the shard, and the other errors of kinesis/errors.py."""
    for shard in _list_shards(client, stream):
        if shard.id == shard_id:
            return shard.hash_range
    raise ShardUnlisted(stream, shard_id)


def _list_shards(client: "KinesisClient", stream: str) -> list[ListedShard]:
    shards: list[ListedShard] = []
    page: dict[str, Any] = {"StreamName": stream}
    while True:
        call = partial(client.list_shards, **page)
        answer = answered(call, operation="ListShards", stream=stream, needs="Shards")
        shards += understood(partial(_shards, answer), operation="ListShards", stream=stream)
        if "NextToken" not in answer:
            return shards
        page = {"NextToken": answer["NextToken"]}


def _summary(answer: Mapping[str, Any]) -> StreamSummary:
    summary = answer["StreamDescriptionSummary"]
    created_ms = int(summary["StreamCreationTimestamp"].timestamp() * 1000)
    told_ms = service_time_ms(answer) or 0
    ignores_keys = summary.get("RecordDistributionStrategy") == "AUTO"
    return StreamSummary(created_ms, summary["RetentionPeriodHours"], told_ms, summary["StreamARN"], ignores_keys)


def _shards(answer: Mapping[str, Any]) -> list[ListedShard]:
    return [_shard(listed) for listed in answer["Shards"]]


def _shard(listed: Mapping[str, Any]) -> ListedShard:
    parents = tuple(listed[name] for name in ("ParentShardId", "AdjacentParentShardId") if listed.get(name))
    numbers = listed.get("SequenceNumberRange", {})
    is_closed, first = bool(numbers.get("EndingSequenceNumber")), numbers.get("StartingSequenceNumber", "")
    hash_range = HashRange.listed(listed["HashKeyRange"]) if "HashKeyRange" in listed else EVERY_KEY
    return ListedShard(listed["ShardId"], parents, is_closed, first, hash_range)
