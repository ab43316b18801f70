from decimal import Decimal

import pytest

from firnline_infra.audit.content.payload import LONGEST_INT, Floating, number, parse


def test_numbers_are_exact() -> None:
    value = parse("[9007199254740993, 0.1, 12345678901234567890123456789012345678.5]")
    assert value == [9007199254740993, Decimal("0.1"), Decimal("12345678901234567890123456789012345678.5")]


def test_a_number_that_a_decimal_of_snowflake_cant_hold_is_floating() -> None:
    values = parse("[1e3, 1E-3, 0." + "1" * 39 + "]")
    assert isinstance(values, list)
    assert [type(value) for value in values] == [Floating] * 3
    assert type(parse("1234567890123456789.1234567890123456789")) is Decimal


def test_an_integer_of_any_length_is_read() -> None:
    assert parse("1" * (LONGEST_INT + 1)) == Decimal("1" * (LONGEST_INT + 1))


def test_an_exponent_of_any_length_is_read() -> None:
    assert parse("[1e9999999999999999999, -1e9999999999999999999, 1e-9999999999999999999]") == [
        Decimal("Infinity"),
        Decimal("-Infinity"),
        0,
    ]


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "{", "", "\ufeff{}"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "value"), [(" 12 ", 12), ("+1.5", Decimal("1.5")), ("true", None), ("x", None), ("", None), ("[1]", None)]
)
def test_a_text_may_hold_a_number(text: str, value: object) -> None:
    assert number(text) == value
