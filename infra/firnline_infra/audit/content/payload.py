"""JSON with its numbers exact: integers as int, fractions as Decimal, and a mark on what JSON writes as floating."""

import json
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, InvalidOperation

DECIMAL_DIGITS = 38  # what a VARIANT holds exactly
UNTRAPPED = Context(Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
LONGEST_INT = 4300  # digits that Python converts (sys.set_int_max_str_digits)


class Floating(Decimal):
    """A number with an exponent, or with more digits than a decimal of Snowflake has: it is kept as a double there."""


def parse(text: str) -> object:
    """Raises ValueError for what is not JSON, or RecursionError."""
    return _decode(text)


def number(text: str) -> int | Decimal | None:
    """What a text says as a number; None where it says none."""
    try:
        value = parse(text.strip().removeprefix("+"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, int | Decimal) and not isinstance(value, bool) else None


def _integer(text: str) -> int | Decimal:
    return int(text) if len(text) <= LONGEST_INT else Floating(text)


def _fraction(text: str) -> Decimal:
    is_floating = "e" in text or "E" in text or len(text) > DECIMAL_DIGITS + 2  # a sign, a point
    return _floating(text) if is_floating else Decimal(text)


def _floating(text: str) -> Floating:
    """An exponent of twenty digits is beyond Decimal too: such numbers are as good as infinite, or as 0."""
    try:
        return Floating(text)
    except InvalidOperation:
        return Floating(UNTRAPPED.create_decimal(text))


def _refuse(text: str) -> object:
    raise ValueError(f"{text} is no JSON")


_decode = json.JSONDecoder(parse_int=_integer, parse_float=_fraction, parse_constant=_refuse).decode
