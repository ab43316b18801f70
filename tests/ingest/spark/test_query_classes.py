"""Objects that msgspec reads into a class of the schema, against the converters that decide what it refuses: the same bytes, the
same reasons.
"""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import types as spark

from firnline_ingest.records.rejection import DuplicateKeys
from firnline_ingest.spark import query_schema
from firnline_ingest.spark.query_schema import Typed, typed_by

NUMBERS = (
    *(
        "0",
        "-0",
        "-0.0",
        "1",
        "1.0",
        "1e2",
        "1.5",
        "0.1",
        "12.345",
        "999.995",
        "123456.7",
        "12345678901234567890.123456789",
    ),
    *(
        "127",
        "128",
        "-129",
        "32768",
        "2147483648",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775809",
    ),
    *("16777217", "3.4028236e38", "1e39", "1e400", "1e-400"),
)
TEXTS = (
    *("", "text", "1", " 1 ", "1_0", "NaN", "Infinity", "aGk=", "aGk", "a G k=", "é 😀 \n"),
    *("2026-02-28", "2026-02-29", "20260228", "2026-02-28T10:11:12", "2026-02-28T10:11:12.123456789+02:00"),
    *("2026-02-28 10:11Z", "10:11", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59.9999999-01:00"),
)
CONTAINERS = (
    *("[]", "[null]", '["a"]', "[1,2.0]", "[[1]]", '[{"a":1},null]', '["2026-02-28T10:11Z",null]'),
    *("{}", '{"a":1}', '{"A":1}', '{"a":null}', '{"a":1,"a":2}', '{"a":"x","more":[1e400]}', '{"\\u0061":3}'),
    *('{"k":{"a":1}}', '{"k":null}', '{"k":1.005}', '{"a":1,"A":"x","inner":{"a":"2026-02-28"}}', '{"inner":{"a":1}}'),
)
LITERALS = [
    "null",
    "true",
    *NUMBERS,
    *map(json.dumps, TEXTS),
    '"\\ud83d\\ude00"',
    '"\\ud800"',
    "01",
    "nul",
    *CONTAINERS,
]


def struct(**types: spark.DataType) -> spark.StructType:
    return spark.StructType([spark.StructField(name.replace("_", " "), of) for name, of in types.items()])


INT = spark.IntegerType()
SCHEMA = struct(
    s=spark.StringType(),
    b=spark.BooleanType(),
    t=spark.ByteType(),
    h=spark.ShortType(),
    i=INT,
    n=spark.LongType(),
    f=spark.FloatType(),
    d=spark.DoubleType(),
    m=spark.DecimalType(5, 2),
    w=spark.DecimalType(38, 9),
    day=spark.DateType(),
    at=spark.TimestampType(),
    wall=spark.TimestampNTZType(),
    raw=spark.BinaryType(),
    An_odd_name=spark.StringType(),
    objects=spark.ArrayType(struct(a=INT)),
    times=spark.ArrayType(spark.TimestampType()),
    pairs=spark.MapType(spark.StringType(), struct(a=INT)),
    sums=spark.MapType(spark.StringType(), spark.DecimalType(5, 2)),
    one=struct(a=INT, A=spark.StringType(), inner=struct(a=spark.DateType())),
    none=struct(),
)
KEYS = [form for name in SCHEMA.names for form in dict.fromkeys((name, name.upper()))]


def outcome(typed: Typed, document: bytes) -> object:
    try:
        return typed(document)
    except (msgspec.MsgspecError, ValueError, ArithmeticError, RecursionError, DuplicateKeys) as error:
        return type(error), str(error)


@pytest.fixture(scope="module")
def both() -> tuple[Typed, Typed]:
    return typed_by(SCHEMA), query_schema._by_converters(SCHEMA)


@pytest.mark.parametrize("key", KEYS)
def test_each_value_of_each_type_becomes_the_same_or_is_refused_with_the_same_reason(
    both: tuple[Typed, Typed], key: str
) -> None:
    for literal in LITERALS:
        document = f'{{{json.dumps(key)}: {literal}, "more": 1e400}}'.encode()
        found, expected = (outcome(typed, document) for typed in both)
        assert found == expected, document


@given(st.lists(st.tuples(st.sampled_from([*KEYS, "more"]), st.sampled_from(LITERALS)), max_size=6))
def test_objects_of_several_values_become_the_same(both: tuple[Typed, Typed], members: list[tuple[str, str]]) -> None:
    document = ("{" + ",".join(f"{json.dumps(key)}:{literal}" for key, literal in members) + "}").encode()
    found, expected = (outcome(typed, document) for typed in both)
    assert found == expected


@pytest.mark.parametrize(
    "document",
    [
        b"[1]",
        b"1",
        b"",
        b"{",
        b'{"s":"\xff"}',
        b'{"more":"\xff"}',
        b'{"\xff":1}',
        b'{"i":1} {}',
        b'{"more":' + b"[" * 5000 + b"]" * 5000 + b"}",
    ],
)
def test_what_is_not_a_json_object_is_refused_alike(both: tuple[Typed, Typed], document: bytes) -> None:
    found, expected = (outcome(typed, document) for typed in both)
    assert found == expected
    assert not isinstance(found, bytes)


def test_most_objects_need_no_converters(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(_: bytes) -> bytes:
        raise AssertionError

    monkeypatch.setattr(query_schema, "_by_converters", lambda _: never)
    document: dict[str, Any] = {"s": "x", "n": 7, "d": 1, "m": 1.25, "at": "2026-02-28T10:11:12Z", "more": {"a": 1}}
    document |= {"objects": [{"a": 1, "b": 2}, None], "one": {"a": None, "inner": {"a": "2026-02-28"}}, "b": None}
    assert json.loads(typed_by(SCHEMA)(json.dumps(document).encode())) == {
        "s": "x",
        "n": 7,
        "d": 1.0,
        "m": 1.25,
        "at": "2026-02-28T10:11:12Z",
        "objects": [{"a": 1}, None],
        "one": {"inner": {"a": "2026-02-28"}},
    }


def test_a_name_that_no_class_has_is_filled_all_the_same() -> None:
    typed = typed_by(spark.StructType([spark.StructField('a "quoted" name', INT)]))
    assert json.loads(typed(b'{"a \\"quoted\\" name":1}')) == {'a "quoted" name': 1}
