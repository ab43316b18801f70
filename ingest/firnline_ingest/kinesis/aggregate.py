"""Takes KPL aggregates apart: the user records that a producer packed into one Kinesis record.

An aggregate is its magic, a protobuf, and the MD5 of that. What the MD5 does not bear out is a plain record, whatever it
begins with. What it does bear out is taken apart whole or not at all. Positions are (sequence number, sub-sequence
number), so that a page can be given away in pieces, and a restart inside an aggregate goes on inside of it.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
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
            if after is None:
                yield from self._of(record)
            else:
                yield from (user_record for user_record in self._of(record) if _is_left(user_record, after))

    def _of(self, record: Record) -> Iterable[UserRecord]:
        if not is_aggregate(record.Data):
            return [_alone(record)]
        if record.PartitionKey == KPL_PARTITION_KEY and self._range is None:
            self._range = self._own_range()
        return user_records(record, self._range)


def has_aggregates(records: Sequence[Record]) -> bool:
    """Or what begins like one."""
    return MAGIC in [record.Data[: len(MAGIC)] for record in records]


def is_aggregate(data: bytes) -> bool:
    """True if the data has the magic bytes and the MD5 of a KPL aggregate; what only looks like one has not."""
    if not data.startswith(MAGIC) or len(data) <= len(MAGIC) + DIGEST_BYTES:
        return False
    return hashlib.md5(_content(data), usedforsecurity=False).digest() == data[-DIGEST_BYTES:]


def user_records(record: Record, own_range: HashRange | None) -> Iterable[UserRecord]:
    """The user records of an aggregate; each one's index in it is its sub-sequence number.

    One that can't be taken apart, or has none, is one record with a fault. `own_range` is the shard's: of a KPL's aggregate
    the records outside of it have a fault, because the KPL puts these again.
    """
    own_range = own_range if record.PartitionKey == KPL_PARTITION_KEY else None
    try:
        aggregate = _parsed(record.Data)
        if len(record.Data) <= PIECE_BYTES:
            return list(_unpacked(record, aggregate, own_range))
        for _ in _unpacked(record, aggregate, own_range):
            pass  # a large one is not kept, and that all of it is good has to be known before any is given away
        return _unpacked(record, aggregate, own_range)
    except ValueError as error:
        return [_alone(record, AggregateFault(AggregateProblem.BROKEN, f"a KPL aggregate, and {error}."))]


def _unpacked(record: Record, aggregate: AggregatedRecord, own_range: HashRange | None) -> Iterator[UserRecord]:
    """Raises ValueError for a record whose key is not in the tables."""
    sequence_number, arrival = record.SequenceNumber, record.ApproximateArrivalTimestamp
    keys, hash_keys = list(aggregate.partition_key_table), list(aggregate.explicit_hash_key_table)
    fault_of = None if own_range is None or own_range.is_whole else _Faults(keys, hash_keys, own_range)
    for number, packed in enumerate(aggregate.records):
        key_index = packed.partition_key_index
        hash_index = packed.explicit_hash_key_index if packed.HasField("explicit_hash_key_index") else None
        try:
            key, hash_key = keys[key_index], None if hash_index is None else hash_keys[hash_index]
        except IndexError as error:
            raise ValueError("a user record in it has a key that is in none of its tables") from error
        fault = fault_of(key_index, hash_index) if fault_of else None
        yield UserRecord(sequence_number, packed.data, key, arrival, number, hash_key, fault)


class _Faults:
    """The faults of one aggregate's user records, by their keys, each judged once."""

    def __init__(self, keys: Sequence[str], hash_keys: Sequence[str], own_range: HashRange) -> None:
        self._keys = keys
        self._hash_keys = hash_keys
        self._range = own_range
        self._of_key: dict[int, AggregateFault | None] = {}
        self._of_hash_key: dict[int, AggregateFault | None] = {}

    def __call__(self, key_index: int, hash_index: int | None) -> AggregateFault | None:
        known, index = (self._of_key, key_index) if hash_index is None else (self._of_hash_key, hash_index)
        if index not in known:
            hash_key = None if hash_index is None else self._hash_keys[hash_index]
            known[index] = self._judged(self._range.owns(self._keys[key_index], hash_key))
        return known[index]

    def _judged(self, is_own: bool) -> AggregateFault | None:
        if is_own:
            return None
        return AggregateFault(
            AggregateProblem.MISPLACED,
            f"its hash key is another shard's (this one has {self._range.first} to {self._range.last}): the KPL, which packed "
            "it before a resharding, puts it again, into the right shard.",
        )


def _parsed(data: bytes) -> AggregatedRecord:
    """Raises ValueError with what is wrong: no message, keys that none can be, nothing in it."""
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
