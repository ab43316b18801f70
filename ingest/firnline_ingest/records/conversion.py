"""Values of richer formats as JSON: what Snowflake's columns take, without losing a digit.

The rules are those of Snowflake's Kafka connector ("How the connector converts"), where it has one.
"""

import base64
import math
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

MOST_DIGITS = 38  # of a NUMBER

NOT_NUMBERS = {math.inf: "Infinity", -math.inf: "-Infinity"}


def as_json(value: object) -> Any:
    """Returns what msgspec can write: decimals that a NUMBER holds stay numbers, others become text; bytes are base64,
    times ISO 8601.
    """
    if isinstance(value, bool | int | str) or value is None:
        return value
    if isinstance(value, dict):
        return _pairs(value)
    if isinstance(value, list | tuple):
        return [as_json(each) for each in value]
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode()
    return value.isoformat() if isinstance(value, datetime | date | time) else str(value)


def _pairs(value: dict[Any, Any]) -> Any:
    """An object, where every key is a text; else an array of [key, value]."""
    if all(isinstance(key, str) for key in value):
        return {key: as_json(each) for key, each in value.items()}
    return [[as_json(key), as_json(each)] for key, each in value.items()]


def _float(value: float) -> float | str:
    """Texts that a FLOAT column takes, where JSON has no number."""
    if math.isfinite(value):
        return value
    return NOT_NUMBERS.get(value, "NaN")


def _decimal(value: Decimal) -> Decimal | str:
    digits, exponent = value.as_tuple().digits, value.as_tuple().exponent
    if not isinstance(exponent, int):
        return "NaN" if value.is_nan() else NOT_NUMBERS[float(value)]
    whole, fraction = max(0, len(digits) + exponent), max(0, -exponent)
    return value if whole + fraction <= MOST_DIGITS else str(value)
