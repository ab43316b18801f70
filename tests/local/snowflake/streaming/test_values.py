"""JSON values into columns, type by type."""

import math
from datetime import UTC, date, datetime, time
from decimal import Decimal

import pytest

from firnline_local.snowflake.catalog import DataType
from firnline_local.snowflake.streaming.values import NotConvertible, converter_for


def convert(column_type: str, value: str) -> object:
    return converter_for(DataType.parse(column_type))(value.encode())


@pytest.mark.parametrize(
    ("column_type", "value", "expected"),
    [
        ("NUMBER", "12", 12),
        ("NUMBER", "-12", Decimal(-12)),
        ("NUMBER", "12.5", Decimal(13)),
        ("NUMBER", '" 12.4 "', Decimal(12)),
        ("NUMBER(5,2)", "123.455", Decimal("123.46")),
        ("NUMBER(5,2)", "0.001", Decimal("0.00")),
        ("NUMBER(38,0)", "9" * 38, int("9" * 38)),
        ("NUMBER(38,0)", "1e3", Decimal(1000)),
        ("NUMBER(38,2)", "1" * 36, int("1" * 36)),
        ("FLOAT", "1.5", 1.5),
        ("FLOAT", '"-inf"', -math.inf),
        ("FLOAT", "1e999", math.inf),
        ("BOOLEAN", "true", True),
        ("BOOLEAN", '"No"', False),
        ("VARCHAR", '"h\\u00e9"', "hé"),
        ("VARCHAR", "1.50", "1.50"),
        ("VARCHAR", "true", "true"),
        ("VARCHAR", '{"a": 1}', '{"a": 1}'),
        ("VARCHAR(3)", '"äöü"', "äöü"),
        ("BINARY", '"aGk="', b"hi"),
        ("DATE", '"2026-02-03"', date(2026, 2, 3)),
        ("DATE", '"2026-02-03T23:30:00-07:00"', date(2026, 2, 3)),
        ("TIME", '"20:57:01.123456789"', time(20, 57, 1, 123456)),
        ("TIME", '"20:57:01+07:00"', time(20, 57, 1)),
        ("TIMESTAMP_NTZ", '"2026-02-03 04:05:06.5+01:00"', datetime(2026, 2, 3, 4, 5, 6, 500000)),
        ("TIMESTAMP_TZ", '"2026-02-03T04:05:06+01:00"', datetime(2026, 2, 3, 3, 5, 6, tzinfo=UTC)),
        ("TIMESTAMP_LTZ", '"2026-02-03"', datetime(2026, 2, 3, tzinfo=UTC)),
        ("TIMESTAMP_NTZ", "1700000000", datetime(2023, 11, 14, 22, 13, 20)),
        ("TIMESTAMP_NTZ", '"1700000000123"', datetime(2023, 11, 14, 22, 13, 20, 123000)),
        ("TIMESTAMP_NTZ", "1700000000123456", datetime(2023, 11, 14, 22, 13, 20, 123456)),
        ("TIMESTAMP_NTZ", "1700000000123456789", datetime(2023, 11, 14, 22, 13, 20, 123456)),
        ("VARIANT", '{"a" : 1.50}', '{"a" : 1.50}'),
        ("VARIANT", '"[1]"', '"[1]"'),
        ("ARRAY", "[1, 2]", "[1, 2]"),
        ("ARRAY", '"[1]"', '["[1]"]'),
        ("OBJECT", '{"a":[]}', '{"a":[]}'),
        ("OBJECT", '"{\\"a\\": 1}"', '{"a": 1}'),
        ("OBJECT(a VARCHAR, n NUMBER)", '{"n": "2", "a": 1}', '{"a":"1","n":2}'),
        ("OBJECT(a VARCHAR)", '{"a": null}', '{"a":null}'),
        ("ARRAY(OBJECT(d DATE))", '[{"d": "2026-02-03T04:05:06"}]', '[{"d":"2026-02-03"}]'),
        ("ARRAY(VARIANT)", '[{"d" : 1.50}]', '[{"d" : 1.50}]'),
        ("MAP(NUMBER, FLOAT)", '{"1": 2}', '{"1":2.0}'),
    ],
)
def test_a_value_becomes_what_its_column_keeps(column_type: str, value: str, expected: object) -> None:
    converted = convert(column_type, value)

    assert converted == expected
    assert type(converted) is type(expected)


@pytest.mark.parametrize(
    ("column_type", "value", "code"),
    [
        ("OBJECT(a VARCHAR)", "{}", "100071"),  # as a cast: no key may be missing
        ("OBJECT(a VARCHAR)", '{"a": "1", "A": "1"}', "100071"),  # and none may be left over
        ("OBJECT(a VARCHAR NOT NULL)", '{"a": null}', "100071"),
        ("OBJECT(a NUMBER)", '{"a": "x"}', "100038"),
        ("ARRAY(NUMBER)", "1", "100071"),
        ("MAP(NUMBER, NUMBER)", '{"x": 1}', "100038"),
        ("NUMBER", '"abc"', "100038"),
        ("NUMBER", "true", "100038"),
        ("NUMBER", '"1_000"', "100038"),
        ("NUMBER", '"nan"', "100038"),
        ("NUMBER(3,0)", "1000", "100132"),
        ("NUMBER(3,0)", "999.5", "100132"),
        ("NUMBER(5,2)", "1000", "100132"),
        ("NUMBER", "1e400", "100132"),
        ("NUMBER", "[1]", "100038"),
        ("FLOAT", '"x"', "100038"),
        ("FLOAT", "{}", "100038"),
        ("BOOLEAN", "1", "100037"),
        ("BOOLEAN", '"maybe"', "100037"),
        ("VARCHAR(2)", '"abc"', "100078"),
        ("BINARY", '"not base64"', "100081"),
        ("BINARY", "12", "100081"),
        ("BINARY", '"é"', "100081"),
        ("DATE", '"03/02/2026"', "100035"),
        ("DATE", "true", "100038"),
        ("TIMESTAMP_NTZ", '"yesterday"', "100035"),
        ("TIMESTAMP_NTZ", '"' + "9" * 40 + '"', "100035"),
        ("OBJECT", "[1]", "100071"),
        ("OBJECT", '"text"', "100071"),
    ],
)
def test_what_a_column_cannot_take_is_refused_with_its_code(column_type: str, value: str, code: str) -> None:
    with pytest.raises(NotConvertible) as refused:
        convert(column_type, value)

    assert refused.value.code == code
    assert len(refused.value.message) < 300
