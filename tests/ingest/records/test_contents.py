"""All of a record in one column, whatever its format."""

import gzip
import json
from typing import Any

import pytest

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rows import RowMaker, Rows

CSV = {"type": "csv", "columns": ["a", "b"]}
EVENTS = {"messageType": "DATA_MESSAGE", "owner": "o", "logGroup": "g", "logStream": "s", "subscriptionFilters": []}
EVENT = {"id": "1", "timestamp": 1, "message": "m"}


def made(data: bytes, column: str = "record_content", **pipeline: Any) -> Rows:
    document = {"stream": "s", "database": "D", "schema": "S", "metadata": {"form": "none"}, "content_column": column}
    maker = RowMaker(PipelineConfig.model_validate({**document, **pipeline}), "s", "shardId-0")
    return maker.convert([Record(SequenceNumber="1", Data=data, PartitionKey="k")])


def rows(data: bytes, column: str = "record_content", **pipeline: Any) -> list[bytes]:
    found = made(data, column, **pipeline)
    assert not found.rejected, found.rejected
    return [bytes(row) for row in found.rows]


@pytest.mark.parametrize(
    ("data", "content"),
    [
        (b'{"a": 1, "A": 2}', b'{"a": 1, "A": 2}'),
        (b'{"a":1,\n "b": 1e999}\r\n', b'{"a":1,"b":1e999}'),
        (b"[1,2]", b"[1,2]"),
        (b"7", b"7"),
        (b'"t"', b'"t"'),
        (b"null", b"null"),
        (b'{"record_content": 1}', b'{"record_content": 1}'),
        (b'{"": 1}', b'{"": 1}'),
    ],
)
def test_json_of_any_kind_is_kept_as_it_came(data: bytes, content: bytes) -> None:
    assert rows(data) == [b'{"RECORD_CONTENT":%b}' % content]


@pytest.mark.parametrize(
    ("format_", "data", "contents"),
    [
        ({"type": "json", "compression": "gzip"}, gzip.compress(b"[1]", mtime=0), [[1]]),
        ({"type": "json_lines"}, b'{"a":1}\n\n[2]\n', [{"a": 1}, [2]]),
        (CSV, b"1,x\n2,\n", [{"A": "1", "B": "x"}, {"A": "2", "B": None}]),
        ({"type": "text"}, b"plain", ["plain"]),
        ({"type": "bytes", "encoding": "hex"}, b"\xff", ["ff"]),
        ({"type": "cloudwatch_logs"}, None, [{**EVENT, "owner": "o"}]),
    ],
    ids=["gzip", "json_lines", "csv", "text", "bytes", "cloudwatch_logs"],
)
def test_every_format_has_its_rows_in_the_column(
    format_: dict[str, Any], data: bytes | None, contents: list[Any]
) -> None:
    envelope = gzip.compress(json.dumps({**EVENTS, "logEvents": [EVENT]}).encode(), mtime=0)
    found = [json.loads(row) for row in rows(envelope if data is None else data, '"my content"', format=format_)]
    assert [list(row) for row in found] == [["my content"]] * len(contents)
    for row, content in zip(found, contents, strict=True):
        kept = row["my content"]
        assert kept.items() >= content.items() if data is None else kept == content


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"no", "not-json"),
        (b"", "empty"),
        (b" ", "empty"),
        (b'"\xff"', "invalid-utf-8"),
        (b"[" * 600 + b"]" * 600, "too-deep"),
        (b"{} {}", "not-json"),
        (b'"' + b"x" * 1_000_000 + b'"', "too-large"),
    ],
    ids=["no json", "nothing", "blank", "no utf-8", "deep", "two", "large"],
)
def test_what_is_no_json_is_no_row(data: bytes, reason: str) -> None:
    assert [each.reason for each in made(data).rejected] == [reason]


def test_an_empty_record_is_a_tombstone_with_its_metadata_alone() -> None:
    assert rows(b"", empty_records="ingest", metadata={}) != []
    (row,) = rows(b"", empty_records="ingest", metadata={})
    assert list(json.loads(row)) == ["KINESISMETADATA"]


def test_transforms_come_first() -> None:
    exclude = {"type": "exclude", "fields": ["b"]}
    assert rows(b'{"a":1,"b":2}', transforms=[exclude]) == [b'{"RECORD_CONTENT":{"a":1}}']


@pytest.mark.parametrize("metadata", [{}, {"form": "columns", "names": {"stream": "KinesisMetadata"}}])
def test_the_content_has_a_column_of_its_own(metadata: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="the column kinesismetadata is the metadata column"):
        made(b"{}", "kinesismetadata", metadata=metadata)
