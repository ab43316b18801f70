"""KPL aggregates, by their public format (github.com/awslabs/amazon-kinesis-producer, aggregation-format.md): the protobuf is
read field by field, without Google's library.
"""

import hashlib
from collections.abc import Iterator

from firnline_ingest.kinesis.hash_range import HashRange
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import AggregateFault, AggregateProblem, UserRecord

MAGIC = bytes.fromhex("f3899ac2")
KPL_KEY = "a"
LONGEST_KEY = 256
Field = tuple[int, int | bytes]
"""Its number, and a varint's value or what a length stands in front of."""


def user_records(record: Record, own_range: HashRange) -> list[UserRecord]:
    """A record that is not an aggregate is its own first and only."""
    content, digest = record.Data[len(MAGIC) : -16], record.Data[-16:]
    if not record.Data.startswith(MAGIC) or hashlib.md5(content, usedforsecurity=False).digest() != digest:
        return [_alone(record)]
    try:
        return list(_packed(record, content, own_range))
    except ValueError as error:
        fault = AggregateFault(AggregateProblem.BROKEN, f"a KPL aggregate, and {error}.")
        return [_alone(record, fault)]


def _alone(record: Record, fault: AggregateFault | None = None) -> UserRecord:
    arrival = record.ApproximateArrivalTimestamp
    return UserRecord(record.SequenceNumber, record.Data, record.PartitionKey, arrival, fault=fault)


def _packed(record: Record, content: bytes, own_range: HashRange) -> Iterator[UserRecord]:
    keys: list[str] = []
    hash_keys: list[str] = []
    packed: list[dict[int, int | bytes]] = []
    for number, value in _fields(content):
        if number == 3 and isinstance(value, bytes):
            packed.append({of: each for of, each in _fields(value) if isinstance(each, bytes if of == 3 else int)})
        elif number in (1, 2) and isinstance(value, bytes):  # of another kind it is not a field of an aggregate
            (keys if number == 1 else hash_keys).append(_key(value))
    if not packed:
        raise ValueError("there is no user record in it")
    for place, fields in enumerate(packed):
        data = fields.get(3)
        if not isinstance(data, bytes) or 1 not in fields:
            raise ValueError("a user record in it has no data, or no partition key")
        key, hash_key = _of_table(keys, fields[1]), _of_table(hash_keys, fields[2]) if 2 in fields else None
        fault = None
        if record.PartitionKey == KPL_KEY and not _is_own(own_range, key, hash_key):
            fault = AggregateFault(AggregateProblem.MISPLACED, "its hash key is another shard's")
        arrival = record.ApproximateArrivalTimestamp
        yield UserRecord(record.SequenceNumber, data, key, arrival, place, hash_key, fault)


def _key(value: bytes) -> str:
    text = value.decode()
    if len(text) > LONGEST_KEY:
        raise ValueError(f"a key in it has more than {LONGEST_KEY} characters")
    return text


def _of_table(table: list[str], index: int | bytes) -> str:
    if not isinstance(index, int) or index >= len(table):
        raise ValueError("a user record in it has a key that is in none of its tables")
    return table[index]


def _is_own(own: HashRange, key: str, hash_key: str | None) -> bool:
    if hash_key is None:
        number = int.from_bytes(hashlib.md5(key.encode(), usedforsecurity=False).digest())
    elif hash_key.isascii() and hash_key.isdecimal():
        number = int(hash_key)
    else:
        return True  # it routes nowhere
    return own.first <= number <= own.last


def _fields(message: bytes) -> Iterator[Field]:
    """Protocol Buffers' encoding (protobuf.dev/programming-guides/encoding). Raises ValueError."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        number, kind = tag >> 3, tag & 7
        if number == 0:
            raise ValueError("a field of it has no number")
        if kind == 0:
            value, at = _varint(message, at)
            yield number, value
            continue
        if kind == 2:
            size, at = _varint(message, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise ValueError("it is not a message of Protocol Buffers that an aggregate holds")
        if at + size > len(message):
            raise ValueError("it ends in the middle of a field")
        if kind == 2:
            yield number, message[at : at + size]
        at += size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(10):
        if at + place >= len(message):
            raise ValueError("it ends in the middle of a number")
        byte = message[at + place]
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return value & (1 << 64) - 1, at + place + 1
    raise ValueError("a number of it has more than ten bytes")
