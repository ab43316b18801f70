"""Tests of which field a dead letter of Avro names: fastavro says what it came across, and Python's words say no field."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .making import rejected
from .test_avro import CONTAINER, alone, container
from .test_avro_strict import EVERY, WRITTEN


def nested(kind: Any) -> dict[str, Any]:
    inner = {
        "type": "record",
        "name": "N",
        "fields": [{"name": "note", "type": "string"}, {"name": "when", "type": kind}],
    }
    return {
        "type": "record",
        "name": "R",
        "fields": [
            {"name": "id", "type": "long"},
            {"name": "o", "type": ["null", inner]},
            {"name": "end", "type": "int"},
        ],
    }


def letter(kind: Any, written_as: Any, value: Any) -> str:
    payload = alone({"id": 1, "o": {"note": "x", "when": value}, "end": 3}, nested(written_as))
    return rejected({"type": "avro", "framing": "none", "avro_schema": json.dumps(nested(kind))}, payload).detail


YEARS = "a date or time outside of the years 1 to 9999"


@pytest.mark.parametrize(
    ("logical", "of", "value", "why"),
    [
        ("date", "int", 2**31 - 1, YEARS),
        ("date", "int", -(2**31), YEARS),
        ("timestamp-millis", "long", 2**60, YEARS),
        ("timestamp-micros", "long", -(2**62), YEARS),
        ("local-timestamp-millis", "long", 2**60, YEARS),
        ("local-timestamp-micros", "long", 2**62, YEARS),
        ("time-millis", "int", 2**31 - 1, "hour must be in 0..23"),
        ("time-micros", "long", -1, "a time of day of -1"),
        ("uuid", "string", "x", "badly formed hexadecimal UUID string"),
    ],
)
def test_a_value_that_its_logical_type_does_not_have_is_said_with_its_field(
    logical: str, of: str, value: Any, why: str
) -> None:
    kind = {"type": of, "logicalType": logical}
    said = f"its field o.when can't be read: {why}."
    assert letter(kind, of, value) == said
    assert letter({"type": "array", "items": kind}, {"type": "array", "items": of}, [value]) == said
    assert letter({"type": "map", "values": kind}, {"type": "map", "values": of}, {"k": value}) == said
    assert letter(["null", "boolean", kind], ["null", "boolean", of], value) == said


def test_the_object_of_a_container_that_is_not_read_has_its_field_named() -> None:
    schema = nested({"type": "long", "logicalType": "timestamp-millis"})
    good, bad = ({"id": 1, "o": {"note": "x", "when": when}, "end": 3} for when in (0, 2**52))
    assert (
        rejected(CONTAINER, container(good, bad, schema=schema)).detail == f"its field o.when can't be read: {YEARS}."
    )


@given(WRITTEN, st.data())
def test_of_a_record_that_is_cut_the_field_in_which_it_ends_is_named(
    value: dict[str, Any], data: st.DataObject
) -> None:
    """The field is the first one whose bytes, with those of the fields before, are more than are there."""
    fields = EVERY["fields"]
    ends = [len(alone(value, EVERY | {"fields": fields[:number]})) for number in range(1, len(fields) + 1)]
    cut = data.draw(st.integers(1, ends[-1] - 1))  # without a byte it is an empty record
    within = next(field["name"] for end, field in zip(ends, fields, strict=True) if end > cut)
    format_ = {"type": "avro", "framing": "none", "avro_schema": json.dumps(EVERY)}
    detail = rejected(format_, alone(value, EVERY)[:cut]).detail
    assert detail.startswith((f"its field {within} can't be read: ", f"its field {within}."))
