"""Any bytes to any format: rows or a letter. `python -m tests.ingest.formats.fuzzing SECONDS [SEED]` goes on for longer,
with large records among them, and no more than 100 MB and ten seconds of CPU for any.

Samples of each format are cut, doubled, mixed and overwritten, so that they come past the first look more often than noise does.
Each goes the whole way: taken apart as an aggregate, unpacked, decoded, transformed.
"""

import gzip
import hashlib
import json
import random
import resource
import signal
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zstandard

from firnline_ingest.kinesis.aggregate import UserRecords
from firnline_ingest.kinesis.hash_range import HashRange
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rows import RowMaker, Rows
from tests.fakes.kpl_packing import MAGIC, Packed, pack, sealed

from .making import maker
from .protobuf_samples import (
    GLUE_ORDER,
    PROTO_CONFLUENT,
    PROTO_GLUE,
    full_order,
    line,
    of_confluent,
    of_glue,
)
from .test_avro import ALONE, ORDER, SINGLE, alone, container, single
from .test_cloudwatch_logs import envelope
from .test_registered import CONFLUENT, GLUE, Known, glue
from .test_registered import confluent as framed

MOST_BYTES, MOST_SECONDS = 100_000_000, 10
LARGE_BYTES, LARGE_EVERY = 1_000_000, 50

JSON = b'{"n": 1, "text": "\xc3\xa9\\u0000", "deep": [{"a": null}], "\xc3\x9f": 1e999}'
CSV = b'1,"two, ""2""",\n3,"4\n5",6\r\n'


@dataclass(frozen=True)
class Subject:
    """A pipeline, and records that it takes; `unpack` and `pack` reach what is inside of them, so that it is changed too."""

    format: dict[str, Any]
    samples: list[bytes]
    unpack: Callable[[bytes], bytes] = bytes
    pack: Callable[[bytes], bytes] = bytes
    options: dict[str, Any] = field(default_factory=dict)


def _zipped(format_: dict[str, Any], samples: list[bytes]) -> Subject:
    return Subject(format_, samples, gzip.decompress, lambda data: gzip.compress(data, mtime=0))


def _in_glue(data: bytes) -> bytes:
    return zlib.decompress(data[18:])


def _of_aggregate(data: bytes) -> bytes:
    return data[len(MAGIC) : -16]


def touched(record: dict[str, Any]) -> dict[str, Any]:
    """Touches a document as users' functions do: what is not as it was expected raises."""
    record["total"] = sum(item["a"] or 0 for item in record["deep"])
    return record


TRANSFORMS: list[dict[str, Any]] = [
    {"type": "rename", "fields": {"n": "id", "deep[].a": "b"}},
    {"type": "mask", "fields": ["text", "deep[].b"], "hash": "sha256"},
    {"type": "cast", "fields": {"id": "text"}},
    {"type": "cast", "fields": {"id": "number"}},
    {"type": "timestamp", "fields": ["id"], "read": "seconds", "write": "iso8601"},
    {"type": "insert", "field": "origin.key", "metadata": "partition_key"},
    {"type": "flatten"},
    {"type": "exclude", "fields": ["origin_key"]},
    {"type": "filter", "field": "id", "starts_with": "2"},
]
CALLABLE = {"type": "callable", "callable": f"{__name__}:touched"}

SUBJECTS: dict[str, Subject] = {
    "json": Subject({"type": "json"}, [JSON, b"{}"]),
    "json_lines": Subject({"type": "json_lines"}, [JSON + b"\n" + JSON + b"\r\n\n{}"]),
    "json, several": Subject(
        {"type": "json", "several_objects": True},
        [JSON + JSON + b"\n{}", b"[" + JSON + b" ,\r\n" + JSON + b"]", b"[{}]" + JSON + b"[ ]"],
    ),
    "json, several, in a column": Subject(
        {"type": "json", "several_objects": True},
        [JSON + b'"a"1 [true,"]"] null', b"[1,[2],{}]-0 1"],
        options={"content_column": "C"},
    ),
    "text": Subject({"type": "text"}, ["é\u2028𝄞".encode()]),
    "bytes": Subject({"type": "bytes"}, [b"\0\xff"]),
    "csv": Subject({"type": "csv", "columns": ["A", "B", "C"]}, [CSV]),
    "csv with a header": Subject({"type": "csv", "header": True}, [b'id,"Full Name",x\n' + CSV]),
    "gzip": _zipped(
        {"type": "json", "compression": "gzip"},
        [gzip.compress(JSON, mtime=0), gzip.compress(JSON[:9], mtime=0) + gzip.compress(JSON[9:], mtime=0)],
    ),
    "zstd": Subject(
        {"type": "csv", "columns": ["A", "B", "C"], "compression": "zstd"},
        [zstandard.compress(CSV * 50)],
        lambda data: zstandard.decompress(data)[:200],
        zstandard.compress,
    ),
    "avro in gzip": _zipped({**ALONE, "compression": "gzip"}, [gzip.compress(alone(ORDER), mtime=0)]),
    "cloudwatch_logs": _zipped({"type": "cloudwatch_logs"}, [envelope(), envelope(messageType="CONTROL_MESSAGE")]),
    "avro container": Subject(
        {"type": "avro"},
        [container(ORDER, ORDER), container(ORDER, codec="deflate"), container(ORDER, codec="zstandard")],
    ),
    "avro": Subject(ALONE, [alone(ORDER)]),
    "avro, single object": Subject(SINGLE, [single(ORDER)]),
    "avro, Confluent's frame": Subject(
        CONFLUENT,
        [framed(alone(ORDER)), framed(alone(ORDER), 11), framed(alone(ORDER), 99), framed(b"", 8)],
    ),
    "avro, Glue's frame": Subject(GLUE, [glue(alone(ORDER))]),
    "avro, Glue's frame, packed": Subject(
        GLUE, [glue(alone(ORDER), packed=True)], _in_glue, lambda data: glue(data, packed=True)
    ),
    "protobuf, Confluent's frame": Subject(PROTO_CONFLUENT, [of_confluent(full_order()), of_confluent(line(), (0,))]),
    "protobuf, without what is unknown": Subject(
        {**PROTO_CONFLUENT, "ignores_unknown_fields": True}, [of_confluent(full_order()), of_confluent(line(), (0,))]
    ),
    "protobuf, Glue's frame": Subject(PROTO_GLUE, [of_glue(full_order(with_spent=False), GLUE_ORDER)]),
    "json, Confluent's frame": Subject({"type": "json", "framing": "confluent"}, [framed(JSON)]),
    "json, Glue's frame": Subject({"type": "json", "framing": "glue"}, [glue(JSON), glue(JSON, packed=True)]),
    "json, transformed": Subject({"type": "json"}, [JSON, b"{}"], options={"transforms": TRANSFORMS}),
    "lines, transformed": Subject(
        {"type": "json_lines"}, [JSON + b"\n" + JSON + b"\n"], options={"transforms": TRANSFORMS}
    ),
    "avro, hoisted": Subject(ALONE, [alone(ORDER)], options={"transforms": [{"type": "hoist", "field": "all"}]}),
    "json, by a callable": Subject({"type": "json"}, [JSON], options={"transforms": [CALLABLE]}),
    "whole records": Subject({"type": "json"}, [JSON, b"[1]"], options={"content_column": "C"}),
    "aggregates": Subject(
        {"type": "json"},
        [pack([Packed(JSON, "one"), Packed(b"{}", "two", "55"), Packed(JSON, "one")])],
        _of_aggregate,
        sealed,
    ),
}


def mutations(of: Subject, chance: random.Random, *, large_every: int = 0) -> Iterator[bytes]:
    number = 0
    while True:
        yield _changed(chance.choice(of.samples), chance)
        yield of.pack(_changed(of.unpack(chance.choice(of.samples)), chance))
        yield chance.randbytes(chance.randrange(64))
        number += 1
        if large_every and number % large_every == 0:
            yield of.pack(_large(of.unpack(chance.choice(of.samples)), chance))
            yield _large(chance.choice(of.samples), chance)


def _large(sample: bytes, chance: random.Random) -> bytes:
    """A piece of it is there very often."""
    start = chance.randrange(len(sample) + 1)
    piece = sample[start : start + chance.randrange(1, 60)] or b"["
    return sample[:start] + piece * (LARGE_BYTES // len(piece)) + sample[start:]


def _changed(sample: bytes, chance: random.Random) -> bytes:
    data = bytearray(sample)
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(5):
            case 0:
                del data[at : at + chance.randrange(1, 9)]
            case 1:
                data[at:at] = chance.randbytes(chance.randrange(1, 4))
            case 2:
                data[at:at] = data[chance.randrange(len(data) + 1) :][:40]
            case 3 if data:
                data[at % len(data)] ^= 1 << chance.randrange(8)
            case _:
                data[at : at + 1] = chance.choice([b"", b'"', b"\n", b"{", b"]", b"\\", b",", b"\xff", b"\0"])
    return bytes(data)


def fates(made_by: RowMaker, data: bytes) -> Counter[str]:
    """Returns what the record becomes, or the records that it packs; an assertion where one is not exactly one thing."""
    pieces = UserRecords(HashRange).pieces([Record("100", data, "key", 1.5)])
    records = [record for piece in pieces for record in piece]
    seen = Counter[str]()
    assert records, data
    while records:
        made = made_by.convert(records)
        was = _digest(made)
        del made
        made = made_by.convert(records)
        assert _digest(made) == was, data
        assert (made.unaccounted, made.taken > 0) == (0, True), data
        for row in made.rows:
            assert isinstance(json.loads(bytes(row)), dict), data
            assert b"\n" not in bytes(row), data
        seen.update({"rows": made.ingested, "left out": made.left_out.total()})
        seen.update(str(one.reason) for one in made.rejected)
        assert not any("MemoryError" in one.detail for one in made.rejected), data
        records = records[made.taken :]
    return +seen


def _digest(made: Rows) -> bytes:
    found = hashlib.sha256()
    for row in made.rows:
        found.update(bytes(row))
    return found.digest()


def fuzz(name: str, *, seed: int, is_over: Callable[[int], bool], large_every: int = 0) -> tuple[Counter[str], float]:
    """Returns how often a record became what, and the seconds of CPU that the slowest took, read twice."""
    of = SUBJECTS[name]
    made_by, seen, slowest = maker(of.format, Known().of, **of.options), Counter[str](), 0.0
    for number, data in enumerate(mutations(of, random.Random(seed), large_every=large_every)):
        if is_over(number):
            break
        start = time.process_time()
        seen += fates(made_by, data)
        slowest = max(slowest, time.process_time() - start)
    return seen, slowest


def main(seconds: float, seed: int) -> None:
    for name in SUBJECTS:  # imports and caches are no record's
        fuzz(name, seed=seed, is_over=lambda number: number == LARGE_EVERY * 4, large_every=LARGE_EVERY)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_BYTES, used + MOST_BYTES))
    signal.signal(signal.SIGPROF, lambda *_: sys.exit(f"a record takes more than {MOST_SECONDS} s"))
    for name in SUBJECTS:
        until_s = time.monotonic() + seconds / len(SUBJECTS)

        def is_over(_: int, until_s: float = until_s) -> bool:
            signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
            return time.monotonic() > until_s

        seen, slowest = fuzz(name, seed=seed, is_over=is_over, large_every=LARGE_EVERY)
        print(f"{name}: {seen.total():,} records, {dict(seen)}, the slowest {slowest:.2f} s", flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30))
