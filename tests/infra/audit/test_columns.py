from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal

import pytest

from firnline_infra.audit.columns import AuditedColumn, is_same_time
from firnline_infra.audit.json_values import parse


def holds(type_name: str, sent: str, kept: object) -> bool | None:
    """`sent` as it stands in a payload."""
    return AuditedColumn("C", type_name).holds(parse(sent), kept)


@pytest.mark.parametrize(
    ("type_name", "sent", "kept"),
    [
        ("NUMBER(38,0)", "12345678901234567890", 12345678901234567890),
        ("NUMBER(38,0)", '"12"', 12),
        ("NUMBER(10,2)", "1.50", Decimal("1.5")),
        ("NUMBER(38,0)", "1e3", 1000),
        ("FLOAT", "0.1", 0.1),
        ("FLOAT", "0.10000000000000001", 0.1),
        ("FLOAT", "12", 12.0),
        ("FLOAT", '"1.5"', 1.5),
        ("FLOAT", '"NaN"', float("nan")),
        ("VARCHAR(16777216)", '"é\\u0000"', "é\x00"),
        ("VARCHAR(16777216)", "12.50", "12.5"),
        ("VARCHAR(16777216)", "true", "true"),
        ("VARCHAR(16777216)", '{"a": [1]}', '{"a":[1]}'),
        ("BOOLEAN", "true", True),
        ("BOOLEAN", '"no"', False),
        ("BINARY(8388608)", '"AAH/"', bytearray(b"\x00\x01\xff")),
        ("VARIANT", '{"a":1.0}', '{\n  "a": 1\n}'),
        ("VARIANT", '"text"', '"text"'),
        ("VARIANT", "9007199254740993", "9007199254740993"),
        ("OBJECT", '"{\\"a\\":1}"', '{"a":1}'),
        ("OBJECT(a NUMBER(38,0))", '{"a":1}', '{"a":1}'),
        ("ARRAY", "7", "[7]"),
        ("ARRAY", "[7]", "[7]"),
    ],
)
def test_a_column_holds_the_value_as_its_type_can(type_name: str, sent: str, kept: object) -> None:
    assert holds(type_name, sent, kept) is True


@pytest.mark.parametrize(
    ("type_name", "sent", "kept"),
    [
        ("NUMBER(38,0)", "1.5", 2),
        ("NUMBER(38,0)", "9007199254740993", 9007199254740992),
        ("NUMBER(38,0)", '"twelve"', 12),
        ("NUMBER(38,0)", "true", 1),
        ("FLOAT", "0.1", 0.2),
        ("FLOAT", "9007199254740993", 9007199254740992.0),
        ("FLOAT", '"x"', 1.0),
        ("FLOAT", "true", 1.0),
        ("VARCHAR(16777216)", '"a"', "a "),
        ("VARCHAR(16777216)", '"12.5"', "12.50"),
        ("VARCHAR(16777216)", "12", "13"),
        ("VARCHAR(16777216)", "12", "twelve"),
        ("BOOLEAN", "true", False),
        ("BOOLEAN", '"maybe"', False),
        ("BOOLEAN", "1", True),
        ("BINARY(8388608)", '"AAH/"', bytearray(b"\x00")),
        ("VARIANT", '"1"', "1"),
        ("VARIANT", "9007199254740993", "9007199254740992"),
        ("OBJECT", '{"a":1}', '{"a":2}'),
        ("OBJECT", '"x"', '{"a":2}'),
        ("ARRAY", "7", "[8]"),
    ],
)
def test_any_other_value_was_changed(type_name: str, sent: str, kept: object) -> None:
    assert holds(type_name, sent, kept) is False


@pytest.mark.parametrize(
    ("type_name", "sent", "kept"),
    [
        ("GEOGRAPHY", '"POINT(0 0)"', "{}"),
        ("BINARY(8388608)", '"not base64"', bytearray(b"\x00")),
        ("TIMESTAMP_NTZ(9)", '"soon"', None),
    ],
)
def test_what_the_audit_cant_compare_is_neither(type_name: str, sent: str, kept: object) -> None:
    assert holds(type_name, sent, kept) is None


@pytest.mark.parametrize(
    ("type_name", "kept", "is_empty"),
    [("VARCHAR", None, True), ("VARIANT", "null", True), ("VARCHAR", "null", False), ("VARIANT", '"null"', False)],
)
def test_null_and_the_json_null_of_a_variant_are_no_value(type_name: str, kept: object, is_empty: bool) -> None:
    assert AuditedColumn("C", type_name).is_empty(kept) is is_empty


def test_a_column_is_read_from_its_description() -> None:
    row = {"name": "price", "type": "NUMBER(10,2)", "default": "0", "null?": "Y"}
    column = AuditedColumn.described(row)
    assert (column.key, column.family, column.has_default) == ("PRICE", "NUMBER", True)


NOON = datetime(2026, 1, 31, 12, 0, 0, 123456)
CET = timezone(timedelta(hours=1))


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("2026-01-31T12:00:00.123456", NOON),
        ("2026-01-31 12:00:00.123456", NOON),
        ("2026-01-31T12:00:00.123456789", NOON),
        ("2026-01-31T12:00:00.123456+01:00", NOON),  # a column without a zone keeps the clock's reading
        ("2026-01-31T12:00:00.123456Z", NOON.replace(tzinfo=UTC)),
        ("2026-01-31T12:00:00.123456", NOON.replace(tzinfo=UTC)),
        ("2026-01-31T12:00:00.123456Z", NOON.replace(hour=13, tzinfo=CET)),
        (1769860800, NOON.replace(microsecond=0)),
        (1769860800123, NOON.replace(microsecond=123000)),
        (1769860800123456, NOON),
        (1769860800123456789, NOON),
        ("1769860800", NOON.replace(microsecond=0)),
        ("2026-01-31", date(2026, 1, 31)),
        ("2026-01-31T23:59:59", date(2026, 1, 31)),
        ("12:00:00.5", time(12, 0, 0, 500000)),
        (1769860800, time(12)),
    ],
)
def test_it_is_the_same_time_in_the_notations_that_everybody_reads_alike(sent: object, kept: object) -> None:
    assert is_same_time(sent, kept) is True


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("2026-01-31T12:00:00.123457", NOON),
        ("2026-01-31T12:00:00.123456+01:00", NOON.replace(tzinfo=UTC)),
        ("2026-02-01", date(2026, 1, 31)),
        ("12:00:01", time(12)),
        (1769860801, NOON.replace(microsecond=0)),
    ],
)
def test_another_time_is_another_time(sent: object, kept: object) -> None:
    assert is_same_time(sent, kept) is False


@pytest.mark.parametrize("sent", ["31-JAN-2026", "Sat Jan 31 2026", True, 1.5, {}, 10**40])
def test_what_only_snowflake_reads_is_left_unchecked(sent: object) -> None:
    assert is_same_time(sent, NOON) is None
