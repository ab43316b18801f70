"""JSON lines to rows, and the line that a record is refused for."""

import json

import pytest

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records import rows as rows_module
from firnline_ingest.records.rejection import RejectReason
from firnline_ingest.records.rows import RowMaker, Rows
from firnline_ingest.values import LAST_ROW


def convert(*payloads: bytes, **more: object) -> Rows:
    document = {"stream": "s", "database": "D", "schema": "R", "format": {"type": "json_lines"}, **more}
    pipeline = PipelineConfig.model_validate(document, strict=None)
    records = [Record(str(100 + n), payload, "key", 1.5) for n, payload in enumerate(payloads)]
    return RowMaker(pipeline, "s", "shardId-000000000000").convert(records)


def values(made: Rows) -> list[object]:
    return [json.loads(row).get("n") for row in map(bytes, made.rows)]


@pytest.mark.parametrize(
    "payload",
    [
        b'{"n":1}\n{"n":2}',
        b'{"n":1}\n{"n":2}\n',
        b'\n\n {"n":1}\r\n\r\n\t{ "n" : 2 }\r\n \n',
        b'{"n":1}\n\x0b\n\f\n{"n":2}',
    ],
)
def test_each_line_is_a_row_and_blank_lines_are_none(payload: bytes) -> None:
    made = convert(payload)
    assert (values(made), list(made.indexes), list(made.row_numbers)) == ([1, 2], [0, 0], [1, LAST_ROW])


def test_a_record_of_one_line_is_placed_as_a_plain_one() -> None:
    assert list(convert(b'{"n":1}\n').row_numbers) == [0]


@pytest.mark.parametrize(
    ("payload", "reason", "detail"),
    [
        (b"", RejectReason.EMPTY, "it has no content."),
        (b"\n \r\n", RejectReason.EMPTY, "it has no content."),
        (b'{"n":1}\n[2]', RejectReason.NOT_AN_OBJECT, "line 2: "),
        (b'{"n":1}\n\n{"n":', RejectReason.NOT_JSON, "line 3: "),
        (b'{"n":1}{"n":2}', RejectReason.NOT_JSON, "line 1: "),
        (b'{"a":1,\n"A":2}', RejectReason.NOT_JSON, "line 1: "),
        (b'{"a":1}\n{"a":1,"A":2}', RejectReason.DUPLICATE_KEY, "line 2: "),
        (b'{"a":"\xff"}', RejectReason.INVALID_UTF8, "line 1: "),
    ],
)
def test_a_line_that_can_t_be_a_row_is_named_and_its_record_is_none(
    payload: bytes, reason: RejectReason, detail: str
) -> None:
    made = convert(b"{}", payload, b"{}")
    assert (list(made.indexes), made.taken) == ([0, 2], 3)
    (rejected,) = made.rejected
    assert (rejected.index, rejected.reason) == (1, reason)
    assert rejected.detail.startswith(detail)


def test_what_would_be_too_much_for_memory_waits_or_is_a_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_module, "AT_ONCE_BYTES", 700)
    monkeypatch.setattr(rows_module, "RECORD_BYTES", 2000)
    made = convert(b'{"n":1}\n' * 3, b"{}", b"{}")
    assert (values(made), made.taken) == ([1, 1, 1], 1)
    (rejected,) = convert(b'{"n":1}\n' * 30, max_row_bytes=2048).rejected
    assert (rejected.reason, rejected.detail) == (
        RejectReason.TOO_LARGE,
        "its rows have more than 2,000 bytes with their metadata.",
    )


def test_rows_are_numbered_only_where_the_metadata_wants_it() -> None:
    (row,) = convert(b"{}", metadata={"row": False}).rows
    assert "row" not in json.loads(bytes(row))["KINESISMETADATA"]


@pytest.mark.parametrize("empty", ["ignore", "ingest"])
def test_an_empty_line_makes_no_tombstone_of_the_others(empty: str) -> None:
    made = convert(b'{"n":1}\n\x0b\n{"n":2}', empty_records=empty)
    assert (values(made), dict(made.left_out)) == ([1, 2], {})
