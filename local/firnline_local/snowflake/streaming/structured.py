"""Values of structured types: an object has its type's keys and no others, and each value is converted.

Those are the rules of a cast (`sql-reference/data-types-structured`): no page says that streaming is kinder.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

import msgspec

from firnline_local.snowflake.catalog.types import DataType

Found = TypeVar("Found")
Encoded = Callable[[bytes], bytes]
"""From a value's JSON to what is kept of it, JSON too. Raises NotAsTyped, or what the conversion of a scalar raises."""

_values = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode
_encode = msgspec.json.Encoder().encode


class NotAsTyped(Exception):
    """What of a value its structured type does not allow."""


def structured(kind: DataType, scalar: Callable[[DataType], Encoded]) -> Encoded:
    """`scalar` makes the converter of a type without parts."""
    if not kind.parts:
        return scalar(kind)
    inner = [_part(each.nullable, structured(each.type, scalar)) for each in kind.parts]
    if kind.family == "ARRAY":
        return partial(_array, inner[0])
    if kind.family == "MAP":
        of_keys, of_values = inner
        return partial(_map, of_keys, of_values)
    return partial(_object, {part.key: each for part, each in zip(kind.parts, inner, strict=True)})


def _part(nullable: bool, convert: Encoded) -> Encoded:
    def checked(value: bytes) -> bytes:
        if value != b"null":
            return convert(value)
        if not nullable:
            raise NotAsTyped("NULL where the type says NOT NULL")
        return value

    return checked


def _array(element: Encoded, value: bytes) -> bytes:
    return b"[%b]" % b",".join(element(bytes(each)) for each in _read(_elements, value, "ARRAY"))


def _object(keys: Mapping[str, Encoded], value: bytes) -> bytes:
    found = _read(_values, value, "OBJECT")
    if others := sorted(found.keys() ^ keys.keys()):
        raise NotAsTyped(f"the key {others[0]} is {'not in the type' if others[0] in found else 'missing'}")
    return _written([(_encode(key), convert(bytes(found[key]))) for key, convert in keys.items()])


def _map(key: Encoded, element: Encoded, value: bytes) -> bytes:
    found = _read(_values, value, "MAP")
    return _written([(_quoted(key(_encode(name))), element(bytes(each))) for name, each in found.items()])


def _quoted(key: bytes) -> bytes:
    return key if key.startswith(b'"') else b'"%b"' % key


def _written(members: Sequence[tuple[bytes, bytes]]) -> bytes:
    return b"{%b}" % b",".join(b"%b:%b" % member for member in members)


def _read(decode: Callable[[bytes], Found], value: bytes, family: str) -> Found:
    try:
        return decode(value)
    except msgspec.MsgspecError:
        raise NotAsTyped(f"it is no {family}") from None
