"""The whole record in one column."""

import base64
import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.records.rejection import RejectReason

from .making import convert, rejected, values


@given(st.text(min_size=1))
def test_text_is_what_it_was(text: str) -> None:
    made = convert({"type": "text"}, text.encode(errors="replace"))
    assert values(made) == [{"RECORD_CONTENT": text.encode(errors="replace").decode()}]


def test_text_has_to_be_utf_8() -> None:
    assert rejected({"type": "text"}, b"a\xff").reason is RejectReason.INVALID_UTF8


@given(st.binary(min_size=1))
def test_bytes_are_what_they_were(data: bytes) -> None:
    (plain,) = values(convert({"type": "bytes"}, data))
    assert base64.b64decode(plain["RECORD_CONTENT"], validate=True) == data
    (written,) = values(convert({"type": "bytes", "encoding": "hex", "column": '"Raw"'}, data))
    assert bytes.fromhex(written["Raw"]) == data


@pytest.mark.parametrize("kind", ["text", "bytes"])
def test_what_is_empty_or_too_large_is_a_letter(kind: str) -> None:
    assert rejected({"type": kind}, b"").reason is RejectReason.EMPTY
    assert rejected({"type": kind}, b"x" * 2000, max_row_bytes=1024).reason is RejectReason.TOO_LARGE


@pytest.mark.parametrize("more", [{}, {"content_column": "c"}, {"transforms": [{"type": "hoist", "field": "h"}]}])
@pytest.mark.parametrize(
    ("format_", "null"),
    [
        ({"type": "json"}, b" null\n"),
        ({"type": "json", "framing": "confluent"}, b"\x00\x00\x00\x00\x07null"),
        ({"type": "json", "compression": "gzip"}, gzip.compress(b"null")),
    ],
    ids=["plain", "framed", "packed"],
)
def test_a_null_of_json_is_a_tombstone_where_there_are_any(
    format_: dict[str, object], null: bytes, more: dict[str, object]
) -> None:
    ignored = convert(format_, null, null, empty_records="ignore", **more)
    assert (list(ignored.rows), list(ignored.rejected), dict(ignored.left_out)) == ([], [], {"tombstones": 2})
    ingested = convert(format_, null, empty_records="ingest", metadata={"form": "none"}, **more)
    assert list(map(bytes, ingested.rows)) == [b"{}"]
    kept = convert(format_, null, **more)
    assert [each.reason for each in kept.rejected] == ([] if more else [RejectReason.NOT_AN_OBJECT])


def test_a_null_among_lines_is_no_tombstone() -> None:
    assert (
        rejected({"type": "json_lines"}, b'{"a":1}\nnull', empty_records="ignore").reason == RejectReason.NOT_AN_OBJECT
    )


@pytest.mark.parametrize("format_", [{"type": "json"}, {"type": "text"}, {"type": "csv", "columns": ["A"]}])
def test_an_empty_record_is_what_the_pipeline_says(format_: dict[str, object]) -> None:
    ignored = convert(format_, b"", b"", empty_records="ignore")
    assert (list(ignored.rows), list(ignored.rejected), dict(ignored.left_out)) == ([], [], {"tombstones": 2})
    ingested = convert(format_, b"", empty_records="ingest")
    assert values(ingested) == [{}]
    assert json.loads(bytes(ingested.rows[0]))["KINESISMETADATA"]["partitionKey"] == "key"
