"""One shard: the hash keys it takes, its parents, the records it keeps, and when it was closed.

A record has its index for ever: the first that the shard got is 1, and trimming never moves the others. Its JSON is made
once, when it is put, so that a page of GetRecords is nothing but its records joined.
"""

from array import array
from binascii import b2a_base64
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec

from firnline_local.kinesis.limits import CallMeter, ReadMeter, WriteMeter
from firnline_local.kinesis.numbers import INDEX_SHIFT, HashRange, SequenceNumber


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record as a shard keeps it."""

    sequence_number: int
    partition_key: str
    data: bytes
    arrived_at: datetime
    shard_id: str


class _RecordJson(msgspec.Struct, rename="pascal"):
    sequence_number: str
    partition_key: str
    data: bytes
    approximate_arrival_timestamp: float


def render_record(number: int, *, partition_key: str, data: bytes, arrived_ms: int, is_encrypted: bool) -> bytes:
    return b'{"SequenceNumber":"%d","ApproximateArrivalTimestamp":%d.%03d,"Data":"%b","PartitionKey":%b%b}' % (
        number,
        arrived_ms // 1000,
        arrived_ms % 1000,
        b2a_base64(data, newline=False),
        msgspec.json.encode(partition_key),
        b',"EncryptionType":"KMS"' if is_encrypted else b"",
    )


_decode_record = msgspec.json.Decoder(_RecordJson).decode


def parse_record(rendered: bytes, shard_id: str) -> StoredRecord:
    fields = _decode_record(rendered)
    return StoredRecord(
        sequence_number=int(fields.sequence_number),
        partition_key=fields.partition_key,
        data=fields.data,
        arrived_at=datetime.fromtimestamp(fields.approximate_arrival_timestamp, UTC),
        shard_id=shard_id,
    )


@dataclass(frozen=True, slots=True)
class LogPage:
    """Records that follow one another, as JSON; `end` is the index after the last."""

    records: list[bytes]
    end: int
    size_bytes: int


class RecordLog:
    """Records in their JSON, with when they arrived and how large they are."""

    def __init__(self) -> None:
        self._records: list[bytes] = []
        self._arrivals_ms = array("q")
        self._total_bytes = array("q")  # of data and keys, up to and with each record, since the shard was made
        self._trimmed_records = 0
        self._trimmed_bytes = 0

    @property
    def first(self) -> int:
        """The index of the oldest record; of the next one where none is kept."""
        return self._trimmed_records + 1

    @property
    def next(self) -> int:
        """The index that the next record gets."""
        return self._trimmed_records + len(self._records) + 1

    @property
    def size_bytes(self) -> int:
        return (self._total_bytes[-1] if self._total_bytes else self._trimmed_bytes) - self._trimmed_bytes

    @property
    def newest(self) -> bytes:
        return self._records[-1]

    def append(self, record: bytes, *, arrived_ms: int, size_bytes: int) -> None:
        """`arrived_ms` never falls."""
        total = self._total_bytes[-1] if self._total_bytes else self._trimmed_bytes
        self._records.append(record)
        self._arrivals_ms.append(arrived_ms)
        self._total_bytes.append(total + size_bytes)

    def trim(self, before_ms: int) -> None:
        """Forgets what arrived earlier."""
        if not self._records or self._arrivals_ms[0] >= before_ms:
            return
        gone = bisect_left(self._arrivals_ms, before_ms)
        self._trimmed_records += gone
        self._trimmed_bytes = self._total_bytes[gone - 1]
        del self._records[:gone], self._arrivals_ms[:gone], self._total_bytes[:gone]

    def index_at(self, ms: int) -> int:
        """The index of the first record that arrived at or after a time; `next` where none has."""
        return self.first + bisect_left(self._arrivals_ms, ms)

    def arrived_ms(self, index: int) -> int:
        return self._arrivals_ms[index - self.first]

    def page(self, start: int, *, limit: int, max_bytes: int) -> LogPage:
        """The page from `start`, or from the oldest record if that was trimmed: as many as fit, but at least one if there
        is one."""
        start = max(start, self.first)
        if start >= self.next:
            return LogPage([], start, 0)
        begin = start - self.first
        before = self._total_bytes[begin - 1] if begin else self._trimmed_bytes
        fitting = bisect_right(self._total_bytes, before + max_bytes)
        end = min(max(fitting, begin + 1), begin + limit)
        return LogPage(self._records[begin:end], self.first + end, self._total_bytes[end - 1] - before)

    def all(self) -> list[bytes]:
        return list(self._records)


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
    iterators: CallMeter = field(default_factory=CallMeter)
    writes: WriteMeter = field(default_factory=WriteMeter)
    pages: int = 0
    """How many pages were asked for, for the settings that make some of them empty."""
    omissions: int = 0
    """So many more answers of ListShards leave it out."""
    subscriptions: set[Any] = field(default_factory=set)
    """Those of subscription.py: one a consumer at most; each is woken by what arrives."""

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
        """The ending number of a closed shard: above each of its records, below its children."""
        return int(self.sequence_number(self.log.next))

    def sequence_number(self, index: int) -> SequenceNumber:
        return SequenceNumber(self.generation, index, self.stream_tag, self.number)

    def append(self, data: bytes, partition_key: str, *, now_ms: int, is_encrypted: bool) -> int:
        """The new record's sequence number."""
        number = self._start + (self.log.next << INDEX_SHIFT)
        self._last_arrival_ms = max(self._last_arrival_ms, now_ms)
        record = render_record(
            number,
            partition_key=partition_key,
            data=data,
            arrived_ms=self._last_arrival_ms,
            is_encrypted=is_encrypted,
        )
        size_bytes = len(data) + len(partition_key.encode())
        self.log.append(record, arrived_ms=self._last_arrival_ms, size_bytes=size_bytes)
        for subscription in self.subscriptions:
            subscription.wake()
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
