"""Avro in its own framings, written by fastavro, and bytes that only claim to be."""

import io
import json
from decimal import Decimal
from typing import Any

import fastavro
import pytest
import zstandard

from firnline_ingest.errors import ConfigError
from firnline_ingest.formats.avro_decoding.objects import BLOCK, HEADER, MAGIC
from firnline_ingest.formats.packing import EXPANDED_BYTES
from firnline_ingest.records.rejection import RejectReason
from firnline_ingest.values import LAST_ROW

from .making import convert, maker, rejected, values

SCHEMA: dict[str, Any] = {
    "type": "record",
    "name": "Order",
    "namespace": "shop",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 50, "scale": 2}},
        {"name": "note", "type": ["null", "string", {"type": "array", "items": "int"}]},
        {
            "name": "lines",
            "type": {
                "type": "map",
                "values": {"type": "record", "name": "Line", "fields": [{"name": "n", "type": "int"}]},
            },
        },
        {"name": "first", "type": ["null", "Line"]},
    ],
}
ORDER = {"id": 1, "price": Decimal("12.50"), "note": "x", "lines": {"a b": {"n": 1}}, "first": {"n": 2}}
ROW = {"id": 1, "price": 12.5, "note": "x", "lines": {"a b": {"n": 1}}, "first": {"n": 2}}
CONTAINER = {"type": "avro"}
ALONE = {"type": "avro", "framing": "none", "avro_schema": json.dumps(SCHEMA)}
SINGLE = {**ALONE, "framing": "single_object"}


def container(*orders: dict[str, Any], codec: str = "null", schema: Any = SCHEMA) -> bytes:
    file = io.BytesIO()
    if codec == "zstandard":  # fastavro packs so only with a library that Python 3.14 has
        sync = b"0123456789abcdef"
        meta = {"avro.schema": json.dumps(schema).encode(), "avro.codec": b"zstandard"}
        fastavro.schemaless_writer(file, HEADER, {"magic": MAGIC, "meta": meta, "sync": sync})
        data = zstandard.compress(b"".join(alone(order, schema) for order in orders))
        fastavro.schemaless_writer(file, BLOCK, {"objects": len(orders), "data": data, "sync": sync})
    else:
        fastavro.writer(file, schema, orders, codec=codec, sync_interval=40, sync_marker=b"0123456789abcdef")
    return file.getvalue()


def alone(value: Any, schema: Any = SCHEMA) -> bytes:
    file = io.BytesIO()
    fastavro.schemaless_writer(file, schema, value)
    return file.getvalue()


def single(value: Any) -> bytes:
    canonical = fastavro.schema.to_parsing_canonical_form(SCHEMA)
    return b"\xc3\x01" + bytes.fromhex(fastavro.schema.fingerprint(canonical, "CRC-64-AVRO")) + alone(value)


@pytest.mark.parametrize("codec", ["null", "deflate", "zstandard", "snappy", "bzip2", "xz"])
def test_each_object_of_a_container_is_a_row(codec: str) -> None:
    made = convert(CONTAINER, container(ORDER, {**ORDER, "note": [1, 2]}, {**ORDER, "first": None}, codec=codec))
    assert values(made) == [ROW, {**ROW, "note": [1, 2]}, {**ROW, "first": None}]
    assert list(made.row_numbers) == [1, 2, LAST_ROW]


def test_an_object_of_a_known_schema_is_a_row() -> None:
    assert values(convert(ALONE, alone(ORDER))) == [ROW]
    assert values(convert(SINGLE, single(ORDER))) == [ROW]


def test_a_decimal_of_more_than_38_digits_is_text() -> None:
    (row,) = values(convert(ALONE, alone({**ORDER, "price": Decimal("1" * 40 + ".25")})))
    assert row["price"] == "1" * 40 + ".25"


@pytest.mark.parametrize(
    ("format_", "data"),
    [
        (ALONE, alone(ORDER)[:-1]),
        (ALONE, alone(ORDER) + b"\0"),
        (ALONE, b"\x02" + b"\xff" * 20),
        (SINGLE, alone(ORDER)),
        (SINGLE, b"\xc3\x01" + bytes(8) + alone(ORDER)),
        (CONTAINER, b"Obj\x01"),
        (CONTAINER, alone(ORDER)),
        (CONTAINER, container(ORDER)[:-1]),
        (CONTAINER, container(ORDER)[:-1] + b"x"),
        (CONTAINER, container(ORDER).replace(b"\x08null", b"\x08lzop", 1)),
        (CONTAINER, container(ORDER).replace(b'"record"', b'"recerd"')),
        (CONTAINER, container(ORDER).replace(b"Order", b"Or\xffer")),
        (CONTAINER, container(schema=["null", "int"])),
    ],
)
def test_what_is_not_as_the_schema_says_is_a_letter(format_: dict[str, Any], data: bytes) -> None:
    assert rejected(format_, data).reason is RejectReason.MALFORMED


@pytest.mark.parametrize("codec", ["snappy", "bzip2", "xz"])
@pytest.mark.parametrize("damage", [b"\xff", b"\0"])
def test_a_block_that_is_not_packed_as_it_says_is_a_letter(codec: str, damage: bytes) -> None:
    data = container(ORDER, codec=codec)
    assert rejected(CONTAINER, data[:-24] + damage * 8 + data[-16:]).reason is RejectReason.NOT_PACKED


@pytest.mark.parametrize("codec", ["zstandard", "snappy", "bzip2", "xz"])
def test_a_block_that_is_a_bomb_is_a_letter(codec: str) -> None:
    data = container({**ORDER, "note": "x" * (EXPANDED_BYTES + 1)}, codec=codec)
    assert rejected(CONTAINER, data).reason is RejectReason.TOO_LARGE


def test_a_container_without_objects_is_empty() -> None:
    assert rejected(CONTAINER, container()).reason is RejectReason.EMPTY


@pytest.mark.parametrize("codec", ["deflate", "zstandard"])
def test_a_block_that_unpacks_to_too_much_is_a_letter(codec: str) -> None:
    schema = {"type": "record", "name": "R", "fields": [{"name": "a", "type": "bytes"}]}
    data = container({"a": bytes(20_000_000)}, codec=codec, schema=schema)
    assert rejected(CONTAINER, data).reason is RejectReason.TOO_LARGE


def record(*kinds: Any, name: str = "R") -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": f"f{n}", "type": kind} for n, kind in enumerate(kinds)]}


def laughs() -> dict[str, Any]:
    """Each one has the one before twice."""
    schema = record("null", name="R0")
    for number in range(1, 30):
        schema = record(schema, f"R{number - 1}", name=f"R{number}")
    return schema


@pytest.mark.parametrize(
    "schema",
    [
        record(["null", "R"]),
        record({"type": "array", "items": "null"}),
        record({"type": "array", "items": record(name="Empty")}),
        laughs(),
        record("unknown"),
        "string",
        ["null", "int"],
        {},
    ],
)
def test_a_schema_by_which_few_bytes_could_say_anything_is_refused(schema: Any) -> None:
    with pytest.raises(ConfigError, match="avro_schema: "):
        maker({"type": "avro", "framing": "none", "avro_schema": json.dumps(schema)})


def test_objects_that_could_take_too_much_memory_are_not_made() -> None:
    schema = record({"type": "array", "items": record("boolean", name="Item")})
    format_ = {"type": "avro", "framing": "none", "avro_schema": json.dumps(schema)}
    few, many = ({"f0": [{"f0": True}] * count} for count in (1000, 300_000))
    assert len(convert(format_, alone(few, schema)).rows) == 1
    assert rejected(format_, alone(many, schema)).reason is RejectReason.TOO_LARGE


def test_a_decimal_of_very_many_bytes_is_no_reason_to_wait() -> None:
    decimal = {"type": "bytes", "logicalType": "decimal", "precision": 50, "scale": 2}
    format_ = {"type": "avro", "framing": "none", "avro_schema": json.dumps(record(decimal))}
    assert rejected(format_, alone(b"\x7f" * 500_000, "bytes")).reason is RejectReason.MALFORMED


@pytest.mark.parametrize(("of", "unit"), [("int", "time-millis"), ("long", "time-micros")])
def test_a_time_before_midnight_is_no_time_of_the_day_before(of: str, unit: str) -> None:
    format_ = {"type": "avro", "framing": "none", "avro_schema": json.dumps(record({"type": of, "logicalType": unit}))}
    assert rejected(format_, alone(-1, of)).reason is RejectReason.MALFORMED
    assert len(convert(format_, alone(0, of)).rows) == 1


def test_a_schema_goes_with_the_framings_that_have_none() -> None:
    for section in ({"framing": "none"}, {"avro_schema": "{}"}, {"framing": "none", "avro_schema": "{"}):
        with pytest.raises(ConfigError):
            maker({"type": "avro", **section})


@pytest.mark.parametrize(
    ("names", "why"),
    [(("\ud800",), "UnicodeEncodeError"), (("a", "a"), "'R' has two fields of one name")],
)
def test_names_of_which_no_columns_can_be_made_are_refused_with_their_schema(names: tuple[str, ...], why: str) -> None:
    schema = {"type": "record", "name": "R", "fields": [{"name": name, "type": "int"} for name in names]}
    header = {"magic": MAGIC, "meta": {"avro.schema": json.dumps(schema).encode()}, "sync": bytes(16)}
    block = {"objects": 1, "data": bytes(len(names)), "sync": bytes(16)}
    one = rejected({"type": "avro"}, alone(header, HEADER) + alone(block, BLOCK))
    assert (one.reason, why in one.detail) == (RejectReason.MALFORMED, True)
