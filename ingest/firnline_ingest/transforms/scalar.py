"""A value of a record as Python has it, where a transform has to know it. Numbers are Decimals: no digit is lost."""

from decimal import Context, Decimal, InvalidOperation
from typing import Any

import msgspec

from firnline_ingest.transforms.document import first_byte

_text = msgspec.json.Decoder(str).decode
WORDS: dict[bytes, bool | None] = {b"t": True, b"f": False, b"n": None}


STRICT = Context(traps=[InvalidOperation])
"""Not that of the thread, which a callable may have changed."""


class Container:
    """An object or an array: no scalar, and equal to none."""


class Beyond:
    """A number with an exponent beyond all that Python counts with."""


CONTAINER, BEYOND = Container(), Beyond()
Scalar = str | Decimal | bool | None | Container | Beyond


def scalar(value: Any) -> Scalar:
    """Of a Value."""
    if not isinstance(value, msgspec.Raw):
        return CONTAINER
    match first_byte(value):
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
