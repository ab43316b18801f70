"""A record, and the JSON that GetRecords sends for it.

The JSON is made once, when the record is put: a page is then nothing but its records joined.
"""

from binascii import b2a_base64
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec


@dataclass(frozen=True, slots=True)
class Record:
    """A record as the stream keeps it."""

    sequence_number: int
    partition_key: str
    data: bytes
    arrived_at: datetime
    shard_id: str


class _Rendered(msgspec.Struct, rename="pascal"):
    sequence_number: str
    partition_key: str
    data: bytes
    approximate_arrival_timestamp: float


def render(number: int, *, partition_key: str, data: bytes, arrived_ms: int, is_encrypted: bool) -> bytes:
    return b'{"SequenceNumber":"%d","ApproximateArrivalTimestamp":%d.%03d,"Data":"%b","PartitionKey":%b%b}' % (
        number,
        arrived_ms // 1000,
        arrived_ms % 1000,
        b2a_base64(data, newline=False),
        msgspec.json.encode(partition_key),
        b',"EncryptionType":"KMS"' if is_encrypted else b"",
    )


def parse(rendered: bytes, shard_id: str) -> Record:
    fields = msgspec.json.decode(rendered, type=_Rendered)
    return Record(
        sequence_number=int(fields.sequence_number),
        partition_key=fields.partition_key,
        data=fields.data,
        arrived_at=datetime.fromtimestamp(fields.approximate_arrival_timestamp, UTC),
        shard_id=shard_id,
    )
