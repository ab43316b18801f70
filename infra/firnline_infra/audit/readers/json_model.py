"""JSON as the readers hold it: None, bool, str, Number, list and dict. A number keeps the text that it was written as."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

Json = Any
"""None, bool, str, Number, list, dict; UNKNOWN where a reader does not say what stands there."""


class Number(NamedTuple):
    text: str


class Unknown:
    """A value that the audit does not know: it is counted as unchecked, and proves nothing."""


UNKNOWN = Unknown()
UNKNOWN_DIGEST = Unknown()
"""A hash in hexadecimal, of bytes that a reader does not know."""


class Unreadable(Exception):
    """The record can't be rows. `reason` is a dead letter's."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason


class NotIngested(Exception):
    """The record is intentionally no row; `why` is one of LeftOut."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def text_of(data: bytes) -> str:
    """Raises Unreadable."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Unreadable("invalid-utf-8", str(error)) from error


def parsed(text: str, *, is_text: bool = True) -> Json:
    """Strict JSON, of a key that occurs twice the last value. `is_text`: whether an escape that stands for no text is refused.

    Raises Unreadable.
    """
    try:
        value = _decode(text.strip(" \t\r\n"))
    except (ValueError, RecursionError) as error:
        raise Unreadable("not-json", str(error)) from error
    if is_text and "\\u" in text:
        refuse_no_text(value)
    return value


def parsed_values(text: str) -> list[Json]:
    """Strict JSON values, one behind the other, with blanks between them or nothing. Raises Unreadable."""
    found, at, text = list[Json](), 0, text.strip(" \t\r\n")
    while at < len(text):
        try:
            value, at = _decode_at(text, at)
        except (ValueError, RecursionError) as error:
            raise Unreadable("not-json", str(error)) from error
        is_closed = isinstance(value, dict | list | str) or text[at : at + 1] in ("", *' \t\r\n[{"')
        if not is_closed:
            raise Unreadable("not-json", "something stands at the end of a value")
        found.append(value)
        while text[at : at + 1] in (" ", "\t", "\r", "\n"):
            at += 1
    if "\\u" in text:
        refuse_no_text(found)
    return found


def refuse_no_text(value: Json) -> None:
    """Raises Unreadable where a text of it is none: a lone surrogate."""
    try:
        written(value).encode()
    except (UnicodeEncodeError, RecursionError) as error:
        raise Unreadable("not-json", str(error)) from error


def _refuse(word: str) -> Json:
    raise ValueError(f"{word} is not JSON")


_encode = json.JSONEncoder(ensure_ascii=False).encode
_decoder = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=_refuse)
_decode, _decode_at = _decoder.decode, _decoder.raw_decode


def written(value: Json) -> str:
    """The value as JSON without blanks. Without recursion: records may be nested as deep as the engine takes them."""
    pieces: list[str] = []
    left: list[Json] = [value]
    while left:
        each = left.pop()
        if isinstance(each, Number):  # punctuation too goes as it stands
            pieces.append(each.text)
        elif isinstance(each, dict | list):
            left.append(Number("}" if isinstance(each, dict) else "]"))
            left += reversed(list(_parts(each)))
        else:
            pieces.append(_encode(None if isinstance(each, Unknown) else each))
    return "".join(pieces)


def _parts(of: Json) -> Iterator[Json]:
    """The pieces of an object or an array, without what closes it."""
    yield Number("{" if isinstance(of, dict) else "[")
    for place, each in enumerate(of):
        comma = "," if place else ""
        yield Number(f"{comma}{_encode(each)}:" if isinstance(of, dict) else comma)
        yield of[each] if isinstance(of, dict) else each


def number_of(value: float) -> Number:
    """The shortest text that is this double."""
    return Number(re.sub(r"e([+-]?)0*(\d)", lambda found: f"e{found[1].replace('+', '')}{found[2]}", repr(value)))


def has_unknown(value: Json) -> bool:
    left: list[Json] = [value]
    while left:
        each = left.pop()
        if isinstance(each, Unknown):
            return True
        left += each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
    return False
