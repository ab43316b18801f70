"""cast: values of another kind. What would lose something, or would have to be guessed, is refused."""

import re
from collections.abc import Callable, Collection
from decimal import Decimal
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from firnline_ingest.config.field_path import FieldPaths, steps_of
from firnline_ingest.config.transform import Transform
from firnline_ingest.records.rejection import Untransformable
from firnline_ingest.records.scalar import Container, Scalar

if TYPE_CHECKING:
    from firnline_ingest.records.chain import Apply, Origin
    from firnline_ingest.records.document import Document, Value

MOST_DIGITS = 38  # of a NUMBER


class CastTo(StrEnum):
    """Types that a value can be cast to. Null stays null."""

    TEXT = "text"
    """A text stays; of any other value its JSON, without blanks."""
    INTEGER = "integer"
    """Of numbers and of texts that are numbers, with up to 38 digits and nothing but zeros behind the point; `true` is 1."""
    NUMBER = "number"
    """Of texts that are numbers, digit for digit; `true` is 1."""
    BOOLEAN = "boolean"
    """Of the texts true and false in any case; the number 0 is false and any other is true."""
    JSON = "json"
    """What is written in a text: `"{\\"a\\":1}"` becomes an object."""


class CastTransform(Transform):
    """Makes values of another kind; one that can't be is reported, and never guessed."""

    order = 70

    type: Literal["cast"]
    """Values of another kind."""
    fields: Annotated[dict[FieldPaths, Annotated[CastTo, Field(strict=False)]], Field(min_length=1)]
    """The path of a field, and what it becomes: `text`, `integer`, `number`, `boolean` or `json`. One that is not there is not
    cast."""

    @property
    def paths(self) -> Collection[str]:
        return self.fields

    def compiled(self) -> "Apply":
        casts = [(path, steps_of(path), to, CASTS[to]) for path, to in self.fields.items()]

        def apply(document: "Document", _: "Origin") -> None:
            for path, steps, to, made_of in casts:
                for holder, key in document.places(steps):
                    if (known := document.scalar(holder[key])) is None:
                        continue
                    made = made_of(known, holder[key], document)
                    if made is None:
                        raise Untransformable(f"{path} can't be {to}")
                    document.put(holder, key, made)

        return apply


def _text(known: Scalar, value: "Value", document: "Document") -> bytes | None:
    return document.encoded(known if isinstance(known, str) else document.compact(value).decode())


def _integer(known: Scalar, *_: object) -> bytes | None:
    if isinstance(known, bool):
        return b"%d" % known
    number = _decimal(known)
    if not number:
        return None if number is None else b"0"
    if not 0 <= number.adjusted() < MOST_DIGITS or number != number.to_integral_value():
        return None
    return str(int(number)).encode()


def _number(known: Scalar, value: "Value", document: "Document") -> bytes | None:
    if isinstance(known, bool):
        return b"%d" % known
    if not isinstance(known, str):
        return None if isinstance(known, Container) else document.written(value)
    text = known.strip()
    if _number_form().fullmatch(text) is None:
        return None
    digits = text.lstrip("+-").lstrip("0")
    sign, nought = "-" if text.startswith("-") else "", "" if digits[:1].isdecimal() else "0"
    return f"{sign}{nought}{digits}".encode()


def _boolean(known: Scalar, *_: object) -> bytes | None:
    if isinstance(known, str):
        word = known.strip().lower()
        return word.encode() if word in ("true", "false") else None
    if isinstance(known, bool):
        return b"true" if known else b"false"
    return (b"true" if known else b"false") if isinstance(known, Decimal) else None


def _json(known: Scalar, value: "Value", document: "Document") -> bytes | None:
    if not isinstance(known, str):
        return document.written(value)
    content = known.encode()
    return content if document.is_json(content) else None


@cache
def _number_form() -> re.Pattern[str]:
    """Compiled when a text is cast: reading a specification casts none."""
    return re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,9})?", re.ASCII)


def _decimal(known: Scalar) -> Decimal | None:
    if isinstance(known, str):
        return Decimal(known.strip()) if _number_form().fullmatch(known.strip()) else None
    return known if isinstance(known, Decimal) else None


CASTS: dict[CastTo, Callable[[Scalar, "Value", "Document"], bytes | None]] = {
    CastTo.TEXT: _text,
    CastTo.INTEGER: _integer,
    CastTo.NUMBER: _number,
    CastTo.BOOLEAN: _boolean,
    CastTo.JSON: _json,
}
"""Of what a value is, and how it is written: the new one as JSON, or None where it can't be."""
