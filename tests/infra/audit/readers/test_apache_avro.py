"""Objects that Apache's own library for Avro writes and reads: the engine's rows and the audit's are the same."""

import base64
import io
import json
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import avro.datafile
import avro.io
import avro.schema
from hypothesis import given
from hypothesis import strategies as st

from firnline_infra.audit.readers.avro import RecordSchema
from firnline_ingest.records.rows import RowMaker

from .engine import METADATA, SHARD, STREAM, audited, by_engine, pipeline_of, records_of

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
YEARS = {"min_value": datetime(1, 1, 2), "max_value": datetime(9999, 12, 30)}
PLAIN: list[tuple[Any, st.SearchStrategy[Any]]] = [
    ("null", st.none()),
    ("boolean", st.booleans()),
    ("int", st.integers(-(2**31), 2**31 - 1)),
    ("long", st.integers(-(2**63), 2**63 - 1)),
    ("float", st.floats(width=32, allow_nan=False, allow_infinity=False)),
    ("double", st.floats(allow_nan=False, allow_infinity=False)),
    ("bytes", st.binary(max_size=5)),
    ("string", TEXTS),
    ({"type": "int", "logicalType": "date"}, st.dates(min_value=date(1, 1, 1))),
    ({"type": "int", "logicalType": "time-millis"}, st.times().map(lambda each: each.replace(microsecond=7000))),
    ({"type": "long", "logicalType": "time-micros"}, st.times()),
    (
        {"type": "long", "logicalType": "timestamp-millis"},
        st.datetimes(**YEARS).map(lambda each: each.replace(microsecond=9000, tzinfo=UTC)),
    ),
    (
        {"type": "long", "logicalType": "timestamp-micros"},
        st.datetimes(**YEARS).map(lambda each: each.replace(tzinfo=UTC)),
    ),
    (
        {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 3},
        st.integers(-(10**12) + 1, 10**12 - 1).map(lambda each: Decimal(each).scaleb(-3)),
    ),
    ({"type": "string", "logicalType": "uuid"}, st.uuids().map(str)),
]


@st.composite
def typed(draw: st.DrawFn, depth: int, names: list[str]) -> tuple[Any, st.SearchStrategy[Any]]:
    """A schema, and its values as Apache's library takes them."""
    kind = draw(
        st.sampled_from(["plain"] * 3 + ["enum", "fixed"] + ["array", "map", "optional", "record"] * (depth > 0))
    )
    if kind == "plain":
        return draw(st.sampled_from(PLAIN))
    if kind in ("enum", "fixed", "record"):
        names.append(f"N{len(names)}")
        named = {"type": kind, "name": names[-1]}
        if kind == "enum":
            return {**named, "symbols": ["A", "B", "C"]}, st.sampled_from("ABC")
        if kind == "fixed":
            return {**named, "size": 3}, st.binary(min_size=3, max_size=3)
        return draw(records(depth - 1, names))
    schema, values = draw(typed(depth - 1, names))
    if kind == "array":  # of items that have bytes: others are refused, as there may be any number of them
        names.append(f"N{len(names)}")
        fields = [{"name": "x", "type": "int"}, {"name": "y", "type": schema}]
        item = st.fixed_dictionaries({"x": st.integers(0, 9), "y": values})
        return {"type": "array", "items": {"type": "record", "name": names[-1], "fields": fields}}, st.lists(
            item, max_size=3
        )
    if kind == "map":
        return {"type": "map", "values": schema}, st.dictionaries(TEXTS, values, max_size=3)
    if schema == "null" or isinstance(schema, list):
        return schema, values
    return ["null", schema], st.none() | values


@st.composite
def records(draw: st.DrawFn, depth: int, names: list[str]) -> tuple[Any, st.SearchStrategy[Any]]:
    names.append(f"N{len(names)}")
    name = names[-1]
    fields = [(f"f{number}", draw(typed(depth, names))) for number in range(draw(st.integers(1, 4)))]
    schema = {"type": "record", "name": name, "fields": [{"name": each, "type": of} for each, (of, _) in fields]}
    return schema, st.fixed_dictionaries({each: values for each, (_, values) in fields})


@st.composite
def objects(draw: st.DrawFn) -> tuple[dict[str, Any], list[Any]]:
    """A schema, and objects of it that have bytes: of others a container may claim any number."""
    schema, values = draw(records(2, []))
    schema["fields"].append({"name": "n", "type": "int"})
    numbered = st.tuples(values, st.integers(0, 9)).map(lambda drawn: drawn[0] | {"n": drawn[1]})
    return schema, draw(st.lists(numbered, min_size=1, max_size=3))


def in_a_row(value: Any) -> Any:
    """Returns a value that Apache's library has read as docs/records.md has it in a row."""
    match value:
        case dict():
            return {key: in_a_row(each) for key, each in value.items()}
        case list():
            return [in_a_row(each) for each in value]
        case bytes():
            return base64.b64encode(value).decode()
        case datetime() | date() | time():
            return value.isoformat()
        case UUID():
            return str(value)
        case float():
            return Decimal(repr(value))
    return value


def written(schema: avro.schema.Schema, value: Any) -> bytes:
    buffer = io.BytesIO()
    avro.io.DatumWriter(schema).write(value, avro.io.BinaryEncoder(buffer))
    return buffer.getvalue()


def read(schema: avro.schema.Schema, data: bytes) -> Any:
    return avro.io.DatumReader(schema).read(avro.io.BinaryDecoder(io.BytesIO(data)))


def rows_of(format_: dict[str, Any], *payloads: bytes) -> list[Any]:
    """Returns what the engine makes of them, which the audit has found to be right."""
    of = pipeline_of(format_)
    sent = records_of(*payloads)
    made = RowMaker(of, STREAM, SHARD).convert(sent)
    assert audited(of, sent, by_engine(of, sent)).problems == []
    assert not made.rejected
    rows = [json.loads(bytes(row), parse_float=Decimal) for row in made.rows]
    return [{key: value for key, value in row.items() if key != METADATA} for row in rows]


@given(objects())
def test_what_apache_writes_is_the_row_that_apache_reads(drawn: tuple[dict[str, Any], list[Any]]) -> None:
    schema, values = drawn
    parsed = avro.schema.parse(json.dumps(schema))
    payloads = [written(parsed, value) for value in values]
    assert rows_of({"type": "avro", "framing": "none", "avro_schema": json.dumps(schema)}, *payloads) == [
        in_a_row(read(parsed, each)) for each in payloads
    ]


def without_logical_types(schema: Any) -> Any:
    """Returns it with primitives by their names, as the canonical form has them; Apache's for Python leaves {"type": "int"}."""
    match schema:
        case {"logicalType": _, "type": primitive}:
            return primitive
        case dict():
            return {key: without_logical_types(each) for key, each in schema.items()}
        case list():
            return [without_logical_types(each) for each in schema]
    return schema


@given(objects())
def test_the_fingerprint_is_apaches(drawn: tuple[dict[str, Any], list[Any]]) -> None:
    plain = avro.schema.parse(json.dumps(without_logical_types(drawn[0])))
    assert RecordSchema(json.dumps(drawn[0])).fingerprint == plain.fingerprint()


@given(st.sampled_from(["null", "deflate", "bzip2", "zstandard"]), objects())
def test_a_container_that_apache_writes_is_read(codec: str, drawn: tuple[dict[str, Any], list[Any]]) -> None:
    schema, values = drawn
    parsed = avro.schema.parse(json.dumps(schema))
    buffer = io.BytesIO()
    writer = avro.datafile.DataFileWriter(buffer, avro.io.DatumWriter(), parsed, codec=codec)
    for value in values:
        writer.append(value)
    writer.flush()
    assert rows_of({"type": "avro", "framing": "container"}, buffer.getvalue()) == [
        in_a_row(read(parsed, written(parsed, value))) for value in values
    ]
