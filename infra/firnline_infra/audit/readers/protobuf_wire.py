"""Protobuf's wire format, by its page (protobuf.dev/programming-guides/encoding): fields as they were sent, without a schema."""

from collections.abc import Iterator
from typing import Any, NamedTuple

VARINT, FIXED64, SIZED, GROUP, GROUP_END, FIXED32 = range(6)
DEEPEST = 100  # messages inside of one another


def unzigzag(written: int) -> int:
    return written // 2 if written % 2 == 0 else -(written + 1) // 2


class WireField(NamedTuple):
    """A field as it was sent: what kind of wire type, and what it held."""

    kind: int
    value: Any


class WireData:
    """Bytes, and how far they were read. Each method raises ValueError where they end before."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    @property
    def rest(self) -> bytes:
        return self._data[self._at :]

    def take(self, size: int) -> bytes:
        found = self._data[self._at : self._at + size]
        if len(found) < size:
            raise ValueError("it ends in the middle of a value")
        self._at += size
        return found

    def varint(self, bits: int = 64) -> int:
        value = 0
        for place in range(5 if bits == 32 else 10):
            (byte,) = self.take(1)
            value |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                return value
        raise ValueError("a number has too many bytes")

    def fields(self, depth: int = 0) -> Iterator[tuple[int, WireField]]:
        while self._at < len(self._data):
            number, kind = self._tag()
            yield number, self._field(number, kind, depth)

    def _tag(self) -> tuple[int, int]:
        tag = self.varint(32)
        if not 0 < tag >> 3 < 1 << 29:
            raise ValueError(f"a field has the number {tag >> 3}")
        return tag >> 3, tag & 7

    def _field(self, number: int, kind: int, depth: int) -> WireField:
        match kind:
            case 0:
                return WireField(kind, self.varint())
            case 1 | 5:
                return WireField(kind, self.take(8 if kind == FIXED64 else 4))
            case 2:
                return WireField(kind, self.take(self.varint(32)))
            case 3:
                return WireField(kind, self._group(number, depth + 1))
        raise ValueError(f"a field has the wire type {kind}")

    def _group(self, number: int, depth: int) -> bytes:
        """Returns its content, without the tag that ends it."""
        if depth > DEEPEST:
            raise ValueError("it is nested too deeply")
        start = self._at
        while True:
            end = self._at
            inner, kind = self._tag()
            if kind == GROUP_END:
                if inner != number:
                    raise ValueError("a group ends as another one")
                return self._data[start:end]
            self._field(inner, kind, depth)
