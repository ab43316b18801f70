"""A record on its way through transforms: opened only where one of them looks, every other value as it was written.

So numbers and texts keep the form in which they stand, and what no transform touches costs next to nothing.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Context, Decimal, InvalidOperation
from typing import Any

import msgspec

from firnline_ingest.config.field_path import Each, Step
from firnline_ingest.nesting import is_too_deep
from firnline_ingest.records.rejection import DuplicateKeys, Untransformable
from firnline_ingest.records.scalar import BEYOND, CONTAINER, Scalar

Value = Any
"""msgspec.Raw as it was written, or opened: a dict or a list of Values."""
Members = dict[str, Value]

_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_items = msgspec.json.Decoder(list[msgspec.Raw]).decode
_text = msgspec.json.Decoder(str).decode
_raw = msgspec.json.Decoder(msgspec.Raw).decode
WORDS: dict[bytes, bool | None] = {b"t": True, b"f": False, b"n": None}
EMPTY = msgspec.Raw(b"{}")
STRICT = Context(traps=[InvalidOperation])
"""Not that of the thread, which a callable may have changed."""


class Document:
    """One record: JSON of any kind that was checked. Code that changes what a holder holds sets `is_changed`."""

    __slots__ = ("_payload", "is_changed", "root")

    def __init__(self, payload: bytes) -> None:
        self._payload = payload
        self.root: list[Value] = [msgspec.Raw(payload)]
        """The record, as the only item of a list: so every value has a holder in which it can be replaced."""
        self.is_changed = False

    def payload(self) -> bytes:
        """Returns the bytes that it was made of, if nothing was changed."""
        return self.written(self.root[0]) if self.is_changed else self._payload

    def put(self, holder: Any, key: Any, json_text: bytes) -> None:
        """Puts that value in this place."""
        holder[key] = msgspec.Raw(json_text)
        self.is_changed = True

    def become(self, value: Value) -> None:
        """Another record."""
        self.root[0] = value
        self.is_changed = True

    def members(self) -> Members:
        """The members of the record. Raises Untransformable if it is not an object."""
        return _members_in(self.root, 0, "the record")

    def members_at(self, way: Sequence[str]) -> Members:
        """The members of the object at this path, which is created if it is missing. Raises Untransformable."""
        members, name = self.members(), ""
        for key in way:
            members.setdefault(key, EMPTY)
            name = f"{name}.{key}" if name else key
            members = _members_in(members, key, name)
        return members

    def places(self, steps: Sequence[Step]) -> Iterator[tuple[Any, Any]]:
        """Each place of that path that is there: the dict or list that holds it, opened, and its key or index."""
        return _places(self.root, 0, steps)

    encoded = staticmethod(msgspec.json.Encoder().encode)
    """A value of Python's as JSON."""

    @staticmethod
    def opened(value: Value) -> Value:
        """An object as a dict, an array as a list, one level deep; any other value as it is. Raises DuplicateKeys."""
        if not isinstance(value, msgspec.Raw):
            return value
        match _first_byte(value):
            case b"{":
                return _opened_object(bytes(value))
            case b"[":
                return _items(value)
        return value

    @staticmethod
    def members_of(value: Value) -> Members | None:
        """The members of an object; None for any other value, which stays unparsed. Raises DuplicateKeys."""
        if isinstance(value, msgspec.Raw) and _first_byte(value) != b"{":
            return None
        inner = Document.opened(value)
        return inner if isinstance(inner, dict) else None

    @staticmethod
    def scalar(value: Value) -> Scalar:
        if not isinstance(value, msgspec.Raw):
            return CONTAINER
        match _first_byte(value):
            case b'"':
                return _text(value)
            case b"{" | b"[":
                return CONTAINER
            case b"t" | b"f" | b"n" as letter:
                return WORDS[letter]
        try:
            return Decimal(bytes(value).decode(), STRICT)
        except InvalidOperation:
            return BEYOND

    @staticmethod
    def written(value: Value) -> bytes:
        """The value as JSON; what was never parsed stays byte for byte."""
        return bytes(value) if isinstance(value, msgspec.Raw) else Document.encoded(value)

    @staticmethod
    def compact(value: Value) -> bytes:
        """The value as JSON without blanks, whether or not an earlier transform has parsed it."""
        return msgspec.json.format(Document.written(value), indent=-1)

    @staticmethod
    def is_json(content: bytes) -> bool:
        """Returns whether it is JSON that a row may hold."""
        try:
            _raw(content)
        except (msgspec.MsgspecError, RecursionError):
            return False
        return not is_too_deep(content)


def _members_in(holder: Any, key: Any, name: str) -> Members:
    """The object that stands there, opened. Raises Untransformable for anything else."""
    value = holder[key] = Document.opened(holder[key])
    if not isinstance(value, dict):
        raise Untransformable(f"{name} is not an object")
    return value


def _first_byte(value: msgspec.Raw) -> bytes:
    """The first byte, which tells what kind of value it is."""
    return bytes(value).lstrip()[:1]


def _places(holder: Any, key: Any, steps: Sequence[Step]) -> Iterator[tuple[Any, Any]]:
    if not steps:
        yield holder, key
        return
    value = holder[key] = Document.opened(holder[key])
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
    """The bytes of the object without blanks, with its keys as msgspec writes them."""
    if not members:
        return 2
    return len(Document.encoded(list(members))) + sum(map(len, members.values())) + len(members)


def _refuse_duplicates(payload: bytes) -> None:
    """The slow way, for keys with escapes that they don't need."""
    for key, count in Counter(json.loads(payload, object_pairs_hook=_keys, parse_int=str, parse_float=str)).items():
        if count > 1:
            raise DuplicateKeys(f"the key {key[:60]!r} occurs {count} times")


def refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object_pairs_hook for json.loads, which would keep the last of two values. Raises DuplicateKeys."""
    members = dict(pairs)
    if len(members) < len(pairs):
        key, count = Counter(key for key, _ in pairs).most_common(1)[0]
        raise DuplicateKeys(f"the key {key[:60]!r} occurs {count} times")
    return members


def _keys(pairs: list[tuple[str, object]]) -> list[str]:
    return [key for key, _ in pairs]
