import json
from typing import Any

import pytest

from firnline_ingest.errors import ConfigError
from tests.ingest.transforms.making import made, pipeline, row, values


def insert(field: str = "source", **more: Any) -> dict[str, Any]:
    return {"type": "insert", "field": field, **more}


@pytest.mark.parametrize("value", ["kinesis", 7, 1.5, True, None, {"a": [1]}, []])
def test_a_value_that_is_the_same_for_all(value: object) -> None:
    assert json.loads(row(b'{"a":1}', insert(value=value))) == {"a": 1, "source": value}


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("stream", "orders"),
        ("shard_id", "shardId-000000000000"),
        ("approximate_arrival", "1970-01-01T00:00:01.500Z"),
        ("partition_key", "key-0"),
        ("sequence_number", "100"),
        ("sub_sequence_number", 0),
    ],
)
def test_a_part_of_the_metadata_is_what_the_metadata_object_says(part: str, value: object) -> None:
    (made_row,) = values(made([b"{}"], insert(metadata=part)))
    name = {"shard_id": "shardId", "approximate_arrival": "approximateArrival"}.get(part, part)
    parts = {
        "partition_key": "partitionKey",
        "sequence_number": "sequenceNumber",
        "sub_sequence_number": "subSequenceNumber",
    }
    assert made_row["source"] == value == made_row["KINESISMETADATA"][parts.get(name, name)]


def test_below_the_first_level_objects_are_made() -> None:
    assert row(b'{"a":1}', insert("x.y.z", value=1)) == '{"a":1,"x":{"y":{"z":1}}}'
    assert row(b'{"x":{"a":1.10}}', insert("x.y", value=1)) == '{"x":{"a":1.10,"y":1}}'


def test_what_is_no_object_on_the_way_is_told() -> None:
    told = row(b'{"x":{"y":5}}', insert("x.y.z", value=1))
    assert told == "transform-failed: transforms[0] (insert): x.y is not an object."
    assert "the record is not an object" in row(b"[1]", insert(value=1))


@pytest.mark.parametrize(
    ("existing", "becomes"),
    [
        ("reject", "transform-failed: transforms[0] (insert): source is there already."),
        ("keep", '{"source":"web","a":1}'),
        ("replace", '{"source":"kinesis","a":1}'),
    ],
)
def test_a_field_that_is_there_is_treated_as_declared(existing: str, becomes: str) -> None:
    assert row(b'{"source":"web","a":1}', insert(value="kinesis", existing=existing)) == becomes
    assert existing != "reject" or row(b'{"source":"web"}', insert(value="kinesis")) == becomes


def test_a_field_that_is_one_column_with_another_is_a_duplicate_key() -> None:
    assert row(b'{"Source":1}', insert(value=2)).startswith("duplicate-key: ")


def test_an_inserted_object_is_every_records_own() -> None:
    transforms = insert("a", value={"b": 1, "c": 2}), {"type": "exclude", "fields": ["a.b"]}
    rows = made([b"{}", b"{}"], *transforms, metadata={"column": "M"})
    assert [each["a"] for each in values(rows)] == [{"c": 2}, {"c": 2}]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({}, "give value or metadata"),
        ({"value": 1, "metadata": "stream"}, "give value or metadata"),
        ({"metadata": "colour"}, "metadata"),
        ({"value": 1, "field": "a..b"}, "is not a path of a field"),
        ({"value": 1, "field": "a[].b"}, "many places"),
        ({"value": float("nan")}, "JSON"),
    ],
)
def test_what_can_t_be_declared(more: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        pipeline({"type": "insert", "field": "source", **more})
