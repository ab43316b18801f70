"""mask, rename, cast, timestamp: what changes names and values."""

import hashlib
from typing import Any

import pytest

from firnline_ingest.errors import ConfigError
from tests.ingest.transforms.making import pipeline, row


def mask(*fields: str, **more: Any) -> dict[str, Any]:
    return {"type": "mask", "fields": list(fields), **more}


@pytest.mark.parametrize(
    ("payload", "declared", "becomes"),
    [
        (b'{"a":"secret","b":1.10}', mask("a"), '{"a":null,"b":1.10}'),
        (b'{"a":null,"b":{"c":[1]}}', mask("a", "b", replacement="***"), '{"a":"***","b":"***"}'),
        (b'{"b":[{"c":1},{"c":2},3]}', mask("b[].c", replacement=0), '{"b":[{"c":0},{"c":0},3]}'),
        (b'{"b":[1,[2]]}', mask("b[]"), '{"b":[null,null]}'),
        (b'{"b":1}', mask("a"), '{"b":1}'),
        (b'{"a":null}', mask("a", hash="sha256"), '{"a":null}'),
        (b'{"a":"\\u00e9"}', mask("a", hash="sha256"), f'{{"a":"{hashlib.sha256("é".encode()).hexdigest()}"}}'),
        (b'{"a":1.10}', mask("a", hash="sha256"), f'{{"a":"{hashlib.sha256(b"1.10").hexdigest()}"}}'),
    ],
)
def test_mask_hides_what_is_there(payload: bytes, declared: dict[str, Any], becomes: str) -> None:
    assert row(payload, declared) == becomes


def rename(**fields: str) -> dict[str, Any]:
    return {"type": "rename", "fields": fields}


@pytest.mark.parametrize(
    ("payload", "fields", "becomes"),
    [
        (b'{"a":1.10,"b":2}', {"a": "x"}, '{"x":1.10,"b":2}'),
        (b'{"a":1,"b":2}', {"a": "b", "b": "a"}, '{"b":1,"a":2}'),
        (b'{"a":{"b":1},"c":[{"b":2}]}', {"a.b": "x", "c[].b": "y", "a": "z"}, '{"z":{"x":1},"c":[{"y":2}]}'),
        (b'{"a":1,"b":2}', {"a": "b"}, "transform-failed: transforms[0] (rename): b is there already."),
        (b'{"a":1,"b":2}', {"a": "x", "b": "x"}, "transform-failed: transforms[0] (rename): x is there already."),
        (b'{"a":1,"b":2}', {"c": "b"}, '{"a":1,"b":2}'),
        (b'{"a":1,"b":2}', {"a": "B"}, "duplicate-key: "),
        (b'{"a":1}', {"a": "kinesisMetadata"}, '{"kinesisMetadata":1}'),
        (b"[1]", {"a": "x"}, "not-an-object: "),
    ],
)
def test_rename_gives_other_names_all_at_once(payload: bytes, fields: dict[str, str], becomes: str) -> None:
    assert row(payload, rename(**fields)).startswith(becomes)


CASTS: dict[str, dict[str, str | None]] = {
    "text": {
        "1.10": '"1.10"',
        '"x"': '"x"',
        "true": '"true"',
        '{"a": "é"}': '"{\\"a\\":\\"é\\"}"',
        "1e999": '"1e999"',
        "1e99999999999999999999": '"1e99999999999999999999"',
        '"\\u00e9"': '"é"',
    },
    "integer": {
        "1": "1",
        "1.0": "1",
        "-0": "0",
        '" 007 "': "7",
        '"+7"': "7",
        '"-1e3"': "-1000",
        "true": "1",
        "false": "0",
        "0e999999999": "0",
        "1e37": "1" + "0" * 37,
        "1.5": None,
        "1e38": None,
        "1e999999999": None,
        '"x"': None,
        '""': None,
        '"1_0"': None,
        '"٣"': None,
        "[]": None,
        '"0x10"': None,
        "1e-5": None,
        '"NaN"': None,
    },
    "number": {
        "1.10": "1.10",
        '"1.10"': "1.10",
        '"-007.50"': "-7.50",
        '".5"': "0.5",
        '"+1E5"': "1E5",
        '"000"': "0",
        '"-0e1"': "-0e1",
        '"5."': None,
        '"Infinity"': None,
        "true": "1",
        "{}": None,
        '"1,5"': None,
        "1e99999999999999999999": "1e99999999999999999999",
    },
    "boolean": {
        "true": "true",
        '"TRUE"': "true",
        '" false"': "false",
        "0": "false",
        "0.0": "false",
        "2": "true",
        '"1"': None,
        '"yes"': None,
        "[]": None,
        '"İ"': None,
    },
    "json": {
        '"{\\"a\\": [1.10]}"': '{"a": [1.10]}',
        '"1e999"': "1e999",
        '"null"': "null",
        "[1]": "[1]",
        '"{"': None,
        '""': None,
        '"\\"\\\\ud800\\""': None,
    },
}


@pytest.mark.parametrize(("to", "value"), [(to, value) for to, values in CASTS.items() for value in values])
def test_cast_makes_another_kind_or_says_that_it_can_t(to: str, value: str) -> None:
    becomes = CASTS[to][value]
    told = f"transform-failed: transforms[0] (cast): a can't be {to}."
    found = row(b'{"a":%b,"b":1.10}' % value.encode(), {"type": "cast", "fields": {"a": to}})
    assert found == (told if becomes is None else '{"a":%s,"b":1.10}'.replace("%s", becomes))


@pytest.mark.parametrize("to", CASTS)
def test_null_stays_null_and_what_is_absent_absent(to: str) -> None:
    assert row(b'{"a":null}', {"type": "cast", "fields": {"a": to, "b": to, "a.b": to}}) == '{"a":null}'


def test_json_in_a_text_is_no_way_around_the_limit_of_depth() -> None:
    deep = "[" * 600 + "]" * 600
    assert row(b'{"a":"%b"}' % deep.encode(), {"type": "cast", "fields": {"a": "json"}}).endswith("a can't be json.")


def test_a_million_noughts_are_looked_at_once() -> None:
    payload = b'{"a":"%b"}' % (b"0" * 900_000 + b"x")
    assert row(payload, {"type": "cast", "fields": {"a": "number"}}).endswith("a can't be number.")


TIMES = [
    ('"2026-01-31T12:00:00Z"', {}, '"2026-01-31T12:00:00Z"'),
    ('"2026-01-31T12:00:00.1234+01:00"', {}, '"2026-01-31T11:00:00.123400Z"'),
    ('"2026-01-31 12:00"', {"offset": "-02:30"}, '"2026-01-31T14:30:00Z"'),
    ('"2026-01-31"', {}, '"2026-01-31T00:00:00Z"'),
    ('"2026-01-31T12:00:00.123456789Z"', {"write": "nanoseconds"}, "1769860800123456789"),
    ('"2026-01-31T12:00:00.5Z"', {"write": "seconds"}, "1769860800.5"),
    ('"1969-12-31T23:59:59.999999999Z"', {"write": "seconds"}, "-0.000000001"),
    ("1769860800.123456789", {"read": "seconds"}, '"2026-01-31T12:00:00.123456789Z"'),
    ("1769860800123", {"read": "milliseconds"}, '"2026-01-31T12:00:00.123Z"'),
    ("1.769860800123e12", {"read": "milliseconds", "write": "microseconds"}, "1769860800123000"),
    ("0", {"read": "nanoseconds", "write": "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"}, '"1970-01-01T00:00:00.000Z"'),
    ('"31.01.2026 12:00"', {"read": "dd.MM.yyyy HH:mm", "offset": "+01:00"}, '"2026-01-31T11:00:00Z"'),
    ('"0001-01-01T00:00:00Z"', {"write": "seconds"}, "-62135596800"),
    ('"9999-12-31T23:59:59.999999999Z"', {}, '"9999-12-31T23:59:59.999999999Z"'),
    ("null", {}, "null"),
    ('"9999-12-31T23:59:59-01:00"', {}, None),
    ('"0001-01-01T00:00:00+01:00"', {}, None),
    ('"2026-02-30"', {}, None),
    ('"2026-01-31T24:00:00Z"', {}, None),
    ('"2026-01-31T12:00:60Z"', {}, None),
    ('"2026-01-31T12:00:00+19:00"', {}, None),
    ('"٢٠٢٦-01-31"', {}, None),
    ("1769860800", {}, None),
    ('"1769860800"', {"read": "seconds"}, None),
    ("1e30", {"read": "seconds"}, None),
    ("1e-999999", {"read": "seconds"}, '"1970-01-01T00:00:00Z"'),
    ("1e99999999999999999999", {"read": "seconds"}, None),
    ("253402300800", {"read": "seconds"}, None),
    ("true", {"read": "seconds"}, None),
    ("[]", {}, None),
]


@pytest.mark.parametrize(("value", "options", "becomes"), TIMES)
def test_timestamp_writes_times_in_another_way(value: str, options: dict[str, Any], becomes: str | None) -> None:
    found = row(b'{"a":%b}' % value.encode(), {"type": "timestamp", "fields": ["a"], **options})
    told = f"transform-failed: transforms[0] (timestamp): a is not a time that is written as {options.get('read', 'iso8601')}."
    assert found == (told if becomes is None else f'{{"a":{becomes}}}')


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        (mask(), "fields"),
        (mask("a", hash="md5"), "sha256"),
        (mask("a", hash="sha256", replacement=1), "one of them only"),
        ({"type": "rename", "fields": {}}, "fields"),
        ({"type": "rename", "fields": {"a": ""}}, "fields"),
        ({"type": "rename", "fields": {"a[]": "b"}}, "which have no names"),
        ({"type": "cast", "fields": {"a": "int"}}, "integer"),
        ({"type": "timestamp", "fields": ["a"], "read": "unix"}, "none of iso8601, microseconds"),
        ({"type": "timestamp", "fields": ["a"], "read": "yyyy"}, "yyyy, MM and dd"),
        ({"type": "timestamp", "fields": ["a"], "read": "yyyy-MMM-dd"}, "none of"),
        ({"type": "timestamp", "fields": ["a"], "write": "yyyy-MM-dd'T"}, "single quote"),
        ({"type": "timestamp", "fields": ["a"], "offset": "Europe/Berlin"}, "offset"),
        ({"type": "mash", "fields": ["a"]}, "mask"),
    ],
)  # fmt: skip # a paragraph
def test_what_can_t_be_declared(declared: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        pipeline(declared)
