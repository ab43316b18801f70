"""cast: values of another kind. What would lose something, or would have to be guessed, is refused."""

import re
from collections.abc import Callable
from decimal import Decimal

import msgspec

from firnline_ingest.config.field_path import steps_of
from firnline_ingest.config.transforms import CastTo, CastTransform
from firnline_ingest.nesting import is_too_deep
from firnline_ingest.transforms.apply import Apply, Origin
from firnline_ingest.transforms.document import Document, Value, compact, written
from firnline_ingest.transforms.errors import Untransformable
from firnline_ingest.transforms.scalar import Container, Scalar, scalar

MOST_DIGITS = 38  # of a NUMBER
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,9})?", re.ASCII)

_encode = msgspec.json.Encoder().encode
_raw = msgspec.json.Decoder(msgspec.Raw).decode


def cast(of: CastTransform) -> Apply:
    casts = [(path, steps_of(path), to, CASTS[to]) for path, to in of.fields.items()]

    def apply(document: Document, _: Origin) -> None:
        for path, steps, to, made_of in casts:
            for holder, key in document.places(steps):
                if (known := scalar(holder[key])) is None:
                    continue
                made = made_of(known, holder[key])
                if made is None:
                    raise Untransformable(f"{path} can't be {to}")
                holder[key] = msgspec.Raw(made)
                document.is_changed = True

    return apply


def _text(known: Scalar, value: Value) -> bytes | None:
    return _encode(known if isinstance(known, str) else compact(value).decode())


def _integer(known: Scalar, _: Value) -> bytes | None:
    if isinstance(known, bool):
        return b"%d" % known
    number = _decimal(known)
    if not number:
        return None if number is None else b"0"
    if not 0 <= number.adjusted() < MOST_DIGITS or number != number.to_integral_value():
        return None
    return str(int(number)).encode()


def _number(known: Scalar, value: Value) -> bytes | None:
    if isinstance(known, bool):
        return b"%d" % known
    if not isinstance(known, str):
        return None if isinstance(known, Container) else written(value)
    text = known.strip()
    if NUMBER.fullmatch(text) is None:
        return None
    digits = text.lstrip("+-").lstrip("0")
    sign, nought = "-" if text.startswith("-") else "", "" if digits[:1].isdecimal() else "0"
    return f"{sign}{nought}{digits}".encode()


def _boolean(known: Scalar, _: Value) -> bytes | None:
    if isinstance(known, str):
        word = known.strip().lower()
        return word.encode() if word in ("true", "false") else None
    if isinstance(known, bool):
        return b"true" if known else b"false"
    return (b"true" if known else b"false") if isinstance(known, Decimal) else None


def _json(known: Scalar, value: Value) -> bytes | None:
    if not isinstance(known, str):
        return written(value)
    content = known.encode()
    try:
        _raw(content)
    except (msgspec.MsgspecError, RecursionError):
        return None
    return None if is_too_deep(content) else content


def _decimal(known: Scalar) -> Decimal | None:
    if isinstance(known, str):
        return Decimal(known.strip()) if NUMBER.fullmatch(known.strip()) else None
    return known if isinstance(known, Decimal) else None


CASTS: dict[CastTo, Callable[[Scalar, Value], bytes | None]] = {
    CastTo.TEXT: _text,
    CastTo.INTEGER: _integer,
    CastTo.NUMBER: _number,
    CastTo.BOOLEAN: _boolean,
    CastTo.JSON: _json,
}
"""Of what a value is, and how it is written: the new one as JSON, or None where it can't be."""
