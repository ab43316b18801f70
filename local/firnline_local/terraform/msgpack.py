"""MessagePack as Terraform writes values in it (github.com/msgpack/msgpack, spec.md): what is not known is an extension.

Only what values of resources need: nothing, booleans, numbers, texts, lists and mappings with texts as keys.
"""

import struct
from collections.abc import Mapping
from typing import Any

from firnline_local.pulumi.properties import UNKNOWN

CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
NUMBERS = {0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q"} | {
    0xD0: ">b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}
TEXTS = {0xD9: ">B", 0xDA: ">H", 0xDB: ">I", 0xC4: ">B", 0xC5: ">H", 0xC6: ">I"}
LISTS, MAPPINGS = {0xDC: ">H", 0xDD: ">I"}, {0xDE: ">H", 0xDF: ">I"}
FIXED_EXTENSIONS, EXTENSIONS = {0xD4: 1, 0xD5: 2, 0xD6: 4, 0xD7: 8, 0xD8: 16}, {0xC7: ">B", 0xC8: ">H", 0xC9: ">I"}


def unpacked(data: bytes) -> Any:
    """The value; UNKNOWN where it, or something in it, is not known."""
    return _Reader(data).value()


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def value(self) -> Any:
        code = self._number(">B")
        if code in CONSTANTS:
            return CONSTANTS[code]
        if code <= 0x7F or code >= 0xE0:
            return code if code <= 0x7F else code - 0x100
        if code in NUMBERS:
            return self._number(NUMBERS[code])
        if 0xA0 <= code <= 0xBF or code in TEXTS:
            return self._text(code - 0xA0 if code <= 0xBF else self._number(TEXTS[code]))
        if 0x90 <= code <= 0x9F or code in LISTS:
            size = code - 0x90 if code <= 0x9F else self._number(LISTS[code])
            return [self.value() for _ in range(size)]
        if code <= 0x8F or code in MAPPINGS:
            size = code - 0x80 if code <= 0x8F else self._number(MAPPINGS[code])
            return {self.value(): self.value() for _ in range(size)}
        size = FIXED_EXTENSIONS[code] if code in FIXED_EXTENSIONS else self._number(EXTENSIONS[code])
        self._at += 1 + size
        return UNKNOWN

    def _number(self, form: str) -> Any:
        (number,) = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return number

    def _text(self, size: int) -> str:
        text = self._data[self._at : self._at + size].decode()
        self._at += size
        return text


def packed(value: Any) -> bytes:
    match value:
        case None:
            return b"\xc0"
        case bool():
            return b"\xc3" if value else b"\xc2"
        case int():
            return b"\xd3" + struct.pack(">q", value)
        case float():
            return b"\xcb" + struct.pack(">d", value)
        case str() if value == UNKNOWN:
            return b"\xd4\x00\x00"
        case str():
            data = value.encode()
            return b"\xdb" + struct.pack(">I", len(data)) + data
        case Mapping():
            inside = b"".join(packed(name) + packed(each) for name, each in value.items())
            return b"\xdf" + struct.pack(">I", len(value)) + inside
        case _:
            return b"\xdd" + struct.pack(">I", len(value)) + b"".join(map(packed, value))
