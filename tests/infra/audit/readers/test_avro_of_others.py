"""Schemas that registries hold and others read, though Avro's libraries refuse them: rows, and the audit reads the same."""

import base64
import json
from typing import Any

import pytest

from firnline_ingest.records.rows import RowMaker

from .engine import SHARD, STREAM, audited, by_engine, pipeline_of, records_of


def field(kind: Any, **more: Any) -> dict[str, Any]:
    return {"type": "record", "name": "R", "fields": [{"name": "v", "type": kind, **more}]}


def decimal(kind: str = "bytes", **more: Any) -> dict[str, Any]:
    sized = {"name": "D", "size": 2} if kind == "fixed" else {}
    return {"type": kind, "logicalType": "decimal", **sized, **more}


A, B = ({"type": "record", "name": name, "fields": [{"name": name.lower(), "type": "int"}]} for name in "AB")
UUID_BYTES = bytes(range(16))
CASES = {
    "a default null of a text": (field("string", default=None), b"\x02a", {"v": "a"}),
    "a default null of an array": (field({"type": "array", "items": "int"}, default=None), b"\x02\x02\0", {"v": [1]}),
    "a default number of a boolean": (field("boolean", default=3), b"\1", {"v": True}),
    "a scale above its precision": (field(decimal(precision=2, scale=5)), b"\x02\x7f", {"v": "fw=="}),
    "a precision in text": (field(decimal(precision="10", scale="2")), b"\x02\x7f", {"v": "fw=="}),
    "no precision": (field(decimal(scale=2)), b"\x02\x7f", {"v": "fw=="}),
    "a negative scale": (field(decimal(precision=4, scale=-1)), b"\x02\x7f", {"v": "fw=="}),
    "a precision beyond its fixed": (field(decimal("fixed", precision=38, scale=2)), b"\0\x7f", {"v": "AH8="}),
    "the precision that a fixed has": (field(decimal("fixed", precision=4, scale=2)), b"\0\x7f", {"v": 1.27}),
    "a decimal of a text": (field({"type": "string", "logicalType": "decimal"}), b"\x02a", {"v": "a"}),
    "a date of a long": (field({"type": "long", "logicalType": "date"}), b"\x02", {"v": 1}),
    "a logical type of nobody": (field({"type": "long", "logicalType": "mine"}), b"\x02", {"v": 1}),
    "a uuid in sixteen bytes": (
        field({"type": "fixed", "name": "U", "size": 16, "logicalType": "uuid"}),
        UUID_BYTES,
        {"v": "00010203-0405-0607-0809-0a0b0c0d0e0f"},
    ),
    "a uuid in two bytes": (
        field({"type": "fixed", "name": "U", "size": 2, "logicalType": "uuid"}),
        b"\0\x7f",
        {"v": "AH8="},
    ),
    "symbols of any form": (
        field({"type": "enum", "name": "E", "symbols": ["in-progress", "2nd", "a b"], "default": "gone"}),
        b"\x02",
        {"v": "2nd"},
    ),
    "an enum used twice": (
        {
            "type": "record",
            "name": "R",
            "fields": [
                {"name": "v", "type": {"type": "enum", "name": "E", "symbols": ["x-y", "z-z"]}},
                {"name": "w", "type": ["null", "E"], "default": "x-y"},
            ],
        },
        b"\x02\x02\0",
        {"v": "z-z", "w": "x-y"},
    ),
    "a type in a type": (field({"type": {"type": "int", "logicalType": "date"}}), b"\x02", {"v": "1970-01-02"}),
    "a record in a type": ({"type": field("int")}, b"\x02", {"v": 1}),
    "the first record of a union": ([A, B], b"\0\x02", {"a": 1}),
    "the other record of a union": ([A, B], b"\x02\x04", {"b": 2}),
}


@pytest.mark.parametrize("case", list(CASES))
@pytest.mark.parametrize("framing", ["none", "single_object"])
def test_it_is_a_row_and_the_audit_reads_the_same(case: str, framing: str) -> None:
    schema, data, expected = CASES[case]
    of = pipeline_of({"type": "avro", "framing": framing, "avro_schema": json.dumps(schema)})
    if framing == "single_object":
        from firnline_infra.audit.readers.avro import RecordSchema

        data = b"\xc3\1" + RecordSchema(json.dumps(schema)).fingerprint + data
    records = records_of(data)
    (row,) = RowMaker(of, STREAM, SHARD).convert(records).rows
    assert {key: value for key, value in json.loads(bytes(row)).items() if key != "KINESISMETADATA"} == expected
    findings = audited(of, records, by_engine(of, records))
    assert (findings.problems, findings.counts.rows) == ([], 1)


def test_a_branch_that_is_no_record_is_a_dead_letter_and_the_audit_agrees() -> None:
    of = pipeline_of({"type": "avro", "framing": "none", "avro_schema": json.dumps(["null", A])})
    records = records_of(b"\0", b"\x02\x02")
    outcomes = by_engine(of, records)
    assert [str(each.place) for each in outcomes] == ["dead letters", "table"]
    assert audited(of, records, outcomes).problems == []


@pytest.mark.parametrize("data", [base64.b64decode("AAE="), b"\x06"])
def test_a_symbol_that_there_is_not_stays_a_dead_letter(data: bytes) -> None:
    schema = field({"type": "enum", "name": "E", "symbols": ["in-progress"]})
    of = pipeline_of({"type": "avro", "framing": "none", "avro_schema": json.dumps(schema)})
    (rejected,) = RowMaker(of, STREAM, SHARD).convert(records_of(data)).rejected
    assert rejected.reason == "malformed"
