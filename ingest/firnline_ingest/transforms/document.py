"""A record on its way through transforms: opened only where one of them looks, every other value as it was written.

So numbers and texts keep the form in which they stand, and what no transform touches costs next to nothing.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from firnline_ingest.config.field_path import Each, Step
from firnline_ingest.transforms.errors import DuplicateKeys, Untransformable

Value = Any
"""msgspec.Raw as it was written, or opened: a dict or a list of Values."""
Members = dict[str, Value]

_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_items = msgspec.json.Decoder(list[msgspec.Raw]).decode
_encode = msgspec.json.Encoder().encode


class Document:
    """One record: JSON of any kind that was checked. Whoever changes it says so in `is_changed`."""

    __slots__ = ("_payload", "is_changed", "root")

    def __init__(self, payload: bytes) -> None:
        self._payload = payload
        self.root: list[Value] = [msgspec.Raw(payload)]
        """The record, as the only item of a list: so every value has a holder in which it can be replaced."""
        self.is_changed = False

    def written(self) -> bytes:
        """The payload itself where nothing was changed."""
        return written(self.root[0]) if self.is_changed else self._payload

    def members(self) -> Members:
        """Of the record, opened. Raises Untransformable for one that is no object."""
        return members_in(self.root, 0, "the record")

    def places(self, steps: Sequence[Step]) -> Iterator[tuple[Any, Any]]:
        """Each place of that path that is there: the dict or list that holds it, opened, and its key or index."""
        return _places(self.root, 0, steps)


def members_in(holder: Any, key: Any, name: str) -> Members:
    """The object that stands there, opened. Raises Untransformable for anything else."""
    value = holder[key] = opened(holder[key])
    if not isinstance(value, dict):
        raise Untransformable(f"{name} is no object")
    return value


def opened(value: Value) -> Value:
    """An object as a dict, an array as a list, one level deep; any other value as it is. Raises DuplicateKeys."""
    if not isinstance(value, msgspec.Raw):
        return value
    match first_byte(value):
        case b"{":
            return _opened_object(bytes(value))
        case b"[":
            return _items(value)
    return value


def written(value: Value) -> bytes:
    """As JSON: what was not opened as it stands in the record."""
    return bytes(value) if isinstance(value, msgspec.Raw) else _encode(value)


def compact(value: Value) -> bytes:
    """As JSON without blanks: the same whether an earlier transform has opened it or not."""
    return msgspec.json.format(written(value), indent=-1)


def first_byte(value: msgspec.Raw) -> bytes:
    """Which tells what kind of value it is."""
    return bytes(value).lstrip()[:1]


def _places(holder: Any, key: Any, steps: Sequence[Step]) -> Iterator[tuple[Any, Any]]:
    if not steps:
        yield holder, key
        return
    value = holder[key] = opened(holder[key])
    step, rest = steps[0], steps[1:]
    if step is Each.ITEM:
        for index in range(len(value)) if isinstance(value, list) else ():
            yield from _places(value, index, rest)
    elif isinstance(value, dict) and step in value:
        yield from _places(value, step, rest)


def _opened_object(payload: bytes) -> Members:
    members = _members(payload)
    if _size(members) != len(payload):
        payload = msgspec.json.format(payload, indent=-1)
        if _size(_members(payload)) != len(payload):
            _refuse_duplicates(payload)
    return dict(members)


def _size(members: Mapping[str, msgspec.Raw]) -> int:
    """Of the object without blanks, with its keys as msgspec writes them."""
    if not members:
        return 2
    return len(_encode(list(members))) + sum(map(len, members.values())) + len(members)


def _refuse_duplicates(payload: bytes) -> None:
    """The slow way, for keys with escapes that they don't need."""
    for key, count in Counter(json.loads(payload, object_pairs_hook=_keys, parse_int=str, parse_float=str)).items():
        if count > 1:
            raise DuplicateKeys(f"the key {key[:60]!r} occurs {count} times")


def refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """For json.loads, which would keep the last of two values. Raises DuplicateKeys."""
    members = dict(pairs)
    if len(members) < len(pairs):
        key, count = Counter(key for key, _ in pairs).most_common(1)[0]
        raise DuplicateKeys(f"the key {key[:60]!r} occurs {count} times")
    return members


def _keys(pairs: list[tuple[str, object]]) -> list[str]:
    return [key for key, _ in pairs]
