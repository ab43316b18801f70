"""JSON with its numbers exact, and when two values of it are equal, at any depth.

Integers are read as int, fractions as Decimal. Numbers are equal when they are the same number, however they are written,
far beyond what a float can distinguish. A number that Snowflake itself keeps as a double (Floating) is compared to the 15
digits that a double is good for.
"""

import json
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, InvalidOperation

DECIMAL_DIGITS = 38  # what a VARIANT holds exactly
UNTRAPPED = Context(Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
LONGEST_INT = 4300  # digits that Python converts (sys.set_int_max_str_digits)
DOUBLE_TOLERANCE = Decimal("1e-15")
WIDE = Context(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])  # payloads have numbers that no double holds


class Floating(Decimal):
    """A number with an exponent, or with more digits than a decimal of Snowflake has: it is kept as a double there."""


def parse(text: str) -> object:
    """Raises ValueError for what is not JSON, or RecursionError."""
    return _decode(text)


def number(text: str) -> int | Decimal | None:
    """Returns the number that a text says; None if it says none."""
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
    raise ValueError(f"{text} is not JSON")


_decode = json.JSONDecoder(parse_int=_integer, parse_float=_fraction, parse_constant=_refuse).decode


def equal(sent: object, kept: object) -> bool:
    """`sent` is the record's value. Without recursion: payloads may be nested as deep as the engine takes them."""
    pairs = [(sent, kept)]
    while pairs:
        one, other = pairs.pop()
        if isinstance(one, dict):
            if not isinstance(other, dict) or one.keys() != other.keys():
                return False
            pairs += [(value, other[key]) for key, value in one.items()]
        elif isinstance(one, list):
            if not isinstance(other, list) or len(one) != len(other):
                return False
            pairs += zip(one, other, strict=True)
        elif not _scalars_equal(one, other):
            return False
    return True


def numbers_equal(sent: int | Decimal, kept: int | Decimal) -> bool:
    if sent == kept:
        return True
    if not isinstance(sent, Floating):
        return False
    difference = WIDE.subtract(sent, Decimal(kept))
    return bool(WIDE.abs(difference) <= WIDE.multiply(WIDE.abs(sent), DOUBLE_TOLERANCE))


def is_number(value: object) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def _scalars_equal(sent: object, kept: object) -> bool:
    if isinstance(sent, bool) or isinstance(kept, bool):
        return sent is kept
    if isinstance(sent, int | Decimal) and isinstance(kept, int | Decimal):
        return numbers_equal(sent, kept)
    return type(sent) is type(kept) and sent == kept
