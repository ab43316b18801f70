"""Which shards a stream has, and which came from which.

ListShards is eventually consistent and forgets shards whose records have all left retention; a shard that is missing
from one listing is therefore never taken for finished (research: KCL's rules; docs/design/ledger.md, section 8).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from firnline_ingest.kinesis.errors import kinesis_error

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient


@dataclass(frozen=True, slots=True)
class ListedShard:
    """One shard as it is listed; one or two parents where it came from a split or a merge."""

    id: str
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lineage:
    """The shards of one incarnation of a stream, by id."""

    stream: str
    stream_created_ms: int
    retention_hours: int
    shards: Mapping[str, ListedShard]

    @property
    def incarnation(self) -> str:
        return f"{self.stream}@{self.stream_created_ms}"


def read_lineage(client: "KinesisClient", stream: str) -> Lineage:
    """Raises StreamMissing and the other errors of kinesis/errors.py."""
    try:
        summary = client.describe_stream_summary(StreamName=stream)["StreamDescriptionSummary"]
    except Exception as error:
        raise kinesis_error(error, operation="DescribeStreamSummary", stream=stream) from error
    shards = {shard.id: shard for shard in _list_shards(client, stream)}
    created_ms = int(summary["StreamCreationTimestamp"].timestamp() * 1000)
    return Lineage(stream, created_ms, summary["RetentionPeriodHours"], MappingProxyType(shards))


def _list_shards(client: "KinesisClient", stream: str) -> list[ListedShard]:
    shards: list[ListedShard] = []
    page: dict[str, Any] = {"StreamName": stream}
    while True:
        try:
            answer = client.list_shards(**page)
        except Exception as error:
            raise kinesis_error(error, operation="ListShards", stream=stream) from error
        shards += [_shard(listed) for listed in answer["Shards"]]
        if "NextToken" not in answer:
            return shards
        page = {"NextToken": answer["NextToken"]}


def _shard(listed: Mapping[str, Any]) -> ListedShard:
    parents = tuple(listed[name] for name in ("ParentShardId", "AdjacentParentShardId") if listed.get(name))
    return ListedShard(listed["ShardId"], parents)
