"""When two JSON values are one: by value, at any depth.

Numbers are equal when they are the same number, however they are written, far beyond what a float can tell apart. A
number that Snowflake itself keeps as a double is compared to the 15 digits that a double is good for.
"""

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

from firnline_infra.audit.content.payload import Floating

DOUBLE_TOLERANCE = Decimal("1e-15")
WIDE = Context(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])  # payloads have numbers that no double holds


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
