"""The golden table of conversions: what a value of a richer format is in a row."""

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec
import pytest

from firnline_ingest.records.conversion import as_json

encode = msgspec.json.Encoder(decimal_format="number").encode


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "null"),
        (True, "true"),
        (-(2**63), "-9223372036854775808"),
        (0.1, "0.1"),
        (float("nan"), '"NaN"'),
        (float("inf"), '"Infinity"'),
        (float("-inf"), '"-Infinity"'),
        (Decimal("1.50"), "1.50"),
        (Decimal("9" * 38), "9" * 38),
        (Decimal("9" * 39), f'"{"9" * 39}"'),
        (Decimal("-0." + "1" * 38), "-0." + "1" * 38),
        (Decimal("-1." + "1" * 38), f'"-1.{"1" * 38}"'),
        (Decimal("NaN"), '"NaN"'),
        (Decimal("-0"), "-0"),
        (Decimal("1E+37"), "1E+37"),
        (Decimal("1E+38"), '"1E+38"'),
        (Decimal("1E-38"), "1E-38"),
        (Decimal("1E-39"), '"1E-39"'),
        (Decimal("-Infinity"), '"-Infinity"'),
        (b"\x00\xff", '"AP8="'),
        (b"", '""'),
        ("é\u0000", '"é\\u0000"'),
        ([1, [b"a"]], '[1,["YQ=="]]'),
        ({"a": {"b": Decimal("1")}}, '{"a":{"b":1}}'),
        ({1: "a", 2: None}, '[[1,"a"],[2,null]]'),
        ({}, "{}"),
        (datetime(2026, 1, 31, 12, 0, 0, 5, UTC), '"2026-01-31T12:00:00.000005+00:00"'),
        (datetime(2026, 1, 31, 12, 0), '"2026-01-31T12:00:00"'),
        (date(2026, 1, 31), '"2026-01-31"'),
        (time(12, 0, 0, 1), '"12:00:00.000001"'),
        (UUID(int=7), '"00000000-0000-0000-0000-000000000007"'),
    ],
)
def test_a_value_is_written_so(value: Any, written: str) -> None:
    assert encode(as_json(value)).decode() == written
