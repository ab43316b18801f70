"""Rows into a stream: as they are or as JSON, with the keys that their columns give, and again what the stream refuses."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import Row, types
from pyspark.sql.types import StructType

from firnline_ingest.datasource import KinesisDataSource
from firnline_ingest.datasource.writer import line_encoder
from firnline_ingest.errors import ConfigError
from firnline_ingest.sink.errors import RecordUnfit
from firnline_local.kinesis import FakeKinesis, KinesisServer, ManualClock
from tests.fakes.kinesis import refused

pytestmark = pytest.mark.contract

RAW = StructType().add("data", "binary").add("partition_key", "string").add("explicit_hash_key", "string")


@pytest.fixture
def server() -> Iterator[KinesisServer]:
    with KinesisServer(FakeKinesis(clock=ManualClock(), read_limits=False)) as server:
        server.kinesis.create_stream("orders", shards=2)
        yield server


def write(server: KinesisServer, schema: StructType, rows: list[Row], **options: str) -> int:
    every = {
        "stream": "orders",
        "region": "us-east-1",
        "endpoint": server.endpoint,
        "checkpointLocation": "/tmp/c",
        "replayable": "true",  # of a DataFrame that replayable() returned
        **options,
    }
    for writer in (KinesisDataSource(every).writer, KinesisDataSource(every).streamWriter):
        made: Any = writer(schema, False)
    return int(made.write(iter(rows)).records)


def test_raw_columns_are_put_as_they_are(server: KinesisServer) -> None:
    rows = [
        Row(data=b"\x00\xff", partition_key="k", explicit_hash_key=None),
        Row(data=b"b", partition_key=None, explicit_hash_key="1"),
    ]
    assert write(server, RAW, rows) == 2
    found = {record.data: record for record in server.kinesis.stream("orders").records}
    assert found[b"\x00\xff"].partition_key == "k"
    assert b"b" in [record.data for record in server.kinesis.stream("orders").shards[0].records]
    assert write(server, StructType().add("data", "string"), [Row(data="Zoë")]) == 1
    assert "Zoë".encode() in {record.data for record in server.kinesis.stream("orders").records}


def test_rows_are_json_objects_with_a_key_of_their_columns(server: KinesisServer) -> None:
    schema = StructType().add("id", "long").add("region", "string").add("total", "decimal(10,2)").add("at", "timestamp")
    schema = (
        schema.add("tags", types.ArrayType(StructType().add("a", "long").add("b", "long")))
        .add("raw", "binary")
        .add("partition_key", "string")
    )
    row = Row(
        id=7,
        region="eu",
        total=Decimal("19.90"),
        at=datetime(2026, 1, 2, tzinfo=UTC).astimezone().replace(tzinfo=None),  # as Spark hands it over
        tags=[Row(a=1, b=None)],
        raw=bytearray(b"\x00"),
        partition_key=None,
    )
    write(server, schema, [row], format="json", partitionBy="region, id", partitionDelimiter="/")
    (record,) = server.kinesis.stream("orders").records
    assert record.partition_key == "eu/7"
    assert b'"total":19.90' in record.data
    assert json.loads(record.data) == {
        "id": 7,
        "region": "eu",
        "total": 19.9,
        "at": "2026-01-02T00:00:00+00:00",
        "tags": [{"a": 1, "b": None}],
        "raw": "AA==",
    }


def test_what_json_has_no_number_for_is_a_text(server: KinesisServer) -> None:
    write(
        server, StructType().add("a", "double").add("b", "float"), [Row(a=float("nan"), b=float("-inf"))], format="json"
    )
    (record,) = server.kinesis.stream("orders").records
    assert json.loads(record.data) == {"a": "NaN", "b": "-Infinity"}
    assert line_encoder(StructType().add("a", "double"), ",", without=())(Row(a=float("-inf"))) == b"-Infinity"


def test_rows_are_lines_of_csv_which_the_format_csv_reads_again(server: KinesisServer) -> None:
    """The table of Flink's documentation: csv, and the key of two columns."""
    schema = (
        StructType().add("user_id", "long").add("item_id", "long").add("behavior", "string").add("ts", "timestamp_ntz")
    )
    schema = schema.add("ratio", "double").add("is_new", "boolean").add("price", "decimal(10,2)").add("raw", "binary")
    at = datetime(2026, 1, 2, 3, 4, 5)
    rows = [
        Row(1, 2, 'a "b", c\r\nd', at, 1.5, True, Decimal("19.90"), b"\x00"),
        Row(1, 3, None, None, None, None, None, None),
    ]
    assert write(server, schema, rows, format="csv", partitionBy="user_id, item_id") == 2
    records = server.kinesis.stream("orders").records
    assert {record.partition_key: record.data.decode() for record in records} == {
        "1|2": '1,2,"a ""b"", c\r\nd",2026-01-02T03:04:05,1.5,true,19.90,AA==',
        "1|3": "1,3,,,,,,",
    }
    options = {"stream": "orders", "region": "us-east-1", "endpoint": server.endpoint}
    form = json.dumps({"type": "csv", "columns": schema.names})
    declared: Any = KinesisDataSource({**options, "format": form}).reader(schema)
    read = [row for each in declared.partitions() for batch in declared.read(each) for row in batch.to_pylist()]
    assert sorted((tuple(row.values()) for row in read), key=lambda row: row[1]) == [tuple(row) for row in rows]


def test_a_line_has_the_delimiter_that_is_asked_for_and_no_line_break_behind_it(server: KinesisServer) -> None:
    schema = StructType().add("a", "string").add("b", "string").add("partition_key", "string")
    write(
        server,
        schema,
        [Row(a="x;y", b="z,", partition_key="k"), Row(a="", b=None, partition_key="k")],
        format="csv",
        delimiter=";",
    )
    assert [record.data for record in server.kinesis.stream("orders").records] == [b'"x;y";z,', b";"]


def test_rows_without_a_key_are_spread_in_small_batches_too(server: KinesisServer) -> None:
    schema = StructType().add("data", "string")
    for number in range(40):
        write(server, schema, [Row(data=str(number))])
    assert all(shard.records for shard in server.kinesis.stream("orders").shards)


def test_a_row_without_data_and_decimals_as_keys(server: KinesisServer) -> None:
    with pytest.raises(RecordUnfit, match="has no data"):
        write(server, RAW, [Row(data=None, partition_key="k", explicit_hash_key=None)])
    schema = StructType().add("id", "decimal(38,0)")
    ids = [Decimal(12345678901234567890123456789 + each) for each in range(2)]
    write(server, schema, [Row(id=each) for each in ids], format="json", partitionBy="id")
    assert {record.partition_key for record in server.kinesis.stream("orders").records} == {str(each) for each in ids}


def test_what_the_stream_refuses_for_a_moment_is_put_again_and_order_is_kept_where_asked(server: KinesisServer) -> None:
    server.kinesis.faults.replace([refused("PutRecords", "ProvisionedThroughputExceededException", times=2)])
    schema = StructType().add("n", "long").add("partition_key", "string")
    rows = [Row(n=number, partition_key=f"k{number % 3}") for number in range(60)]
    assert write(server, schema, rows, format="json", ordered="true") == 60
    numbers: dict[str, list[int]] = {}
    for record in server.kinesis.stream("orders").records:
        numbers.setdefault(record.partition_key, []).append(json.loads(record.data)["n"])
    assert Counter(number for of_key in numbers.values() for number in of_key) == Counter(range(60))
    assert all(of_key == sorted(of_key) for of_key in numbers.values())


@pytest.mark.parametrize(
    ("schema", "options", "said"),
    [
        (StructType().add("id", "long"), {}, "schema: a column data of the type binary or string is required"),
        (StructType(list(RAW.fields)).add("other", "long"), {}, "schema: other would be dropped"),
        (RAW, {"format": "avro"}, "format: must be json or csv for a write"),
        (RAW, {"format": "csv", "delimiter": "||"}, "delimiter: must be one character"),
        (RAW, {"format": "csv", "delimiter": '"'}, "delimiter: must be one character"),
        (
            StructType().add("tags", types.ArrayType(types.LongType())),
            {"format": "csv"},
            "schema: tags is array<bigint>, for which a line of csv has no form: to_json makes it a text",
        ),
        (RAW, {"partitionBy": "id"}, "partitionBy: there is no column id"),
        (
            StructType().add("data", "binary").add("partition_key", "long"),
            {},
            "schema: partition_key must be of the type string",
        ),
    ],
)
def test_rows_that_make_no_records_are_refused_before_any_is_put(
    server: KinesisServer, schema: StructType, options: dict[str, str], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        write(server, schema, [], **options)


def test_a_stream_can_not_be_overwritten(server: KinesisServer) -> None:
    options = {"stream": "orders", "region": "us-east-1", "endpoint": server.endpoint}
    with pytest.raises(ConfigError, match="mode: must be append"):
        KinesisDataSource(options).writer(RAW, True)
