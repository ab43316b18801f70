"""What a user's function returned, as JSON; whatever is no JSON is told with its kind.

Taken: None, bool, int, float, Decimal, str, dict with texts for keys, list, tuple; date, time and datetime become ISO 8601.
"""

import math
from collections.abc import Iterator
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import msgspec

from firnline_ingest.nesting import MAX_DEPTH
from firnline_ingest.transforms.errors import Untransformable

Kept = dict[int, tuple[float, str]]
"""By their ids the numbers that were read, and how each was written."""
MOST_BYTES = 16_000_000
MOST_BITS = 13_000  # of an int: Python writes up to 4,300 digits

_encode = msgspec.json.Encoder().encode


def as_json(returned: Any, numbers: Kept) -> bytes:
    """Raises Untransformable."""
    written = bytearray()
    try:
        for piece in _pieces(returned, numbers, MAX_DEPTH):
            written += piece
            if len(written) > MOST_BYTES:
                raise Untransformable(f"what it returned has more than {MOST_BYTES:,} bytes")
    except Untransformable:
        raise
    except Exception as error:  # of a dict or a number of the user's own class
        raise Untransformable(f"what it returned can't be written: {type(error).__name__}") from error
    return bytes(written)


def _pieces(value: Any, numbers: Kept, levels: int) -> Iterator[bytes]:
    """One generator a level: so the deepest that is allowed is far from Python's own limit."""
    if not isinstance(value, dict | list | tuple):
        yield _scalar(value, numbers)
        return
    if not levels:
        raise Untransformable(f"what it returned is nested deeper than {MAX_DEPTH} levels")
    start, end = (b"{", b"}") if isinstance(value, dict) else (b"[", b"]")
    for each in value.items() if isinstance(value, dict) else value:
        key, inner = each if isinstance(value, dict) else (None, each)
        yield start + (_name(key) if isinstance(value, dict) else b"")
        yield from _pieces(inner, numbers, levels - 1)
        start = b","
    yield end if start == b"," else start + end


def _name(key: Any) -> bytes:
    if not isinstance(key, str):
        raise Untransformable(f"what it returned has a key that is {type(key).__name__}, and no text")
    return _encode(str(key)) + b":"


def _scalar(value: Any, numbers: Kept) -> bytes:
    if value is None or isinstance(value, bool | str):
        return _encode(value)
    if isinstance(value, int):
        if value.bit_length() > MOST_BITS:
            raise Untransformable("what it returned has a number of more than 3,900 digits")
        return b"%d" % value
    if isinstance(value, float):
        return _real(value, numbers)
    if isinstance(value, Decimal) and value.is_finite():
        return str(value).encode()
    if isinstance(value, datetime | date | time):
        return _encode(value.isoformat())
    raise Untransformable(f"what it returned holds {type(value).__name__}, which is no JSON")


def _real(value: float, numbers: Kept) -> bytes:
    was, text = numbers.get(id(value), (None, ""))
    if was is value:
        return text.encode()
    if not math.isfinite(value):
        raise Untransformable(f"what it returned holds {value}, which is no JSON")
    return _encode(float(value))
