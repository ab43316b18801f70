"""The metadata object that each row carries: names and forms are those of Openflow's KINESISMETADATA.

What is the same for a whole shard is rendered once; a record fills the gaps of a template.
"""

from datetime import UTC, datetime

import msgspec

from firnline_ingest.config.rows import Metadata
from firnline_ingest.identifiers import stored_name
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import UserRecord

SUB_SEQUENCE_DIGITS = 20  # of shardedSequenceNumber, so that it orders like the pair that it is made of

_encode = msgspec.json.Encoder().encode
_MILLISECONDS = [b'.%03dZ"' % millisecond for millisecond in range(1000)]


class MetadataHead:
    """Renders the start of a row: `{"KINESISMETADATA":{...}`, or nothing where every part is switched off."""

    def __init__(self, parts: Metadata, *, stream: str, shard_id: str) -> None:
        members = _members(parts, stream, shard_id)
        self.column = stored_name(parts.column) if any(is_on for is_on, _, _ in members) else None
        self._template = _template(self.column, members) if self.column else b""
        self._has_row = parts.row and self.column is not None
        of_an_aggregate = _members(parts, stream, shard_id, is_aggregated=True)
        self._aggregated = _template(self.column, of_an_aggregate) if self.column else b""
        self._second = -1
        self._second_text = b""

    def __call__(self, record: Record) -> bytes:
        if not self._template:
            return b""
        sequence_number = record.SequenceNumber.encode()
        arrival = self._arrival(record.ApproximateArrivalTimestamp)
        if isinstance(record, UserRecord):
            number, hash_key = record.SubSequenceNumber, record.ExplicitHashKey
            sharded = b"%b%0*d" % (sequence_number, SUB_SEQUENCE_DIGITS, number)
            key = _encode(record.PartitionKey)
            return self._aggregated % (arrival, key, sequence_number, b"%d" % number, sharded, _encode(hash_key))
        return self._template % (arrival, _encode(record.PartitionKey), sequence_number, sequence_number)

    def numbered(self, head: bytes, row: int) -> bytes:
        """A record's head for one of its rows, which has its number, from 0."""
        if not self._has_row:
            return head
        return b'%b,"row":%d}' % (head[:-1], row)

    def _arrival(self, timestamp: float | None) -> bytes:
        """ISO 8601 with milliseconds, in quotes. Records come in order, so the second is usually the last one's."""
        if timestamp is None:
            return b"null"
        second, millisecond = divmod(round(timestamp * 1000), 1000)
        if second != self._second:
            self._second = second
            self._second_text = f'"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S}'.encode()
        return self._second_text + _MILLISECONDS[millisecond]


def _members(
    parts: Metadata, stream: str, shard_id: str, *, is_aggregated: bool = False
) -> list[tuple[bool, bytes, bytes]]:
    """Whether a part is on, its name, its value. %b takes what the record has: they are filled in this order."""
    sharded = b'"%b' + (b"" if is_aggregated else b"0" * SUB_SEQUENCE_DIGITS) + b'"'
    return [
        (parts.stream, b"stream", _literal(stream)),
        (parts.shard_id, b"shardId", _literal(shard_id)),
        (parts.approximate_arrival, b"approximateArrival", b"%b"),
        (parts.partition_key, b"partitionKey", b"%b"),
        (parts.sequence_number, b"sequenceNumber", b'"%b"'),
        (parts.sub_sequence_number, b"subSequenceNumber", b"%b" if is_aggregated else b"0"),
        (parts.sharded_sequence_number, b"shardedSequenceNumber", sharded),
        (parts.explicit_hash_key, b"explicitHashKey", b"%b" if is_aggregated else b"null"),
    ]


def _template(column: str, members: list[tuple[bool, bytes, bytes]]) -> bytes:
    text = b"{" + _literal(column) + b":{"
    comma = b""
    for is_on, name, value in members:
        if is_on:
            text += comma + b'"' + name + b'":' + value
            comma = b","
        elif b"%b" in value:
            text += b"%.0b"  # takes the record's value all the same, and prints nothing of it
    return text + b"}"


def _literal(text: str) -> bytes:
    return _encode(text).replace(b"%", b"%%")
