"""Any bytes are rows or a letter; never an exception, and never more than 100 MB."""

import gzip
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from firnline_ingest.kinesis.page import Record
from firnline_ingest.records import rows

from .fuzzing import SUBJECTS, fuzz
from .making import maker

RECORDS = 400
MOST_BYTES = 100_000_000
FULL = 10_000_000
SCALE = 10  # of what makes many rows: tracing each of them takes seconds
LESS = FULL // SCALE // SCALE


@pytest.mark.parametrize("name", SUBJECTS)
def test_any_bytes_are_rows_or_a_letter(name: str) -> None:
    seen, _ = fuzz(name, seed=20_261_122, is_over=lambda number: number == RECORDS)
    assert seen.total() >= RECORDS
    assert seen["rows"]


def unchanged(record: dict[str, Any]) -> dict[str, Any]:
    return record


def repeated(piece: bytes, start: bytes = b"", end: bytes = b"", size: int = FULL) -> Callable[[], bytes]:
    return lambda: start + piece * (size // len(piece)) + end


EVENT = b'{"id":"","timestamp":0,"message":""},'
PLAIN = {"type": "json"}
CALLABLE = {"type": "callable", "callable": f"{__name__}:unchanged"}
WORST: dict[str, tuple[dict[str, Any], Callable[[], bytes]] | tuple[dict[str, Any], Callable[[], bytes], Any]] = {
    "an object of many keys": (PLAIN, lambda: b"{" + b",".join(b'"%x":1' % key for key in range(800_000)) + b"}"),
    "an object of keys with escapes": (
        PLAIN,
        lambda: b"{" + b", ".join(b'"\\u0041%x": 1' % key for key in range(400_000)) + b"}",
    ),
    "brackets in a text": (PLAIN, repeated(b"[],", b'{"a":"', b'"}')),
    "brackets in a cast text": (
        PLAIN,
        repeated(b"[],", b'{"a":"[', b'[]]"}', 900_000),
        {"type": "cast", "fields": {"a": "json"}},
    ),
    "brackets in many texts": (PLAIN, repeated(b'["["],', b'{"a":[', b"[]]}")),
    "numbers that are cast": (
        PLAIN,
        repeated(b"1,", b'{"a":[', b"1]}", LESS // 10),
        {"type": "cast", "fields": {"a[]": "text"}},
    ),
    "numbers for a callable": (PLAIN, repeated(b"1.5,", b'{"a":[', b"1]}", LESS // 2), CALLABLE),
    "arrays for a callable": (PLAIN, repeated(b"[],", b'{"a":[', b"1]}", LESS), CALLABLE),
    "objects to flatten": (
        PLAIN,
        lambda: b"{" + b",".join(b'"%x":{"a":1}' % key for key in range(6_000)) + b"}",
        {"type": "flatten"},
    ),
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
    format_, data, *transforms = WORST[name]
    content = data()
    if format_["type"] == "cloudwatch_logs":
        content = gzip.compress(content, 1)
    made_by = maker(format_, transforms=transforms)
    made_by.convert([Record("1", b"{}", "key", 1.5)])
    tracemalloc.start()
    try:
        made = made_by.convert([Record("100", content, "key", 1.5)])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert bool(made.rows) + len(made.rejected) == 1
    assert peak < (MOST_BYTES if len(content) > LESS else MOST_BYTES // SCALE)
