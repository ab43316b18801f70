"""One shard: the hash keys it takes, where it came from, what it keeps, and until when it took records."""

from dataclasses import dataclass, field
from typing import Any

from firnline_local.kinesis.hash_key import HashRange
from firnline_local.kinesis.limits import IteratorMeter, ReadMeter, WriteMeter
from firnline_local.kinesis.log import RecordLog
from firnline_local.kinesis.record import render
from firnline_local.kinesis.sequence import INDEX_SHIFT, SequenceNumber


def shard_id(number: int) -> str:
    return f"shardId-{number:012d}"


@dataclass(kw_only=True, eq=False)
class Shard:
    """Records are only ever appended; once closed, it keeps what it has until that leaves retention."""

    number: int
    stream_tag: int
    hash_range: HashRange
    created_ms: int
    generation: int
    """`created_ms`, or more: a shard that was made within its parents' millisecond still begins above them."""
    parent_ids: tuple[str, ...] = ()
    closed_ms: int | None = None
    log: RecordLog = field(default_factory=RecordLog)
    reads: ReadMeter = field(default_factory=ReadMeter)
    iterators: IteratorMeter = field(default_factory=IteratorMeter)
    writes: WriteMeter = field(default_factory=WriteMeter)
    pages: int = 0
    """How many pages were asked for, for the settings that make some of them empty."""

    def __post_init__(self) -> None:
        self.id = shard_id(self.number)
        self._start = int(self.sequence_number(0))
        self._last_arrival_ms = 0

    @property
    def is_open(self) -> bool:
        return self.closed_ms is None

    @property
    def last_number(self) -> int:
        """The newest record's; where the shard starts, if it never had one."""
        return int(self.sequence_number(self.log.next - 1))

    @property
    def ending_number(self) -> int:
        """Of a closed shard: above each of its records, below its children."""
        return int(self.sequence_number(self.log.next))

    def sequence_number(self, index: int) -> SequenceNumber:
        return SequenceNumber(self.generation, index, self.stream_tag, self.number)

    def append(self, data: bytes, partition_key: str, *, now_ms: int, is_encrypted: bool) -> int:
        """The new record's sequence number."""
        number = self._start + (self.log.next << INDEX_SHIFT)
        self._last_arrival_ms = max(self._last_arrival_ms, now_ms)
        record = render(
            number,
            partition_key=partition_key,
            data=data,
            arrived_ms=self._last_arrival_ms,
            is_encrypted=is_encrypted,
        )
        size_bytes = len(data) + len(partition_key.encode())
        self.log.append(record, arrived_ms=self._last_arrival_ms, size_bytes=size_bytes)
        return number

    def as_json(self) -> dict[str, Any]:
        numbers = {"StartingSequenceNumber": str(self._start)}
        if not self.is_open:
            numbers["EndingSequenceNumber"] = str(self.ending_number)
        parents = dict(zip(("ParentShardId", "AdjacentParentShardId"), self.parent_ids, strict=False))
        return {
            "ShardId": self.id,
            **parents,
            "HashKeyRange": self.hash_range.as_json(),
            "SequenceNumberRange": numbers,
        }

    def as_child_json(self) -> dict[str, Any]:
        return {"ShardId": self.id, "ParentShards": self.parent_ids, "HashKeyRange": self.hash_range.as_json()}
