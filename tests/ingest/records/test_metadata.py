import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.config.rows import Metadata
from firnline_ingest.identifiers import InvalidIdentifier
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.metadata import MetadataHead

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
RECORD = Record(
    SequenceNumber="49590338271490256608559692538361571095921575989136588898",
    Data=b"{}",
    PartitionKey="key-1234",
    ApproximateArrivalTimestamp=1762333935.3,
)
PARTS = [
    "stream",
    "shard_id",
    "approximate_arrival",
    "partition_key",
    "sequence_number",
    "sub_sequence_number",
    "sharded_sequence_number",
]
NAMES = ["stream", "shardId", "approximateArrival", "partitionKey", "sequenceNumber", "subSequenceNumber"]
NAMES.append("shardedSequenceNumber")


def head(
    record: Record, parts: Metadata | None = None, *, stream: str = "orders", shard_id: str = "shardId-1"
) -> bytes:
    return MetadataHead(parts or Metadata(), stream=stream, shard_id=shard_id)(record)


def test_the_object_has_openflows_names_and_forms() -> None:
    assert head(RECORD, shard_id="shardId-000000000001") == (
        b'{"KINESISMETADATA":{"stream":"orders","shardId":"shardId-000000000001",'
        b'"approximateArrival":"2025-11-05T09:12:15.300Z","partitionKey":"key-1234",'
        b'"sequenceNumber":"49590338271490256608559692538361571095921575989136588898","subSequenceNumber":0,'
        b'"shardedSequenceNumber":"4959033827149025660855969253836157109592157598913658889800000000000000000000"}'
    )


@given(
    switches=st.lists(st.booleans(), min_size=7, max_size=7),
    stream=st.text(min_size=1),
    partition_key=st.text(),
    sequence_number=st.integers(min_value=0, max_value=10**129 - 1),
    arrivals_ms=st.lists(st.integers(min_value=0, max_value=4_102_444_800_000) | st.none(), min_size=1, max_size=5),
)
def test_every_choice_of_parts_parses_to_those_parts_of_the_record(
    switches: list[bool], stream: str, partition_key: str, sequence_number: int, arrivals_ms: list[int | None]
) -> None:
    render = MetadataHead(
        Metadata.model_validate(dict(zip(PARTS, switches, strict=True))), stream=stream, shard_id="shardId-1"
    )
    for arrival_ms in arrivals_ms:
        record = Record(
            SequenceNumber=str(sequence_number),
            PartitionKey=partition_key,
            ApproximateArrivalTimestamp=None if arrival_ms is None else arrival_ms / 1000,
        )
        rendered = render(record)
        if not any(switches):
            assert (rendered, render.column) == (b"", None)
            continue
        arrival = arrival_ms is not None and EPOCH + timedelta(milliseconds=arrival_ms)
        values = [
            stream,
            "shardId-1",
            arrival.isoformat(timespec="milliseconds").replace("+00:00", "Z") if arrival else None,
            partition_key,
            str(sequence_number),
            0,
            f"{sequence_number}{0:020d}",
        ]
        expected = {name: value for name, value, is_on in zip(NAMES, values, switches, strict=True) if is_on}
        assert json.loads(rendered + b"}") == {"KINESISMETADATA": expected}
        assert b"\n" not in rendered


@pytest.mark.parametrize(
    ("column", "key"), [("kinesis_meta", "KINESIS_META"), ('"kinesisMetadata"', "kinesisMetadata"), ('"a""b"', 'a"b')]
)
def test_the_column_is_written_as_it_is_stored(column: str, key: str) -> None:
    render = MetadataHead(Metadata(column=column), stream="orders", shard_id="shardId-1")
    assert render.column == key
    assert list(json.loads(render(RECORD) + b"}")) == [key]


def test_a_column_that_is_no_identifier_is_refused() -> None:
    with pytest.raises(InvalidIdentifier, match="no Snowflake identifier"):
        MetadataHead(Metadata(column="kinesis metadata"), stream="orders", shard_id="shardId-1")


def test_an_arrival_between_two_milliseconds_is_rounded_into_the_next_second() -> None:
    record = Record(SequenceNumber="1", ApproximateArrivalTimestamp=1762333935.9996)
    assert b'"2025-11-05T09:12:16.000Z"' in head(record)
