"""Any bytes are rows or a letter; never an exception, and never more than 100 MB."""

import gzip
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from firnline_ingest.kinesis.page import Record
from firnline_ingest.records import rows

from .fuzzing import FORMATS, fuzz
from .making import maker

RECORDS = 400
MOST_BYTES = 100_000_000
FULL = 10_000_000
SCALE = 10  # of what makes many rows: tracing each of them takes seconds
LESS = FULL // SCALE // SCALE


@pytest.mark.parametrize("name", FORMATS)
def test_any_bytes_are_rows_or_a_letter(name: str) -> None:
    seen = fuzz(name, seed=20_261_122, is_over=lambda number: number == RECORDS)
    assert seen.total() == RECORDS
    assert seen["rows"]


def repeated(piece: bytes, start: bytes = b"", end: bytes = b"", size: int = FULL) -> Callable[[], bytes]:
    return lambda: start + piece * (size // len(piece)) + end


EVENT = b'{"id":"","timestamp":0,"message":""},'
WORST: dict[str, tuple[dict[str, Any], Callable[[], bytes]]] = {
    "many lines": ({"type": "json_lines"}, repeated(b"{}\n", size=LESS)),
    "many blank lines": ({"type": "json_lines"}, repeated(b"\n", size=LESS)),
    "many keys": ({"type": "json_lines"}, repeated(b'"a":1,', b"{", b'"b":1}')),
    "many fields": ({"type": "csv", "columns": ["A"]}, repeated(b"x\n", size=LESS)),
    "wide text": ({"type": "text"}, repeated("𝄞\0\0".encode())),
    "wide fields": ({"type": "csv", "columns": ["A"]}, repeated("𝄞".encode())),
    "many events": (
        {"type": "cloudwatch_logs"},
        repeated(EVENT, b'{"messageType":"DATA_MESSAGE","logEvents":[', EVENT[:-1] + b"]}", LESS),
    ),
}


@pytest.mark.parametrize("name", WORST)
def test_no_record_takes_more_memory_than_it_may(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "RECORD_BYTES", rows.RECORD_BYTES // SCALE)
    format_, data = WORST[name]
    content = data()
    if format_["type"] == "cloudwatch_logs":
        content = gzip.compress(content, 1)
    made_by = maker(format_)
    tracemalloc.start()
    try:
        made = made_by.convert([Record("100", content, "key", 1.5)])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert bool(made.rows) + len(made.rejected) == 1
    assert peak < (MOST_BYTES if len(content) > LESS else MOST_BYTES // SCALE)
