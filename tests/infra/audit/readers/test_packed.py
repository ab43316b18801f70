"""Packed records: the audit unpacks what the engine does, and nothing else."""

import gzip
import zlib
from collections.abc import Callable

import pytest

from .engine import audited, by_engine, pipeline_of, records_of


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("compression", "pack"), [("gzip", gzip.compress), ("zlib", zlib.compress), ("deflate", deflated)]
)
def test_rows_and_dead_letters_are_those_of_the_engine(compression: str, pack: Callable[[bytes], bytes]) -> None:
    of = pipeline_of({"type": "json_lines", "compression": compression})
    good = pack(b'{"n":1}\n{"n":2}')
    records = records_of(good, good + b"\n", good + b"\r\n\0", good + b"more", good[:-1], b'{"n":3}', b"")
    outcomes = by_engine(of, records)
    assert [str(each.place) for each in outcomes].count("table") == 6
    findings = audited(of, records, outcomes)
    assert (findings.problems, findings.counts.rows, findings.counts.dead_letters) == ([], 6, 4)
