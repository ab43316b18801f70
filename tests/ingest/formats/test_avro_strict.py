"""Bytes that Avro's specification forbids and fastavro reads are letters, in every framing; what it allows is never one."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.records.rejection import RejectReason

from .making import convert, rejected, values
from .test_avro import CONTAINER, alone, container

ENUM = {"type": "enum", "name": "E", "symbols": ["A", "B"]}
INTS = {"type": "map", "values": "int"}
LAST = {"type": "record", "name": "R", "fields": [{"name": "f", "type": "int"}]}


def of(kind: Any) -> dict[str, Any]:
    schema = {"type": "record", "name": "R", "fields": [{"name": "f", "type": kind}]}
    return {"type": "avro", "framing": "none", "avro_schema": json.dumps(schema)}


FORBIDDEN: dict[str, tuple[Any, bytes, str]] = {
    "an int of 33 bits": ("int", b"\x80\x80\x80\x80\x10", "an int of more than 32 bits"),
    "a negative int of 33 bits": ("int", b"\x81\x80\x80\x80\x10", "an int of more than 32 bits"),
    "a long of 65 bits": ("long", b"\xff" * 9 + b"\x02", "a number of more than 64 bits"),
    "a long of eleven bytes": ("long", b"\x82" + b"\x80" * 9 + b"\x00", "a number of more than 10 bytes"),
    "an int of eleven bytes": ("int", b"\x80" * 10 + b"\x02", "a number of more than 10 bytes"),
    "a length of eleven bytes": ("string", b"\x82" + b"\x80" * 9 + b"\x00a", "a number of more than 10 bytes"),
    "a negative symbol": (ENUM, b"\x01", "the symbol -1 of 2"),
    "the first symbol from the end": (ENUM, b"\x03", "the symbol -2 of 2"),
    "a negative branch": (["null", "int"], b"\x01\x02", "the branch -1 of 2"),
    "a boolean of 2": ("boolean", b"\x02", "a boolean of 2"),
    "a boolean of 255": ("boolean", b"\xff", "a boolean of 255"),
    "a key twice": (INTS, b"\x04\x02a\x02\x02a\x04\x00", "a map with a key twice"),
    "a key twice in two blocks": (INTS, b"\x02\x02a\x02\x02\x02a\x04\x00", "a map with a key twice"),
    "an int in an array": (
        {"type": "array", "items": "int"},
        b"\x02\x80\x80\x80\x80\x10\x00",
        "an int of more than 32 bits",
    ),
    "an int in a block with its size": (
        {"type": "array", "items": "int"},
        b"\x01\x0a\x80\x80\x80\x80\x10\x00",
        "an int of more than 32 bits",
    ),
    "a symbol in a branch": (["null", ENUM], b"\x02\x01", "the symbol -1 of 2"),
}
ALLOWED: dict[str, tuple[Any, bytes, object]] = {
    "the largest int": ("int", b"\xfe\xff\xff\xff\x0f", 2**31 - 1),
    "the smallest int": ("int", b"\xff\xff\xff\xff\x0f", -(2**31)),
    "the largest long": ("long", b"\xfe" + b"\xff" * 8 + b"\x01", 2**63 - 1),
    "the smallest long": ("long", b"\xff" * 9 + b"\x01", -(2**63)),
    "an int in ten bytes": ("int", b"\x82" + b"\x80" * 8 + b"\x00", 1),
    "a block with its size": ({"type": "array", "items": "int"}, b"\x03\x04\x02\x04\x00", [1, 2]),
    "two blocks": (INTS, b"\x02\x02a\x02\x02\x02b\x04\x00", {"a": 1, "b": 2}),
    "the last symbol": (ENUM, b"\x02", "B"),
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_what_the_specification_forbids_is_a_letter_that_says_so(name: str) -> None:
    kind, data, why = FORBIDDEN[name]
    one = rejected(of(kind), data)
    assert (one.reason, one.detail) == (RejectReason.MALFORMED, f"its field f has {why}.")


@pytest.mark.parametrize("name", ALLOWED)
def test_what_it_allows_is_a_row(name: str) -> None:
    kind, data, value = ALLOWED[name]
    assert values(convert(of(kind), data)) == [{"f": value}]


def test_an_object_in_a_container_is_looked_at_too() -> None:
    good = container({"f": 1}, {"f": 77}, schema=LAST)
    assert values(convert(CONTAINER, good)) == [{"f": 1}, {"f": 77}]
    bad = container({"f": 1}, {"f": 2**31 - 1}, schema=LAST).replace(b"\xfe\xff\xff\xff\x0f", b"\xfe\xff\xff\xff\x1f")
    assert rejected(CONTAINER, bad).detail == "its field f has an int of more than 32 bits."


ITEM = {"type": "record", "name": "I", "fields": [{"name": "n", "type": "float"}]}
EVERY: dict[str, Any] = {
    "type": "record",
    "name": "R",
    "fields": [
        {"name": "i", "type": "int"},
        {"name": "l", "type": "long"},
        {"name": "b", "type": "boolean"},
        {"name": "e", "type": ENUM},
        {"name": "u", "type": ["null", "string", {"type": "array", "items": ["E", "double"]}]},
        {"name": "m", "type": {"type": "map", "values": {"type": "fixed", "name": "F", "size": 2}}},
        {"name": "t", "type": {"type": "bytes"}},
        {
            "name": "g",
            "type": {
                "type": "array",
                "items": {"type": "record", "name": "I", "fields": [{"name": "n", "type": "float"}]},
            },
        },
    ],
}
SYMBOLS = st.sampled_from(["A", "B"])
WRITTEN = st.fixed_dictionaries(
    {
        "i": st.integers(-(2**31), 2**31 - 1),
        "l": st.integers(-(2**63), 2**63 - 1),
        "b": st.booleans(),
        "e": SYMBOLS,
        "u": st.none() | st.text(max_size=9) | st.lists(SYMBOLS | st.just(0.5), max_size=5),
        "m": st.dictionaries(st.text(max_size=5), st.binary(min_size=2, max_size=2), max_size=4),
        "t": st.integers(0, 200).map(bytes),
        "g": st.lists(st.fixed_dictionaries({"n": st.just(0.25)}), max_size=4),
    }
)


@given(WRITTEN)
def test_whatever_fastavro_writes_is_a_row(value: dict[str, Any]) -> None:
    format_ = {"type": "avro", "framing": "none", "avro_schema": json.dumps(EVERY)}
    (row,) = values(convert(format_, alone(value, EVERY)))
    assert (row["i"], row["l"], row["b"], row["e"], row["u"]) == tuple(value[key] for key in ("i", "l", "b", "e", "u"))
