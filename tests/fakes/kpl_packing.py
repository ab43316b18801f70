"""Packs user records into one, as the Kinesis Producer Library does: what a producer of aggregates puts.

Format: github.com/awslabs/amazon-kinesis-producer, aggregation-format.md. Written by hand, and so a second opinion on the
engine's way of taking them apart.
"""

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

MAGIC = b"\xf3\x89\x9a\xc2"
KPL_PARTITION_KEY = "a"
"""What the KPL itself gives every aggregate; it routes them by explicit hash key."""


class Packed(NamedTuple):
    """A user record."""

    data: bytes
    partition_key: str = "key"
    explicit_hash_key: str | None = None


def pack(records: Iterable[Packed]) -> bytes:
    """The data of one Kinesis record. Keys that records have in common are written once."""
    keys: dict[str, int] = {}
    hash_keys: dict[str, int] = {}
    written = []
    for record in records:
        text = b"\x08" + _varint(keys.setdefault(record.partition_key, len(keys)))
        if record.explicit_hash_key is not None:
            text += b"\x10" + _varint(hash_keys.setdefault(record.explicit_hash_key, len(hash_keys)))
        written.append(_field(3, text + _field(3, record.data)))
    tables = [_field(1, key.encode()) for key in keys] + [_field(2, key.encode()) for key in hash_keys]
    return sealed(b"".join((*tables, *written)))


def sealed(message: bytes) -> bytes:
    """With magic and checksum, whatever the message is."""
    return MAGIC + message + hashlib.md5(message, usedforsecurity=False).digest()


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    groups = []
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*groups, number))
