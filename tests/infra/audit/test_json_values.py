from decimal import Decimal

import pytest

from firnline_infra.audit.json_values import LONGEST_INT, Floating, equal, number, parse


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


DEEP = 512  # levels, the most that the engine takes


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ('{"a":1,"b":[1,2]}', '{ "b": [1, 2], "a": 1 }'),
        ("1", "1.0"),
        ("1.50", "1.5"),
        ("100", "1e2"),
        ("-0", "0"),
        ("9007199254740993", "9007199254740993.0"),
        ('"\\u00e9"', '"é"'),
        ("null", "null"),
        ("1e400", "1E+400"),
        ("1.7976931348623157e308", "1.797693134862316e+308"),
        ("[" * DEEP + "1" + "]" * DEEP, "[" * DEEP + " 1.0 " + "]" * DEEP),
        ('{"a":' * DEEP + "1" + "}" * DEEP, '{"a": ' * DEEP + "1" + "}" * DEEP),
    ],
)
def test_values_are_equal_however_they_are_written(sent: str, kept: str) -> None:
    assert equal(parse(sent), parse(kept))


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("9007199254740993", "9007199254740992"),
        ("0.12345678901234567891", "0.12345678901234567892"),
        ("1.5e10", "1.5001e10"),
        ("1", "true"),
        ("0", "false"),
        ("1", '"1"'),
        ("null", "0"),
        ('{"a":1}', '{"A":1}'),
        ('{"a":null}', "{}"),
        ("{}", '{"a":null}'),
        ("[1,2]", "[2,1]"),
        ("[1]", "[1,1]"),
        ("[]", "{}"),
        ('"a"', '"a "'),
    ],
)
def test_values_that_differ_in_anything_else_are_not(sent: str, kept: str) -> None:
    assert not equal(parse(sent), parse(kept))
