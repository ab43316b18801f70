"""Requests and answers in CBOR (RFC 8949), as the AWS SDKs for Java speak with Kinesis: application/x-amz-cbor-1.1.

Both are those of AWS JSON 1.1 with bytes as bytes, and with times as milliseconds since 1970 under the tag of times. Operations
know JSON alone: what comes is put into it, and what they answer is put into CBOR.
"""

import json
from base64 import b64decode
from collections.abc import Iterator
from struct import pack, unpack
from typing import Any

import msgspec

CONTENT_TYPE = "application/x-amz-cbor-1.1"
TIME = 1  # the tag
BLOBS = frozenset({"Data"})
TIMES = frozenset({"ApproximateArrivalTimestamp", "ConsumerCreationTimestamp", "StreamCreationTimestamp", "Timestamp"})
SIMPLE = {False: b"\xf4", True: b"\xf5", None: b"\xf6"}
WORDS = {20: False, 21: True, 22: None, 23: None}
FLOATS = {25: ">e", 26: ">f", 27: ">d"}


def request_as_json(body: bytes) -> bytes:
    """The same request in JSON. Raises ValueError for what is not one item of CBOR."""
    return msgspec.json.encode(decode(body)) if body else body


def answer_as_cbor(body: bytes) -> bytes:
    """The same answer in CBOR; nothing for nothing."""
    return encode(json.loads(body)) if body else body


def encode(value: object, name: str = "") -> bytes:
    """A value of JSON, which is the field `name` of its object."""
    if isinstance(value, dict):
        return head(5, len(value)) + b"".join(encode(key) + encode(inner, key) for key, inner in value.items())
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(encode(each, name) for each in value)
    if isinstance(value, bool) or value is None:
        return SIMPLE[value]
    if name in TIMES and isinstance(value, int | float):
        return head(6, TIME) + encode(round(value * 1000))
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, float):
        return b"\xfb" + pack(">d", value)
    if not isinstance(value, str):
        raise TypeError(f"JSON has no {type(value).__name__}")
    content = b64decode(value) if name in BLOBS else value.encode()
    return head(2 if name in BLOBS else 3, len(content)) + content


def decode(body: bytes) -> Any:
    """One item, as Python has it; a time in seconds. Raises ValueError."""
    items = _Items(body)
    value = items.value()
    if items.at != len(body):
        raise ValueError(f"{len(body) - items.at} bytes follow the item")
    return value


def head(major: int, number: int) -> bytes:
    """The start of an item, by its type and its number or length. Raises ValueError."""
    if number < 24:
        return pack(">B", major << 5 | number)
    for info, (form, most) in enumerate(((">BB", 1 << 8), (">BH", 1 << 16), (">BI", 1 << 32), (">BQ", 1 << 64)), 24):
        if number < most:
            return pack(form, major << 5 | info, number)
    raise ValueError(f"{number} is too large for CBOR")


class _Items:
    def __init__(self, body: bytes) -> None:
        self._body = body
        self.at = 0

    def value(self) -> Any:
        major, info, number = self._begin()
        match major:
            case 0:
                return number
            case 1:
                return -1 - number
            case 2:
                return b"".join(self._until_break()) if info == 31 else self._take(number)
            case 3:
                return "".join(self._until_break()) if info == 31 else self._take(number).decode()
            case 4:
                return list(self._until_break()) if info == 31 else [self.value() for _ in range(number)]
            case 5:
                flat = list(self._until_break()) if info == 31 else [self.value() for _ in range(2 * number)]
                return dict(zip(flat[::2], flat[1::2], strict=True))
            case 6:
                value = self.value()
                return value / 1000 if number == TIME and isinstance(value, int) else value
        return self._simple(info, number)

    def _simple(self, info: int, number: int) -> Any:
        if info in FLOATS:
            return unpack(FLOATS[info], self._body[self.at - (1 << info - 24) : self.at])[0]
        if info not in WORDS:
            raise ValueError(f"byte {self.at - 1} begins no item that JSON has")
        return WORDS[number]

    def _until_break(self) -> Iterator[Any]:
        while self._body[self.at : self.at + 1] != b"\xff":
            yield self.value()
        self.at += 1

    def _begin(self) -> tuple[int, int, int]:
        first = self._take(1)[0]
        major, info = first >> 5, first & 31
        if info < 24 or info == 31:
            return major, info, info
        if info > 27:
            raise ValueError(f"byte {self.at - 1} begins no item")
        return major, info, int.from_bytes(self._take(1 << info - 24))

    def _take(self, size: int) -> bytes:
        taken = self._body[self.at : self.at + size]
        if len(taken) < size:
            raise ValueError(f"it is cut short at byte {len(self._body)}")
        self.at += size
        return taken
