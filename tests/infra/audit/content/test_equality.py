import pytest

from firnline_infra.audit.content.equality import equal
from firnline_infra.audit.content.payload import parse

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
