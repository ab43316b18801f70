"""A declared schema: the engine's formats fill its columns, metadata fills others, and what does not fit is not lost."""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.types import StructType

from firnline_ingest.datasource import KinesisDataSource
from firnline_ingest.datasource.errors import RecordMalformed
from firnline_ingest.errors import ConfigError
from firnline_local.kinesis import FakeKinesis, KinesisServer, ManualClock

pytestmark = pytest.mark.contract

DDL = (
    "id BIGINT, small TINYINT, name STRING, is_paid BOOLEAN, total DECIMAL(10,2), ratio DOUBLE, at TIMESTAMP, day DATE, "
    "tags ARRAY<STRING>, counts MAP<STRING, INT>, customer STRUCT<id: BIGINT, tier: STRING>, anything STRING, "
    "shard STRING, arrived TIMESTAMP, _corrupt_record STRING"
)
GOOD = {
    "id": 12345678901234567,
    "small": 7,
    "name": "Zoë",
    "is_paid": True,
    "total": 19.99,
    "ratio": 1,
    "at": "2026-01-02T03:04:05.678+01:00",
    "day": "2026-01-02",
    "tags": ["a", None],
    "counts": {"x": 1},
    "customer": {"id": 5, "unknown": 1},
    "anything": {"nested": [1, 2.5, True]},
}


@pytest.fixture
def server() -> Iterator[KinesisServer]:
    with KinesisServer(FakeKinesis(clock=ManualClock(), read_limits=False)) as server:
        server.kinesis.create_stream("orders")
        yield server


def schema_of(ddl: str) -> StructType:
    """Without a JVM, which parses DDL for a session."""
    from pyspark.sql import types

    simple = {
        "BIGINT": types.LongType(),
        "TINYINT": types.ByteType(),
        "STRING": types.StringType(),
        "BOOLEAN": types.BooleanType(),
        "DECIMAL(10,2)": types.DecimalType(10, 2),
        "DOUBLE": types.DoubleType(),
        "TIMESTAMP": types.TimestampType(),
        "DATE": types.DateType(),
        "ARRAY<STRING>": types.ArrayType(types.StringType()),
        "MAP<STRING, INT>": types.MapType(types.StringType(), types.IntegerType()),
        "STRUCT<id: BIGINT, tier: STRING>": StructType().add("id", "long").add("tier", "string"),
        "INTERVAL DAY": types.DayTimeIntervalType(0, 0),
    }
    schema = StructType()
    for column in (
        ddl.replace("MAP<STRING, INT>", "MAP<STRING; INT>").replace("id: BIGINT, tier", "id: BIGINT; tier").split(", ")
    ):
        name, _, kind = column.partition(" ")
        schema.add(name, simple[kind.replace(";", ",")])
    return schema


def rows(server: KinesisServer, ddl: str, **options: str) -> list[dict[str, Any]]:
    every = {"stream": "orders", "region": "us-east-1", "endpoint": server.endpoint, "format": "json", **options}
    reader: Any = KinesisDataSource({name: text for name, text in every.items() if text}).reader(schema_of(ddl))
    return [row for each in reader.partitions() for batch in reader.read(each) for row in batch.to_pylist()]


def put(server: KinesisServer, *payloads: Any) -> None:
    for payload in payloads:
        server.kinesis.stream("orders").put(payload if isinstance(payload, bytes) else json.dumps(payload).encode())


def test_each_type_is_filled_from_its_key_and_metadata_from_the_record(server: KinesisServer) -> None:
    put(server, GOOD, {})
    good, empty = rows(server, DDL, **{"metadata.shard": "shard_id", "metadata.arrived": "arrival"})
    assert good.pop("arrived").tzinfo is not None
    assert good.pop("shard") == "shardId-000000000000"
    assert good == {
        **GOOD,
        "total": Decimal("19.99"),
        "ratio": 1.0,
        "at": datetime(2026, 1, 2, 2, 4, 5, 678000, UTC),
        "day": date(2026, 1, 2),
        "counts": [("x", 1)],
        "customer": {"id": 5, "tier": None},
        "anything": '{"nested":[1,2.5,true]}',
        "_corrupt_record": None,
    }
    assert {value for name, value in empty.items() if name not in ("shard", "arrived")} == {None}


@pytest.mark.parametrize(
    "bad",
    [
        b"\xff{",
        b"[1]",
        b"17",
        {"id": "text"},
        {"id": 2**63},
        {"id": True},
        {"id": 1.5},
        {"small": 128},
        {"is_paid": 1},
        {"total": "1e20"},
        {"total": "nothing"},
        {"total": "NaN"},
        b'{"id": 1e1000000}',
        b'{"id": ' + b"[" * 5000 + b"]" * 5000 + b"}",
        {"at": "9999-12-31T23:59:59-01:00"},
        {"at": "0001-01-01T00:00:00+14:00"},
        {"ratio": 10**400},
        {"at": 1},
        {"at": "yesterday"},
        {"day": "2026-02-30"},
        {"tags": {}},
        {"counts": {"x": "y"}},
        {"customer": []},
    ],
    ids=lambda bad: str(bad)[:40],
)
def test_what_does_not_fit_is_a_row_with_the_record_in_it(server: KinesisServer, bad: Any) -> None:
    put(server, {"id": 1}, bad, {"id": 2})
    found = rows(server, DDL, **{"metadata.shard": "shard_id", "metadata.arrived": "arrival"})
    assert [row["id"] for row in found] == [1, None, 2]
    text = bad if isinstance(bad, bytes) else json.dumps(bad).encode()
    assert found[1]["_corrupt_record"] == text.decode(errors="backslashreplace")
    assert found[1]["shard"] == "shardId-000000000000"


def test_numbers_keep_their_digits_and_are_rounded_as_spark_rounds(server: KinesisServer) -> None:
    put(server, b'{"name": 12345678901234567.250, "total": 2.345, "anything": {"p": 1.10}}')
    (row,) = rows(server, "name STRING, total DECIMAL(10,2), anything STRING")
    assert row == {"name": "12345678901234567.250", "total": Decimal("2.35"), "anything": '{"p":1.10}'}


def test_texts_of_a_csv_fill_columns_of_numbers(server: KinesisServer) -> None:
    put(server, b"7,true,1.5,x", b"seven,true,1.5,x")
    csv = json.dumps({"type": "csv", "columns": ["id", "is_paid", "ratio", "name"]})
    good, bad = rows(server, "id BIGINT, is_paid BOOLEAN, ratio DOUBLE, name STRING", format=csv)
    assert good == {"id": 7, "is_paid": True, "ratio": 1.5, "name": "x"}
    assert set(bad.values()) == {None}


def test_the_mode_says_what_becomes_of_it(server: KinesisServer) -> None:
    put(server, {"id": 1}, b"{", {"id": 2})
    assert [row["id"] for row in rows(server, "id BIGINT", mode="dropMalformed")] == [1, 2]
    with pytest.raises(RecordMalformed, match="shardId-000000000000 can't be read"):
        rows(server, "id BIGINT", mode="failfast")
    assert [row["id"] for row in rows(server, "id BIGINT")] == [1, None, 2]


def test_a_format_of_several_rows_and_one_with_options(server: KinesisServer, tmp_path: Path) -> None:
    put(server, b'{"id": 1}\n{"id": 2}')
    assert [row["id"] for row in rows(server, "id BIGINT", format="json_lines")] == [1, 2]
    server.kinesis.stream("orders").delete()
    server.kinesis.create_stream("orders")
    put(server, b"7;Zo\xc3\xab")
    csv = json.dumps({"type": "csv", "columns": ["id", "name"], "delimiter": ";"})
    assert rows(server, "name STRING, id STRING", format=csv) == [{"name": "Zoë", "id": "7"}]


@pytest.mark.parametrize(
    ("ddl", "options", "said"),
    [
        ("id BIGINT", {"format": ""}, "format: is required with a schema of one's own"),
        ("id BIGINT", {"format": "jsn"}, "format: "),
        ("id BIGINT", {"format": "{"}, "format: is not valid JSON"),
        ("id BIGINT", {"metadata.shard": "shard_id"}, "metadata.shard: the schema has no column shard"),
        (
            "id BIGINT",
            {"metadata.id": "shard_id"},
            "metadata.id: the column is of the type bigint, and shard_id of string",
        ),
        ("id BIGINT", {"metadata.id": "shard"}, "metadata.id: must be one of data, partition_key"),
        ("id BIGINT", {"mode": "strict"}, "mode: must be one of PERMISSIVE"),
        ("id INTERVAL DAY", {}, "schema: a column of the type interval day can't be filled"),
        ("id BIGINT, ID STRING", {}, "schema: two columns have the same name"),
        ("id BIGINT", {"consumerArn": "nonsense"}, "consumerArn: must be the ARN of a consumer"),
        ("_corrupt_record BIGINT", {}, "schema: _corrupt_record must be of the type string"),
    ],
)
def test_a_schema_that_nothing_fills_is_refused_before_anything_is_read(
    server: KinesisServer, ddl: str, options: dict[str, str], said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        rows(server, ddl, **options)
    assert said in str(caught.value)
