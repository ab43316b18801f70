"""One record of the trial, an order, in each encoding that a pipeline reads."""

import io
import json
from typing import Any

import fastavro

SCHEMA: dict[str, Any] = {
    "type": "record",
    "name": "Order",
    "fields": [
        {"name": "n", "type": "long"},
        {"name": "note", "type": ["null", "string"]},
        {"name": "lines", "type": {"type": "map", "values": "int"}},
    ],
}
PROTO = """syntax = "proto3";
message Lines { int64 a = 1; }
message Order { int64 n = 1; optional string note = 2; Lines lines = 3; }"""


def order(n: int) -> dict[str, Any]:
    return {"n": n, "note": None if n % 3 else f"note {n} \u00e9", "lines": {"a": n}}


def as_json(n: int) -> bytes:
    return json.dumps(order(n)).encode()


def alone(value: Any, schema: Any = SCHEMA) -> bytes:
    file = io.BytesIO()
    fastavro.schemaless_writer(file, schema, value)
    return file.getvalue()


def container(*values: Any, schema: Any = SCHEMA, codec: str = "deflate") -> bytes:
    file = io.BytesIO()
    fastavro.writer(file, schema, values, codec=codec, sync_marker=b"0123456789abcdef")
    return file.getvalue()


def single(value: Any) -> bytes:
    canonical = fastavro.schema.to_parsing_canonical_form(SCHEMA)
    return b"\xc3\x01" + bytes.fromhex(fastavro.schema.fingerprint(canonical, "CRC-64-AVRO")) + alone(value)


def _varint(number: int) -> bytes:
    """Encodes a number below 2^14."""
    return bytes([number]) if number < 128 else bytes([number & 127 | 128, number >> 7])


def as_message(n: int) -> bytes:
    """Encodes an Order of `PROTO`, by hand."""
    note = order(n)["note"]
    text = b"" if note is None else b"\x12" + _varint(len(note.encode())) + note.encode()
    lines = b"\x08" + _varint(n)
    return b"\x08" + _varint(n) + text + b"\x1a" + _varint(len(lines)) + lines
