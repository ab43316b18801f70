"""Small records that would be many rows, or rows of many fields: refused before they are large."""

import gzip
import tracemalloc
from typing import Any

import pytest

from firnline_ingest.records.rejection import RejectReason

from .making import rejected

PARTS = ("stream", "shard_id", "approximate_arrival", "partition_key", "sequence_number", "sub_sequence_number")
BARE = {"metadata": dict.fromkeys((*PARTS, "sharded_sequence_number"), False)}
CSV = {"type": "csv", "columns": ["a", "b"], "compression": "gzip"}


@pytest.mark.parametrize(
    ("format_", "payload"),
    [
        ({"type": "csv", "header": True, "compression": "gzip"}, b"," * 3_000_000),
        (CSV, b"ab," * 1_000_000),
        (CSV, b'ab,"\n",' * 1_000_000),
        ({"type": "json_lines", "compression": "gzip"}, b"{}\n" * 210_000),
    ],
    ids=["a header", "a line", "lines of one row", "rows"],
)
def test_a_packed_record_of_a_few_kilobytes_takes_no_more_than_was_said(
    format_: dict[str, Any], payload: bytes
) -> None:
    packed = gzip.compress(payload)
    assert len(packed) < 15_000
    tracemalloc.start()
    try:
        fault = rejected(format_, packed, **BARE).reason
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert fault is RejectReason.TOO_LARGE
    assert most < 100_000_000
