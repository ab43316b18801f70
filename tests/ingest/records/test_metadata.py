import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.config.rows import Metadata, MetadataForm
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import UserRecord
from firnline_ingest.records.metadata import MetadataHead
from firnline_ingest.records.rows import RowMaker
from tests.fakes import configs

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
RECORD = Record(
    SequenceNumber="49590338271490256608559692538361571095921575989136588898",
    Data=b"{}",
    PartitionKey="key-1234",
    ApproximateArrivalTimestamp=1762333935.3,
)
NAMES = {
    "stream": "stream",
    "shard_id": "shardId",
    "approximate_arrival": "approximateArrival",
    "partition_key": "partitionKey",
    "sequence_number": "sequenceNumber",
    "sub_sequence_number": "subSequenceNumber",
    "sharded_sequence_number": "shardedSequenceNumber",
}
"""Each part's name in the object."""


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


@pytest.mark.parametrize(
    ("times", "written"),
    [("iso", '"2025-11-05T09:12:15.300"'), ("epoch_ms", "1762333935300"), ("iso_utc", '"2025-11-05T09:12:15.300Z"')],
)
def test_times_are_written_as_another_connector_writes_them(times: str, written: str) -> None:
    parts = Metadata.model_validate({"times": times, "push_time": True})
    render = MetadataHead(parts, stream="orders", shard_id="shardId-1")
    render.pushed_at(1_762_333_935_300)
    rendered = render(RECORD).decode()
    name = parts.name_of("push_time")
    assert f'"approximateArrival":{written},' in rendered
    assert render.has_usual_forms is (times == "iso_utc")
    assert f'"{name}":{written}}}' in rendered


def test_the_sharded_number_has_the_digits_of_openflows_page() -> None:
    """`12345678900002` is 123456789 and 2."""
    parts = Metadata(sharded_digits=5)
    assert not MetadataHead(parts, stream="orders", shard_id="shardId-1").has_usual_forms
    one = UserRecord(SequenceNumber="123456789", Data=b"{}", PartitionKey="k", SubSequenceNumber=2)
    assert b'"shardedSequenceNumber":"12345678900002"' in head(one, parts)
    assert b'"shardedSequenceNumber":"12345678900000"' in head(
        Record(SequenceNumber="123456789", PartitionKey="k"), parts
    )
    many = UserRecord(SequenceNumber="1", Data=b"{}", PartitionKey="k", SubSequenceNumber=123456)
    assert b'"shardedSequenceNumber":"1123456"' in head(many, parts)


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
        Metadata.model_validate(dict(zip(NAMES, switches, strict=True))), stream=stream, shard_id="shardId-1"
    )
    for arrival_ms in arrivals_ms:
        record = Record(
            SequenceNumber=str(sequence_number),
            PartitionKey=partition_key,
            ApproximateArrivalTimestamp=None if arrival_ms is None else arrival_ms / 1000,
        )
        rendered = render(record)
        if not any(switches):
            assert (rendered, render.columns) == (b"", ())
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
        expected = {name: value for name, value, is_on in zip(NAMES.values(), values, switches, strict=True) if is_on}
        assert json.loads(rendered + b"}") == {"KINESISMETADATA": expected}
        assert b"\n" not in rendered


@pytest.mark.parametrize(
    ("column", "key"), [("kinesis_meta", "KINESIS_META"), ('"kinesisMetadata"', "kinesisMetadata"), ('"a""b"', 'a"b')]
)
def test_the_column_is_written_as_it_is_stored(column: str, key: str) -> None:
    render = MetadataHead(Metadata(column=column), stream="orders", shard_id="shardId-1")
    assert render.columns == (key,)
    assert list(json.loads(render(RECORD) + b"}")) == [key]


def test_an_arrival_between_two_milliseconds_is_rounded_into_the_next_second() -> None:
    record = Record(SequenceNumber="1", ApproximateArrivalTimestamp=1762333935.9996)
    assert b'"2025-11-05T09:12:16.000Z"' in head(record)


IN_COLUMNS = (
    b'{"KINESIS_STREAM":"orders","KINESIS_SHARD_ID":"shardId-1","KINESIS_APPROXIMATE_ARRIVAL":"1970-01-01T00:00:01.500Z",'
    b'"KINESIS_PARTITION_KEY":"k","KINESIS_SEQUENCE_NUMBER":"7","KINESIS_SUB_SEQUENCE_NUMBER":0,'
    b'"KINESIS_SHARDED_SEQUENCE_NUMBER":"700000000000000000000"'
)
OF_FLINK = {
    "form": "columns",
    "names": {
        "approximate_arrival": '"timestamp"',
        "shard_id": '"shard-id"',
        "sequence_number": '"sequence-number"',
    },
}
OF_REDSHIFT = {
    "form": "columns",
    "push_time": True,
    "names": {
        "approximate_arrival": "approximate_arrival_timestamp",
        "partition_key": "partition_key",
        "shard_id": "shard_id",
        "sequence_number": "sequence_number",
        "push_time": "refresh_time",
    },
}


def seventh(data: bytes = b"{}") -> Record:
    return Record(SequenceNumber="7", Data=data, PartitionKey="k", ApproximateArrivalTimestamp=1.5)


def row_of(metadata: dict[str, object], data: bytes = b'{"a":1}', **pipeline: object) -> dict[str, object]:
    maker = RowMaker(configs.pipeline(metadata=metadata, **pipeline), "orders", "shardId-1", now_ms=lambda: 2_500)
    made = maker.convert([seventh(data)])
    assert not made.rejected, made.rejected
    row: dict[str, object] = json.loads(bytes(made.rows[-1]))
    return row


def test_each_part_has_a_column_of_its_own_where_that_is_asked_for() -> None:
    assert head(seventh(), Metadata(form=MetadataForm.COLUMNS)) == IN_COLUMNS


def test_a_variant_holds_what_an_object_would_and_none_holds_nothing() -> None:
    assert row_of({"form": "variant"}) == row_of({}) != row_of({"form": "none"}) == {"a": 1}


def test_flinks_and_redshifts_columns_have_their_names() -> None:
    of_flink = {"timestamp": "1970-01-01T00:00:01.500Z", "shard-id": "shardId-1", "sequence-number": "7"}
    assert row_of(OF_FLINK).items() >= of_flink.items()
    of_redshift = {
        "APPROXIMATE_ARRIVAL_TIMESTAMP": "1970-01-01T00:00:01.500Z",
        "PARTITION_KEY": "k",
        "SHARD_ID": "shardId-1",
        "SEQUENCE_NUMBER": "7",
        "REFRESH_TIME": "1970-01-01T00:00:02.500Z",
    }
    assert row_of(OF_REDSHIFT).items() >= of_redshift.items()


@pytest.mark.parametrize("form", ["object", "columns"])
def test_rows_of_one_record_are_numbered_where_their_metadata_is(form: str) -> None:
    lines = {"data": b'{"a":1}\n{"a":2}', "format": {"type": "json_lines"}}
    metadata: dict[str, object] = {"form": form, "names": {"row": "line"}}
    row = row_of(metadata, **lines)  # type: ignore[arg-type]  # the keywords are two things
    kept = row["KINESISMETADATA"] if form == "object" else row
    assert isinstance(kept, dict)
    assert (kept["LINE"], row["a"]) == (1, 2)


def test_a_record_of_an_aggregate_has_its_place_in_columns_too() -> None:
    record = UserRecord("7", b"{}", "k", 1.5, SubSequenceNumber=3, ExplicitHashKey="9")
    parts = Metadata(form=MetadataForm.COLUMNS, explicit_hash_key=True)
    rendered = json.loads(head(record, parts) + b"}")
    assert (rendered["KINESIS_SUB_SEQUENCE_NUMBER"], rendered["KINESIS_EXPLICIT_HASH_KEY"]) == (3, "9")
    assert rendered["KINESIS_SHARDED_SEQUENCE_NUMBER"] == "7" + "3".zfill(20)


def test_only_push_time_depends_on_when_a_row_is_made_and_never_its_size() -> None:
    pushed, times = configs.pipeline(metadata={"push_time": True}), iter([0, 1_762_333_935_007])
    maker = RowMaker(pushed, "orders", "shardId-1", now_ms=lambda: next(times))
    first, second = (maker.convert([seventh()]) for _ in range(2))
    assert first.sizes == second.sizes
    assert [json.loads(bytes(each.rows[0]))["KINESISMETADATA"].pop("pushTime") for each in (first, second)] == [
        "1970-01-01T00:00:00.000Z",
        "2025-11-05T09:12:15.007Z",
    ]


@pytest.mark.parametrize("part", [*NAMES, "row", "push_time", "explicit_hash_key"])
def test_no_key_of_a_record_takes_the_column_of_a_part(part: str) -> None:
    metadata = {"form": "columns", "push_time": True, "explicit_hash_key": True}
    lines = configs.pipeline(metadata=metadata, format={"type": "json_lines"})
    record = Record(SequenceNumber="7", Data=b'{"kinesis_%b":1}' % part.encode())
    ((rejected),) = RowMaker(lines, "orders", "shardId-1").convert([record]).rejected
    assert rejected.reason == "metadata-clash"


def test_a_moment_that_can_not_be_written_leaves_nothing_for_the_next() -> None:
    metadata = MetadataHead(Metadata(), stream="orders", shard_id="shardId-1")
    late = Record(SequenceNumber="8", Data=b"{}", PartitionKey="k", ApproximateArrivalTimestamp=253_402_300_800.0)
    metadata(RECORD)
    for _ in range(2):
        with pytest.raises(ValueError, match="year"):
            metadata(late)
