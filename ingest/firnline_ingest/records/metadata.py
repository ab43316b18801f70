"""The metadata that each row carries: one object, whose names and forms are those of Openflow's KINESISMETADATA, or a member
for each part.

What is the same for a whole shard is rendered once; a record fills the gaps of a template.
"""

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import msgspec

from firnline_ingest.config.rows import Metadata, MetadataForm, MetadataTimes, PartName
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import UserRecord

# What a record has for each gap of its template, by firnline-native's numbers.
ARRIVAL, KEY, SEQUENCE, SUB_SEQUENCE, SHARDED, HASH_KEY, PUSHED, NOTHING = 0, 1, 2, 3, 4, 5, 6, 255
GAPS = (ARRIVAL, KEY, SEQUENCE, SEQUENCE, PUSHED)
GAPS_OF_AGGREGATES = (ARRIVAL, KEY, SEQUENCE, SUB_SEQUENCE, SHARDED, HASH_KEY, PUSHED)

USUAL_DIGITS = 20
_gap = re.compile(rb"%(\.0)?b|%%")
_encode = msgspec.json.Encoder().encode
_MILLISECONDS = {
    times: [b'.%03d%b"' % (millisecond, zone) for millisecond in range(1000)]
    for times, zone in ((MetadataTimes.ISO_UTC, b"Z"), (MetadataTimes.ISO, b""))
}


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
            self._template = _template(metadata, _values(metadata, stream, shard_id))
            self._aggregated = _template(metadata, _values(metadata, stream, shard_id, is_aggregated=True))
        self._digits = metadata.sharded_digits
        self.has_usual_forms = metadata.times is MetadataTimes.ISO_UTC and self._digits == USUAL_DIGITS
        """Whether times and numbers are written as firnline-native writes them, which knows no other form."""
        self._milliseconds = _MILLISECONDS.get(metadata.times)
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
            sharded = b"%b%0*d" % (sequence_number, self._digits, number)
            values = (arrival, key, sequence_number, b"%d" % number, sharded, _encode(hash_key), pushed)
            return self._aggregated % values
        return self._template % (arrival, key, sequence_number, sequence_number, pushed)

    def numbered(self, head: bytes, row: int) -> bytes:
        """A record's head for one of its rows, which has its number, from 0."""
        if not self._row:
            return head
        return b"%b%b%d%b" % (head[:-1] if self._end else head, self._row, row, self._end)

    def _moment(self, ms: int) -> bytes:
        """ISO 8601 with milliseconds, in quotes, or a number. Records come in order: the second is usually the last one's."""
        if self._milliseconds is None:
            return b"%d" % ms
        second, millisecond = divmod(ms, 1000)
        if second != self._second:
            text = (
                f'"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S}'.encode()
            )  # raises for a year that has five digits
            self._second, self._second_text = second, text
        return self._second_text + self._milliseconds[millisecond]


def _values(metadata: Metadata, stream: str, shard_id: str, *, is_aggregated: bool = False) -> dict[PartName, bytes]:
    """The value of each part. %b takes what the record has: they are filled in this order."""
    return {
        "stream": _literal(stream),
        "shard_id": _literal(shard_id),
        "approximate_arrival": b"%b",
        "partition_key": b"%b",
        "sequence_number": b'"%b"',
        "sub_sequence_number": b"%b" if is_aggregated else b"0",
        "sharded_sequence_number": b'"%b' + (b"" if is_aggregated else b"0" * metadata.sharded_digits) + b'"',
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
