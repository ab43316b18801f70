"""Columns that are added have the type that a record's schema declares, whatever its first value is."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, cast

import pytest

from firnline_ingest.config.format import RegisteredSchema, Schemas
from firnline_ingest.new_columns import NewColumns
from firnline_ingest.shard.receipt import ShardState
from firnline_ingest.snowflake.target import TargetState
from tests.fakes.columns import ColumnsInMemory
from tests.fakes.configs import TARGET, pipeline
from tests.ingest.formats.test_avro import alone, container
from tests.ingest.shard.conftest import World

from .running import bounded

FIELDS: dict[str, tuple[Any, Any, str]] = {
    "n": ("long", 1, ""),
    "empty": (["null", "double"], None, "FLOAT"),
    "count": (["null", "long"], None, "NUMBER(38, 0)"),
    "whole": ("double", 1.0, "FLOAT"),
    "flag": (["boolean", "null"], None, "BOOLEAN"),
    "price": (
        {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 4},
        Decimal("1.25"),
        "NUMBER(12, 4)",
    ),
    "huge": ([{"type": "bytes", "logicalType": "decimal", "precision": 60, "scale": 4}, "null"], None, "VARCHAR"),
    "raw": ("bytes", b"\x00", "BINARY"),
    "colour": ({"type": "enum", "name": "Colour", "symbols": ["RED"]}, "RED", "VARCHAR"),
    "again": (["null", "Colour"], None, "VARCHAR"),
    "day": (["null", {"type": "int", "logicalType": "date"}], None, "DATE"),
    "at": ({"type": "long", "logicalType": "timestamp-millis"}, datetime(2026, 1, 1, tzinfo=UTC), "TIMESTAMP_LTZ(6)"),
    "here": (["null", {"type": "long", "logicalType": "local-timestamp-micros"}], None, "TIMESTAMP_NTZ(6)"),
    "nested": (["null", {"type": "map", "values": "long"}], None, "VARIANT"),
    "list": (["null", {"type": "array", "items": "long"}], None, "ARRAY"),
    "either": (["long", "string"], "x", "VARCHAR"),
}
"""Type, first value, and the column; of a union of several the value decides."""
SCHEMA = {
    "type": "record",
    "name": "Order",
    "fields": [{"name": name, "type": kind} for name, (kind, _, _) in FIELDS.items()],
}
VALUE = {name: value for name, (_, value, _) in FIELDS.items()}
DECLARED = {f'"{name.upper()}" {column}' for name, (_, _, column) in FIELDS.items() if column}


@pytest.fixture
def catalog() -> ColumnsInMemory:
    return ColumnsInMemory(TargetState(TARGET, evolves=False, logs_errors=True, adds_columns=True))


def run(
    world: World,
    catalog: ColumnsInMemory,
    format_: dict[str, Any],
    *records: bytes,
    schemas: Schemas | None = None,
    **more: Any,
) -> set[str]:
    """Returns the definitions of the columns that were added."""
    world.configure(adds_columns=True, format=format_, **more)
    for record in records:
        world.stream.put(record)
    receipt = bounded(
        world.services(new_columns=NewColumns(cast("Any", catalog)), schemas=lambda _: schemas), world.work()
    )
    assert (receipt.state, receipt.rows) == (ShardState.DONE, len(records)), receipt
    return {column for statement in catalog.statements for column in statement}


@pytest.mark.parametrize("framing", ["none", "container"])
def test_each_field_has_the_column_that_its_schema_declares(
    world: World, catalog: ColumnsInMemory, framing: str
) -> None:
    format_ = {"type": "avro", "framing": framing} | ({"avro_schema": json.dumps(SCHEMA)} if framing == "none" else {})
    data = alone(VALUE, SCHEMA) if framing == "none" else container(VALUE, schema=SCHEMA)
    assert run(world, catalog, format_, data) == DECLARED


def test_of_a_union_a_later_value_is_not_asked_and_the_declared_type_stays(
    world: World, catalog: ColumnsInMemory
) -> None:
    format_ = {"type": "avro", "framing": "none", "avro_schema": json.dumps(SCHEMA)}
    later = VALUE | {"empty": 1.5, "count": 7, "flag": True}
    assert run(world, catalog, format_, alone(VALUE, SCHEMA), alone(later, SCHEMA)) == DECLARED


def test_a_key_that_a_transform_made_is_no_field_of_the_schema(world: World, catalog: ColumnsInMemory) -> None:
    format_ = {"type": "avro", "framing": "none", "avro_schema": json.dumps(SCHEMA)}
    renamed = [{"type": "rename", "fields": {"whole": "empty2"}}]
    made = run(world, catalog, format_, alone(VALUE, SCHEMA), transforms=renamed)
    assert '"EMPTY" VARCHAR' in made, "by its value, as without a schema"


PROPERTIES: dict[str, tuple[Any, Any, str]] = {
    "n": ({"type": "integer"}, 1, ""),
    "price": ({"type": "number"}, 1, "FLOAT"),
    "empty": ({"type": ["null", "integer"]}, None, "NUMBER(38, 0)"),
    "one": ({"oneOf": [{"type": "null"}, {"type": "boolean"}]}, None, "BOOLEAN"),
    "day": ({"type": "string", "format": "date"}, "no day", "VARCHAR"),
    "nested": ({"anyOf": [{"type": "object"}, {"type": "null"}]}, None, "VARIANT"),
    "list": ({"type": ["array", "null"]}, None, "ARRAY"),
    "either": ({"type": ["string", "number"]}, 5, "NUMBER(38, 0)"),
    "refers": ({"$ref": "#/definitions/x"}, 5, "NUMBER(38, 0)"),
    "odd": ({"type": 7}, None, "VARCHAR"),
}
JSON_SCHEMA = json.dumps({"properties": {name: kind for name, (kind, _, _) in PROPERTIES.items()}})
REGISTERED = {"type": "json", "framing": "confluent", "registry": {"url": "https://registry.example.com"}}


@pytest.mark.parametrize(
    ("found", "is_declared"),
    [
        (RegisteredSchema(JSON_SCHEMA, "JSON"), True),
        (RegisteredSchema(JSON_SCHEMA, "AVRO"), False),
        (RegisteredSchema("{", "JSON"), False),
        (RegisteredSchema("[]", "JSON"), False),
        (RegisteredSchema('{"properties": [1]}', "JSON"), False),
        (None, False),
    ],
)
def test_keys_of_json_have_the_columns_of_their_registered_schema_or_of_their_values(
    world: World, catalog: ColumnsInMemory, found: RegisteredSchema | None, is_declared: bool
) -> None:
    record = b"\0\0\0\0\7" + json.dumps({name: value for name, (_, value, _) in PROPERTIES.items()}).encode()
    made = run(world, catalog, REGISTERED, record, schemas=lambda _: found)
    wanted = {f'"{name.upper()}" {column}' for name, (_, _, column) in PROPERTIES.items() if column}
    by_value = {'"PRICE" NUMBER(38, 0)', '"EMPTY" VARCHAR', '"ONE" VARCHAR', '"NESTED" VARCHAR', '"LIST" VARCHAR'}
    assert (made == wanted) is is_declared
    assert (by_value <= made) is not is_declared


def test_keys_of_json_in_glues_frame_have_the_columns_of_their_schema_where_that_is_asked_for(
    world: World, catalog: ColumnsInMemory
) -> None:
    record = b"\3\0" + bytes(16) + b'{"price": 1}'
    glue = {"type": "json", "framing": "glue"}
    assert run(
        world,
        catalog,
        {**glue, "types_from_glue": True},
        record,
        schemas=lambda _: RegisteredSchema(JSON_SCHEMA, "JSON"),
    ) == {'"PRICE" FLOAT'}
    with pytest.raises(ValueError, match="give types_from_glue with framing: glue"):
        pipeline(format={"type": "json", "types_from_glue": True})


def test_without_that_a_registry_of_glue_is_not_asked(world: World, catalog: ColumnsInMemory) -> None:
    record = b"\3\0" + bytes(16) + b'{"price": 1}'
    assert run(world, catalog, {"type": "json", "framing": "glue"}, record) == {'"PRICE" NUMBER(38, 0)'}


def test_a_field_of_protobuf_has_the_column_that_its_schema_declares(world: World, catalog: ColumnsInMemory) -> None:
    text = 'syntax = "proto3"; import "google/protobuf/timestamp.proto"; ' + (
        "message M { uint64 whole = 1; google.protobuf.Timestamp at = 2; double d = 3; repeated string s = 4; bytes b = 5; }"
    )
    format_ = {"type": "protobuf", "framing": "confluent", "registry": {"url": "https://registry.example.com"}}
    made = run(world, catalog, format_, b"\0\0\0\0\7\0\x12\0", schemas=lambda _: RegisteredSchema(text, "PROTOBUF"))
    wanted = {'"WHOLE" NUMBER(38, 0)', '"AT" TIMESTAMP_LTZ(9)', '"D" FLOAT', '"S" ARRAY', '"B" BINARY'}
    assert made == wanted


def test_a_registry_belongs_to_confluents_frame() -> None:
    for more in ({"framing": "glue"}, {"framing": "none"}, {"several_objects": True}):
        with pytest.raises(ValueError, match="give registry with framing: confluent"):
            pipeline(format={**REGISTERED, **more})
    plain = pipeline(format={"type": "json", "framing": "confluent"})
    assert pipeline(format=REGISTERED).conversion_hash == plain.conversion_hash, "it decides no row"
