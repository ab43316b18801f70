"""Takes KPL aggregates apart: the user records that a producer packed into one Kinesis record.

An aggregate is its magic, a protobuf, and the MD5 of that. What the MD5 does not bear out is a plain record, whatever it
begins with. What it does bear out is taken apart whole or not at all. Positions are (sequence number, sub-sequence
number), so that a page can be given away in pieces, and a restart inside an aggregate goes on inside of it.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from firnline_ingest.kinesis.aggregated_record import FOREIGN, AggregatedRecord, parse
from firnline_ingest.kinesis.hash_range import HashRange
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import AggregateFault, AggregateProblem, UserRecord
from firnline_ingest.values import Position

MAGIC = b"\xf3\x89\x9a\xc2"
DIGEST_BYTES = 16
KPL_PARTITION_KEY = "a"
"""Of every aggregate that the KPL itself puts, which routes by explicit hash key; other producers give a key of a record."""
LONGEST_KEY = 256  # characters: Kinesis takes no longer partition key, so no user record can have one
MOST_PARTS = 1_000_000  # keys and user records of one aggregate; a megabyte can't hold half as many
LENGTH_DELIMITED = 2  # the wire type of every field of an aggregate
PIECE_BYTES = 1_000_000  # about what a page of plain records has
PIECE_RECORDS = 10_000

OwnHashRange = Callable[[], HashRange]
"""Asked for with the first aggregate of a KPL. May raise KinesisError."""


class UserRecords:
    """Takes the pages of one shard apart; not thread-safe."""

    def __init__(self, own_range: OwnHashRange, after: Position | None = None, *, is_on: bool = True) -> None:
        self._own_range = own_range
        self._range: HashRange | None = None
        self._after = after
        self._is_on = is_on

    def pieces(self, records: Sequence[Record]) -> Iterator[Sequence[Record]]:
        """The page's user records in order, without those at or before `after`: as the page is, where it has no aggregate,
        else in pieces of bounded size. Every record of the page is at least one in a piece.

        Raises what `own_range` raises, before it gave away anything of the aggregate.
        """
        if not records:
            return
        after, self._after = self._after, None
        if not self._is_on and after and after.sub_sequence_number:
            yield from _pieces(self._each(records[:1], after))  # what was begun when it was on
            records = records[1:]
        if self._is_on and has_aggregates(records):
            yield from _pieces(self._each(records, after))
        elif rest := records[1:] if after and records and not _is_left(records[0], after) else records:
            yield rest

    def _each(self, records: Sequence[Record], after: Position | None) -> Iterator[UserRecord]:
        for record in records:
            for user_record in self._of(record):
                if after is None or _is_left(user_record, after):
                    yield user_record

    def _of(self, record: Record) -> Iterator[UserRecord]:
        if not is_aggregate(record.Data):
            return iter([_alone(record)])
        if record.PartitionKey == KPL_PARTITION_KEY and self._range is None:
            self._range = self._own_range()
        return user_records(record, self._range)


def has_aggregates(records: Sequence[Record]) -> bool:
    """Or what begins like one."""
    return MAGIC in [record.Data[: len(MAGIC)] for record in records]


def is_aggregate(data: bytes) -> bool:
    """By magic and MD5: what a producer packed, and nothing that only looks like it."""
    if not data.startswith(MAGIC) or len(data) <= len(MAGIC) + DIGEST_BYTES:
        return False
    return hashlib.md5(_content(data), usedforsecurity=False).digest() == data[-DIGEST_BYTES:]


def user_records(record: Record, own_range: HashRange | None) -> Iterator[UserRecord]:
    """Of a record that is an aggregate; its number in it is the sub-sequence number of each.

    One that can't be taken apart, or has none, is one record with a fault. `own_range` is the shard's: of a KPL's aggregate
    the records outside of it have a fault, because the KPL puts these again.
    """
    try:
        aggregate = _parsed(record.Data)
    except ValueError as error:
        yield _alone(record, AggregateFault(AggregateProblem.BROKEN, f"a KPL aggregate, and {error}."))
        return
    faults = _Faults(aggregate, own_range if record.PartitionKey == KPL_PARTITION_KEY else None)
    keys, hash_keys = list(aggregate.partition_key_table), list(aggregate.explicit_hash_key_table)
    for number, packed in enumerate(aggregate.records):
        hash_index = packed.explicit_hash_key_index if packed.HasField("explicit_hash_key_index") else None
        yield UserRecord(
            record.SequenceNumber,
            packed.data,
            keys[packed.partition_key_index],
            record.ApproximateArrivalTimestamp,
            number,
            None if hash_index is None else hash_keys[hash_index],
            faults.of(packed.partition_key_index, hash_index),
        )


class _Faults:
    """Of the user records of one aggregate: a few keys, and many records with each of them."""

    def __init__(self, aggregate: AggregatedRecord, own_range: HashRange | None) -> None:
        self._keys = aggregate.partition_key_table
        self._hash_keys = aggregate.explicit_hash_key_table
        self._range = None if own_range is None or own_range.is_whole else own_range
        self._known: dict[tuple[int, int | None], AggregateFault | None] = {}

    def of(self, key_index: int, hash_index: int | None) -> AggregateFault | None:
        if self._range is None:
            return None
        place = (0, hash_index) if hash_index is not None else (key_index, None)
        if place not in self._known:
            self._known[place] = self._judged(self._range, *place)
        return self._known[place]

    def _judged(self, own_range: HashRange, key_index: int, hash_index: int | None) -> AggregateFault | None:
        hash_key = None if hash_index is None else self._hash_keys[hash_index]
        if own_range.owns(self._keys[key_index], hash_key):
            return None
        return AggregateFault(
            AggregateProblem.MISPLACED,
            f"its hash key is another shard's (this one has {own_range.first} to {own_range.last}): the KPL, which packed it "
            "before a resharding, puts it once more, into the right shard.",
        )


def _parsed(data: bytes) -> AggregatedRecord:
    """Raises ValueError with what is wrong, for an aggregate that can't be taken apart in whole."""
    content = _content(data)
    if len(content) > 2 * MOST_PARTS:
        _refuse_too_many_parts(content)
    aggregate = parse(bytes(content))
    keys, hash_keys = aggregate.partition_key_table, aggregate.explicit_hash_key_table
    if not all(isinstance(key, str) for table in (keys, hash_keys) for key in table):
        raise ValueError("a key in it is not UTF-8")
    if any(len(key) > LONGEST_KEY for table in (keys, hash_keys) for key in table):
        raise ValueError(f"a key in it has more than {LONGEST_KEY} characters")
    if not aggregate.records:
        raise ValueError("there is no user record in it")
    most, hash_most = len(keys), len(hash_keys)
    for packed in aggregate.records:
        is_outside = packed.explicit_hash_key_index >= hash_most and packed.HasField("explicit_hash_key_index")
        if is_outside or packed.partition_key_index >= most:
            raise ValueError("a user record in it has a key that is in none of its tables")
    return aggregate


def _refuse_too_many_parts(content: memoryview) -> None:
    """Counts along the message's own fields, before anything is made of them. Raises ValueError."""
    place = parts = 0
    while place < len(content):
        tag, place = _varint(content, place)
        if tag & 7 != LENGTH_DELIMITED:
            raise ValueError(FOREIGN)
        size, place = _varint(content, place)
        place, parts = place + size, parts + 1
        if parts > MOST_PARTS:
            raise ValueError(f"it has more than {MOST_PARTS:,} keys and user records")


def _varint(content: memoryview, place: int) -> tuple[int, int]:
    """The number that begins there, and the place behind it. Raises ValueError where there is none."""
    value = 0
    for shift, byte in zip(range(0, 64, 7), content[place : place + 10], strict=False):
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place + shift // 7 + 1
    raise ValueError(FOREIGN)


def _content(data: bytes) -> memoryview:
    return memoryview(data)[len(MAGIC) : -DIGEST_BYTES]


def _alone(record: Record, fault: AggregateFault | None = None) -> UserRecord:
    arrival = record.ApproximateArrivalTimestamp
    return UserRecord(record.SequenceNumber, record.Data, record.PartitionKey, arrival, fault=fault)


def _is_left(record: Record, after: Position) -> bool:
    place = record.position
    return place > after or (after.is_inside_record and place == replace(after, row=0))


def _pieces(records: Iterator[UserRecord]) -> Iterator[Sequence[UserRecord]]:
    piece, size = list[UserRecord](), 0
    for record in records:
        piece.append(record)
        size += len(record.Data) + len(record.PartitionKey)
        if size >= PIECE_BYTES or len(piece) == PIECE_RECORDS:
            yield piece
            piece, size = [], 0
    if piece:
        yield piece
