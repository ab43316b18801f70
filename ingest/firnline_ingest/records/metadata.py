"""The metadata that each row carries: one object, whose names and forms are those of Openflow's KINESISMETADATA, or a member
for each part.

What is the same for a whole shard is rendered once; a record fills the gaps of a template.
"""

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import msgspec

from firnline_ingest.config.rows import Metadata, MetadataForm, PartName
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import UserRecord

SUB_SEQUENCE_DIGITS = 20  # of shardedSequenceNumber, so that it orders like the pair that it is made of

# What a record has for each gap of its template, by firnline-native's numbers.
ARRIVAL, KEY, SEQUENCE, SUB_SEQUENCE, SHARDED, HASH_KEY, PUSHED, NOTHING = 0, 1, 2, 3, 4, 5, 6, 255
GAPS = (ARRIVAL, KEY, SEQUENCE, SEQUENCE, PUSHED)
GAPS_OF_AGGREGATES = (ARRIVAL, KEY, SEQUENCE, SUB_SEQUENCE, SHARDED, HASH_KEY, PUSHED)

_gap = re.compile(rb"%(\.0)?b|%%")
_encode = msgspec.json.Encoder().encode
_MILLISECONDS = [b'.%03dZ"' % millisecond for millisecond in range(1000)]


def clock_ms() -> int:
    """Since 1970."""
    return int(time.time() * 1000)


class MetadataHead:
    """Renders the start of a row without its closing brace, or nothing where every part is switched off."""

    def __init__(self, metadata: Metadata, *, stream: str, shard_id: str) -> None:
        self.columns = metadata.columns(are_numbered=False)
        """Those that every row's metadata takes, as they are stored."""
        self._template = self._aggregated = b""
        if self.columns:
            self._template = _template(metadata, _values(stream, shard_id))
            self._aggregated = _template(metadata, _values(stream, shard_id, is_aggregated=True))
        self._end = b"" if metadata.form is MetadataForm.COLUMNS else b"}"
        self._row = b"," + _encode(metadata.name_of("row")) + b":" if self.columns and metadata.is_on("row") else b""
        self._second = -1
        self._second_text = b""
        self._pushed = b"null"

    def pushed_at(self, ms: int) -> None:
        """Sets what the heads from now on say of when their rows were made; milliseconds since 1970."""
        self._pushed = self._moment(ms)

    @property
    def pieces(self) -> tuple[list[tuple[bytes, int]], list[tuple[bytes, int]]]:
        """The templates of plain records and of those of aggregates, as bytes with the gap behind them."""
        return list(_pieces(self._template, GAPS)), list(_pieces(self._aggregated, GAPS_OF_AGGREGATES))

    @property
    def pushed(self) -> bytes:
        return self._pushed

    def __call__(self, record: Record) -> bytes:
        if not self._template:
            return b""
        sequence_number = record.SequenceNumber.encode()
        timestamp = record.ApproximateArrivalTimestamp
        arrival = b"null" if timestamp is None else self._moment(round(timestamp * 1000))
        key, pushed = _encode(record.PartitionKey), self._pushed
        if isinstance(record, UserRecord):
            number, hash_key = record.SubSequenceNumber, record.ExplicitHashKey
            sharded = b"%b%0*d" % (sequence_number, SUB_SEQUENCE_DIGITS, number)
            values = (arrival, key, sequence_number, b"%d" % number, sharded, _encode(hash_key), pushed)
            return self._aggregated % values
        return self._template % (arrival, key, sequence_number, sequence_number, pushed)

    def numbered(self, head: bytes, row: int) -> bytes:
        """A record's head for one of its rows, which has its number, from 0."""
        if not self._row:
            return head
        return b"%b%b%d%b" % (head[:-1] if self._end else head, self._row, row, self._end)

    def _moment(self, ms: int) -> bytes:
        """ISO 8601 with milliseconds, in quotes. Records come in order, so the second is usually the last one's."""
        second, millisecond = divmod(ms, 1000)
        if second != self._second:
            self._second = second
            self._second_text = f'"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S}'.encode()
        return self._second_text + _MILLISECONDS[millisecond]


def _values(stream: str, shard_id: str, *, is_aggregated: bool = False) -> dict[PartName, bytes]:
    """The value of each part. %b takes what the record has: they are filled in this order."""
    return {
        "stream": _literal(stream),
        "shard_id": _literal(shard_id),
        "approximate_arrival": b"%b",
        "partition_key": b"%b",
        "sequence_number": b'"%b"',
        "sub_sequence_number": b"%b" if is_aggregated else b"0",
        "sharded_sequence_number": b'"%b' + (b"" if is_aggregated else b"0" * SUB_SEQUENCE_DIGITS) + b'"',
        "explicit_hash_key": b"%b" if is_aggregated else b"null",
        "push_time": b"%b",
    }


def _template(metadata: Metadata, values: dict[PartName, bytes]) -> bytes:
    is_object = metadata.form is not MetadataForm.COLUMNS
    text = b"{" + _literal(metadata.columns(are_numbered=False)[0]) + b":{" if is_object else b"{"
    comma = b""
    for part, value in values.items():
        if metadata.is_on(part):
            text += comma + _literal(metadata.name_of(part)) + b":" + value
            comma = b","
        elif b"%b" in value:
            text += b"%.0b"  # takes the record's value all the same, and prints nothing of it
    return text + b"}" if is_object else text


def _pieces(template: bytes, gaps: tuple[int, ...]) -> Iterator[tuple[bytes, int]]:
    piece, start, left = b"", 0, iter(gaps)
    for found in _gap.finditer(template):
        piece += template[start : found.start()]
        start = found.end()
        if found[0] == b"%%":
            piece += b"%"
        elif found[1]:
            next(left)  # takes the record's value all the same, and prints nothing of it
        else:
            yield piece, next(left)
            piece = b""
    if piece + template[start:]:
        yield piece + template[start:], NOTHING


def _literal(text: str) -> bytes:
    return _encode(text).replace(b"%", b"%%")


def splice(head: bytes, payload: bytes) -> bytes:
    """Puts `head` in front of a payload's own members, byte by byte: the payload is never rebuilt.

    `head` is an object without its closing brace, or empty; `payload` a JSON object, checked and on one line. The row parses to
    the head's members followed by the payload's (a property test says so).
    """
    if not head:
        return payload
    if payload.startswith(b'{"'):
        return b"%b,%b" % (head, payload[1:])
    members = payload.lstrip()[1:].lstrip()
    return head + members if members.startswith(b"}") else b"%b,%b" % (head, members)
