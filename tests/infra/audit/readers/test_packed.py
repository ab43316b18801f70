"""Packed records: the audit unpacks what the engine does, and nothing else."""

import gzip
import json
import random
import zlib
from collections.abc import Callable

import cramjam
import pytest

from .engine import audited, by_engine, pipeline_of, records_of


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("compression", "pack"),
    [
        ("gzip", gzip.compress),
        ("zlib", zlib.compress),
        ("deflate", deflated),
        ("snappy", lambda data: bytes(cramjam.snappy.compress(data))),
    ],
)
def test_rows_and_dead_letters_are_those_of_the_engine(compression: str, pack: Callable[[bytes], bytes]) -> None:
    of = pipeline_of({"type": "json_lines", "compression": compression})
    good = pack(b'{"n":1}\n{"n":2}')
    records = records_of(good, good + b"\n", good + b"\r\n\0", good + b"more", good[:-1], b'{"n":3}', b"")
    outcomes = by_engine(of, records)
    assert [str(each.place) for each in outcomes].count("table") == 6
    findings = audited(of, records, outcomes)
    assert (findings.problems, findings.counts.rows, findings.counts.dead_letters) == ([], 6, 4)


@pytest.mark.parametrize("seed", range(20))
def test_a_raw_block_of_snappy_is_read_as_the_engine_reads_it(seed: int) -> None:
    """Short and long copies, literals of each size, and damage at any place."""
    rng = random.Random(seed)
    words = [rng.randbytes(rng.choice((1, 5, 70, 300))).hex() for _ in range(6)]
    lines = [json.dumps({"n": number, "x": "".join(rng.choices(words, k=rng.randint(1, 40)))}) for number in range(30)]
    good = bytes(cramjam.snappy.compress_raw("\n".join(lines).encode()))
    broken = [bytes(good[:at]) + rng.randbytes(1) + good[at + 1 :] for at in rng.choices(range(len(good)), k=20)]
    of = pipeline_of({"type": "json_lines", "compression": "snappy"})
    records = records_of(good, *broken)
    findings = audited(of, records, by_engine(of, records))
    assert findings.problems == []
    assert findings.counts.rows >= len(lines)
