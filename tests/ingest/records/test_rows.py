import json
import subprocess
import sys
from collections.abc import Mapping

import msgspec
import pytest

from firnline_ingest.config.rows import PARTS
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rejection import RejectedRecord, RejectReason
from firnline_ingest.records.rows import RowMaker
from tests.fakes.configs import pipeline

NOTHING = dict.fromkeys(PARTS, False)


def maker(metadata: Mapping[str, bool] | None = None, max_row_bytes: int = 4 * 1024 * 1024) -> RowMaker:
    return RowMaker(pipeline(metadata=metadata or {}, max_row_bytes=max_row_bytes), "orders", "shardId-000000000000")


def records(*payloads: bytes) -> list[Record]:
    return [
        Record(SequenceNumber=str(100 + n), Data=payload, PartitionKey=f"key-{n}", ApproximateArrivalTimestamp=1.5)
        for n, payload in enumerate(payloads)
    ]


def test_rows_carry_their_own_records_metadata_and_members_in_order() -> None:
    made = maker().convert(records(b'{"a":1}', b'{"a": 2, "b": [3]}', b"{}"))
    rows = [json.loads(bytes(row)) for row in made.rows]
    assert [list(row) for row in rows] == [["KINESISMETADATA", "a"], ["KINESISMETADATA", "a", "b"], ["KINESISMETADATA"]]
    assert [row["KINESISMETADATA"]["sequenceNumber"] for row in rows] == ["100", "101", "102"]
    assert [row["KINESISMETADATA"]["partitionKey"] for row in rows] == ["key-0", "key-1", "key-2"]
    assert (list(made.indexes), made.rejected) == ([0, 1, 2], [])


def test_what_can_t_be_a_row_stands_beside_the_rows_and_every_record_is_in_one_place() -> None:
    made = maker().convert(records(b"no", b'{"a":1}', b"", b'{"b":2}', b"[1]"))
    assert list(made.indexes) == [1, 3]
    assert [(one.index, one.reason) for one in made.rejected] == [
        (0, RejectReason.NOT_JSON),
        (2, RejectReason.EMPTY),
        (4, RejectReason.NOT_AN_OBJECT),
    ]


def test_sizes_are_those_of_the_rows_as_sent() -> None:
    made = maker().convert(records(b'{"a":1}', '{"a":"é"}'.encode()))
    assert list(made.sizes) == [len(bytes(row)) for row in made.rows]
    assert made.bytes == sum(made.sizes)


@pytest.mark.parametrize(
    ("payload", "others", "tables", "reasons"),
    [
        (b"", "own_table", [""], []),
        (b"", "dead_letter", [], [RejectReason.NO_ROUTE]),
        (b'{"kind":7}', "dead_letter", ["SEVENS"], []),
        (b'{"kind":"7"}', "dead_letter", ["SEVENS"], []),
        (b'{"kind":null}', "dead_letter", [], [RejectReason.NO_ROUTE]),
    ],
)
def test_a_tombstone_has_no_key_to_be_routed_by_and_what_is_cast_to_text_has(
    payload: bytes, others: str, tables: list[str], reasons: list[RejectReason]
) -> None:
    routed = pipeline(
        empty_records="ingest",
        transforms=[{"type": "cast", "fields": {"kind": "text"}}],
        routes={"key": "kind", "tables": {"7": "SEVENS"}, "unmatched": others},
    )
    made = RowMaker(routed, "orders", "shardId-000000000000").convert(records(payload))
    assert (list(made.tables), [one.reason for one in made.rejected]) == (tables, reasons)


def test_no_records_make_no_rows() -> None:
    made = maker().convert([])
    assert [*made.rows, *made.sizes, *made.indexes, *made.rejected, made.bytes] == [0]


def test_a_row_is_as_large_as_allowed_with_its_metadata_and_no_larger() -> None:
    payload = b'{"a":"%b"}' % (b"x" * 1000)
    (size,) = maker().convert(records(payload)).sizes
    assert len(maker(max_row_bytes=size).convert(records(payload)).rows) == 1

    made = maker(max_row_bytes=size - 1).convert(records(payload))
    detail = f"the row has {size} bytes with its metadata, max_row_bytes allows {size - 1}."
    assert (list(made.rows), made.rejected) == ([], [RejectedRecord(0, RejectReason.TOO_LARGE, detail)])


def test_with_every_part_of_the_metadata_off_a_row_is_the_payload() -> None:
    made = maker(NOTHING).convert(records(b'{"a":1}', b'{"kinesisMetadata":1}'))
    assert [bytes(row) for row in made.rows] == [b'{"a":1}', b'{"kinesisMetadata":1}']


def test_the_sdks_serialiser_sends_rows_byte_for_byte_a_line_each() -> None:
    made = maker().convert(records(b'{"a":1}', b'{\n "b": 1.50\n}', '{"c":"é"}'.encode()))
    sent = msgspec.json.Encoder().encode_lines(made.rows)
    assert sent == b"".join(bytes(row) + b"\n" for row in made.rows)
    assert sent.count(b"\n") == 3


def test_the_same_records_make_the_same_rows_however_they_are_paged() -> None:
    page = records(b'{"a":1}', b"no", b'{"b":1}', b'{"a":1,"a":2}', b'{"a":3}')
    together, alone = maker().convert(page), maker()
    one_by_one = [alone.convert([record]) for record in reversed(page)][::-1]
    assert [bytes(row) for row in together.rows] == [bytes(row) for made in one_by_one for row in made.rows]
    assert [one.reason for one in together.rejected] == [one.reason for made in one_by_one for one in made.rejected]


@pytest.mark.parametrize("module", ["firnline_ingest.records.rows", "firnline_ingest.dead_letters"])
def test_making_rows_and_keeping_letters_needs_no_vendors_package(module: str) -> None:
    code = f"import sys, {module}; print(sorted({{'botocore', 'boto3', 'pyspark', 'snowflake'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


UNKNOWN = [
    (b'{"a":1}', 0),
    (b'{"A":1,"x":null}', 1),
    (b'{"x":1, "y":2}', 2),
    (b'{"x":1,"x":2}', 0),
    (b"no", 0),
    (b'{"x":"' + b"z" * 2000 + b'"}', 0),
]


@pytest.mark.parametrize("how", [{}, {"empty_records": "ingest"}, {"format": {"type": "json_lines"}}])
def test_keys_without_a_column_are_counted_in_rows_alone(how: dict[str, object]) -> None:
    made_by = RowMaker(pipeline(max_row_bytes=1500, **how), "orders", "shardId-0")
    everything = records(*(payload for payload, _ in UNKNOWN), *[b'{"a":1,"x":1}'] * 20, *([b""] if how else []))
    expected = sum(count for _, count in UNKNOWN) + 20
    assert made_by.convert(everything).unknown_keys == 0, "nobody knows the columns"
    made_by.set_columns(("A",))
    assert made_by.convert(everything).unknown_keys == expected
    made_by.set_columns(["A", "X"])  # somebody added one
    assert made_by.convert(everything).unknown_keys == 1
    made_by.set_columns(None)
    assert made_by.convert(everything).unknown_keys == 0
