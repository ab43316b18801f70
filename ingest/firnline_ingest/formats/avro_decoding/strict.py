"""Checks of what Avro's specification forbids and fastavro reads all the same, in the bytes of an object that it has read.

An int beyond 32 bits, a long beyond 64 or of more than ten bytes, a negative index of a symbol or of a branch, a boolean that is
neither 0 nor 1, a key twice in a map. Each would be a value in a row that no producer wrote.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

INT_END, LONG_END = 1 << 32, 1 << 64  # of what zigzag makes of a number
LONG_BYTES = 10

Walk = Callable[[bytes, int], int]
"""From where a value begins to where it ends. Raises NotStrict."""


class NotStrict(Exception):
    """Says what the specification forbids."""


def walk_of(parsed: Any, named: Mapping[str, Any]) -> Walk:
    """A walker for a schema that fastavro has parsed, with its named types, and that does not contain itself. It walks what
    was read, so it ends, and stays within the bytes."""
    return _Walks(named)(parsed)


class _Walks:
    def __init__(self, named: Mapping[str, Any]) -> None:
        self._named = named

    def __call__(self, schema: Any) -> Walk:
        if isinstance(schema, list):
            return _union([self(each) for each in schema])
        kind = schema["type"] if isinstance(schema, dict) else schema
        if not isinstance(kind, str):
            return self(kind)
        if kind in SCALARS:
            return SCALARS[kind]
        return self._of_several(kind, schema) if isinstance(schema, dict) else self(self._named[kind])

    def _of_several(self, kind: str, schema: dict[str, Any]) -> Walk:
        match kind:
            case "record" | "error":
                return _record([self(each["type"]) for each in schema["fields"]])
            case "array":
                return _array(self(schema["items"]))
            case "map":
                return _map(self(schema["values"]))
            case "enum":
                return _enum(len(schema["symbols"]))
            case "fixed":
                return _fixed(schema["size"])
        return self(self._named[kind])


def _zigzag(data: bytes, at: int) -> tuple[int, int]:
    """A number of more than a byte, as it is written, and its end."""
    written = shift = 0
    start = at
    while (byte := data[at]) >= 0x80:
        written |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if at - start == LONG_BYTES:
            raise NotStrict(f"a number of more than {LONG_BYTES} bytes")
    written |= byte << shift
    if written >= LONG_END:
        raise NotStrict("a number of more than 64 bits")
    return written, at + 1


def _int(data: bytes, at: int) -> int:
    if data[at] < 0x80:
        return at + 1
    written, at = _zigzag(data, at)
    if written >= INT_END:
        raise NotStrict("an int of more than 32 bits")
    return at


def _long(data: bytes, at: int) -> int:
    return at + 1 if data[at] < 0x80 else _zigzag(data, at)[1]


def _boolean(data: bytes, at: int) -> int:
    if data[at] > 1:
        raise NotStrict(f"a boolean of {data[at]}")
    return at + 1


def count_at(data: bytes, at: int) -> tuple[int, int]:
    """A long's value and end."""
    written, at = (byte, at + 1) if (byte := data[at]) < 0x80 else _zigzag(data, at)
    return (written >> 1) ^ -(written & 1), at


def _bytes(data: bytes, at: int) -> int:
    size, at = count_at(data, at)
    return at + size


def _fixed(size: int) -> Walk:
    return lambda _, at: at + size


def index_at(data: bytes, at: int, length: int, what: str) -> tuple[int, int]:
    index, at = count_at(data, at)
    if not 0 <= index < length:
        raise NotStrict(f"the {what} {index} of {length}")
    return index, at


def _enum(length: int) -> Walk:
    return lambda data, at: index_at(data, at, length, "symbol")[1]


def _union(branches: Sequence[Walk]) -> Walk:
    length = len(branches)

    def walk(data: bytes, at: int) -> int:
        index, at = index_at(data, at, length, "branch")
        return branches[index](data, at)

    return walk


def _record(fields: Sequence[Walk]) -> Walk:
    def walk(data: bytes, at: int) -> int:
        for each in fields:
            at = each(data, at)
        return at

    return walk


def block_at(data: bytes, at: int) -> tuple[int, int]:
    """The number of items in the next block, 0 at the end, and the offset at which they begin."""
    count, at = count_at(data, at)
    if count < 0:
        _, at = count_at(data, at)
    return abs(count), at


def _array(item: Walk) -> Walk:
    def walk(data: bytes, at: int) -> int:
        while (found := block_at(data, at))[0]:
            count, at = found
            for _ in range(count):
                at = item(data, at)
        return found[1]

    return walk


def _map(value: Walk) -> Walk:
    def walk(data: bytes, at: int) -> int:
        keys: set[bytes] = set()
        while (found := block_at(data, at))[0]:
            count, at = found
            for _ in range(count):
                size, start = count_at(data, at)
                key = data[start : start + size]
                if key in keys:
                    raise NotStrict("a map with a key twice")
                keys.add(key)
                at = value(data, start + size)
        return found[1]

    return walk


SCALARS: dict[str, Walk] = {
    "null": _fixed(0),
    "boolean": _boolean,
    "int": _int,
    "long": _long,
    "float": _fixed(4),
    "double": _fixed(8),
    "bytes": _bytes,
    "string": _bytes,
}
