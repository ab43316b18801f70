"""Any bytes to any format: rows or a letter. `python -m tests.ingest.records.decoders.fuzzing SECONDS [SEED]` goes on for longer.

Samples of each format are cut, doubled, mixed and overwritten, so that they come past the first look more often than noise does.
"""

import gzip
import json
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import zstandard

from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rows import RowMaker

from .making import maker
from .test_avro import ALONE, ORDER, SINGLE, alone, container, single
from .test_cloudwatch_logs import envelope
from .test_registered import CONFLUENT, GLUE, Known, glue
from .test_registered import confluent as framed

JSON = b'{"n": 1, "text": "\xc3\xa9\\u0000", "deep": [{"a": null}], "\xc3\x9f": 1e999}'
CSV = b'1,"two, ""2""",\n3,"4\n5",6\r\n'
FORMATS: dict[str, tuple[dict[str, Any], list[bytes]]] = {
    "json": ({"type": "json"}, [JSON, b"{}"]),
    "json_lines": ({"type": "json_lines"}, [JSON + b"\n" + JSON + b"\r\n\n{}"]),
    "text": ({"type": "text"}, ["é\u2028𝄞".encode()]),
    "bytes": ({"type": "bytes"}, [b"\0\xff"]),
    "csv": ({"type": "csv", "columns": ["A", "B", "C"]}, [CSV]),
    "csv with a header": ({"type": "csv", "header": True}, [b'id,"Full Name",x\n' + CSV]),
    "gzip": (
        {"type": "json", "compression": "gzip"},
        [gzip.compress(JSON), gzip.compress(JSON[:9]) + gzip.compress(JSON[9:])],
    ),
    "zstd": ({"type": "csv", "columns": ["A", "B", "C"], "compression": "zstd"}, [zstandard.compress(CSV * 50)]),
    "cloudwatch_logs": ({"type": "cloudwatch_logs"}, [envelope(), envelope(messageType="CONTROL_MESSAGE")]),
    "avro container": (
        {"type": "avro"},
        [container(ORDER, ORDER), container(ORDER, codec="deflate"), container(ORDER, codec="zstandard")],
    ),
    "avro": (ALONE, [alone(ORDER)]),
    "avro, single object": (SINGLE, [single(ORDER)]),
    "avro, Confluent's frame": (
        CONFLUENT,
        [framed(alone(ORDER)), framed(alone(ORDER), 11), framed(alone(ORDER), 99), framed(b"", 8)],
    ),
    "avro, Glue's frame": (GLUE, [glue(alone(ORDER)), glue(alone(ORDER), packed=True)]),
    "json, Confluent's frame": ({"type": "json", "framing": "confluent"}, [framed(JSON)]),
    "json, Glue's frame": ({"type": "json", "framing": "glue"}, [glue(JSON), glue(JSON, packed=True)]),
}
INSIDE: dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    "gzip": (gzip.decompress, gzip.compress),
    "cloudwatch_logs": (gzip.decompress, gzip.compress),
}
"""What is packed is changed inside too."""


def mutations(name: str, chance: random.Random) -> Iterator[bytes]:
    samples = FORMATS[name][1]
    unpack, pack = INSIDE.get(name, (bytes, bytes))
    while True:
        yield _changed(chance.choice(samples), chance)
        yield pack(_changed(unpack(chance.choice(samples)), chance))
        yield chance.randbytes(chance.randrange(64))


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


def becomes(made_by: RowMaker, data: bytes) -> str:
    """What the record becomes; an assertion where it is not exactly one thing."""
    record = Record("100", data, "key", 1.5)
    made, again = made_by.convert([record]), made_by.convert([record])
    assert [bytes(row) for row in made.rows] == [bytes(row) for row in again.rows], data
    assert (made.taken, bool(made.rows) + len(made.rejected) + made.left_out.total()) == (1, 1), data
    for row in made.rows:
        assert isinstance(json.loads(bytes(row)), dict), data
        assert b"\n" not in bytes(row), data
    return "rows" if made.rows else str(made.rejected[0].reason) if made.rejected else "left out"


def fuzz(name: str, *, seed: int, is_over: Callable[[int], bool]) -> Counter[str]:
    """How often a record became what."""
    made_by, seen = maker(FORMATS[name][0], Known().of), Counter[str]()
    for number, data in enumerate(mutations(name, random.Random(seed))):
        if is_over(number):
            break
        seen[becomes(made_by, data)] += 1
    return seen


def main(seconds: float, seed: int) -> None:
    for name in FORMATS:
        before_kb, until_s = (
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
            time.monotonic() + seconds / len(FORMATS),
        )
        seen = fuzz(name, seed=seed, is_over=lambda _, until_s=until_s: time.monotonic() > until_s)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb) / 1024
        print(f"{name}: {seen.total():,} records, {dict(seen)}, memory grew by {grown:.0f} MB")


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30))
