"""Records of every format, good ones and every kind of bad one, as producers put them.

`sorts()` says for each sort of pipeline what its records become; test_payloads.py asks the engine's own decoders.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

import zstandard

from firnline_ingest.records.rejection import LeftOut
from firnline_ingest.records.rejection import RejectReason as Why
from tests.acceptance.orders import SCHEMA, alone, as_json, as_message, container, order, single
from tests.fakes.kpl_packing import KPL_PARTITION_KEY, MAGIC, Packed, pack, sealed

MOST = 20_000
"""`max_row_bytes` of each of these pipelines: what is larger is cheap to put."""
CLASHES = {"type": "record", "name": "C", "fields": [{"name": "KINESISMETADATA", "type": "long"}]}
SECOND_SHARD = str(2**127 + 1)
"""A hash key of the second of two shards."""


class Put(NamedTuple):
    """A payload that a producer hands over; with a key of its own if it gives none."""

    data: bytes
    key: str | None = None
    hash_key: str | None = None


class Bad(NamedTuple):
    """A record that can't be a row, and the reason that its letter has."""

    put: Put
    why: Why


@dataclass(frozen=True)
class Sort:
    """A sort of a pipeline's records."""

    options: Mapping[str, Any]
    """Of the pipeline."""
    good: Callable[[int], Put]
    bad: Mapping[str, Bad]
    rows: int = 1
    """Of each good record."""
    left_out: Mapping[LeftOut, Put] = field(default_factory=dict)
    empty: Put | None = None
    """A record that becomes a row of its metadata alone."""
    shards: int = 1


@dataclass(frozen=True)
class Registries:
    """Registries in which framed records have their schemas: ids of `SCHEMA`, and of one that decodes nothing."""

    url: str
    known: int
    no_record: int
    glue: UUID
    message: int
    glue_message: UUID
    """Those of `PROTO`."""


def logs(*messages: str, kind: str = "DATA_MESSAGE") -> bytes:
    events = [{"id": str(n), "timestamp": 1_432_826_855_000 + n, "message": each} for n, each in enumerate(messages)]
    envelope = {"messageType": kind, "owner": "1", "logGroup": "g", "logStream": "s", "subscriptionFilters": ["f"]}
    return gzip.compress(json.dumps({**envelope, "logEvents": events}).encode())


def bad(data: bytes, why: Why) -> Bad:
    return Bad(Put(data), why)


OBJECTS = {
    "no JSON": bad(b"no json", Why.NOT_JSON),
    "cut short": bad(b'{"n": 1', Why.NOT_JSON),
    "an array": bad(b"[1]", Why.NOT_AN_OBJECT),
    "no UTF-8": bad(b'{"a": "\xff"}', Why.INVALID_UTF8),
    "nested": bad(b'{"a":' + b"[" * 5_000 + b"]" * 5_000 + b"}", Why.TOO_DEEP),
    "the metadata's key": bad(b'{"kinesismetadata": 1}', Why.METADATA_CLASH),
    "a key twice": bad(b'{"a": 1, "A": 2}', Why.DUPLICATE_KEY),
    "a key without a name": bad(b'{"": 1}', Why.UNUSABLE_KEY),
    "large": bad(b'{"a": "%s"}' % (b"x" * MOST), Why.TOO_LARGE),
}
EMPTY = {"empty": bad(b"", Why.EMPTY)}
UNREADABLE = {
    "another object": bad(b"\xff\xff\xff\xff", Why.MALFORMED),
    "large": bad(alone({**order(0), "note": "x" * MOST}), Why.TOO_LARGE),
}
COLUMNS = ["N", "NOTE", "LINES"]


def sorts(registries: Registries) -> Mapping[str, Sort]:
    """By a name that can be a stream's."""
    named = dict(
        [
            *_json(),
            *_lines(),
            *_contents(),
            *_packed(),
            *_avro(),
            *_framed(registries),
            *_protobuf(registries),
            *_aggregates(),
        ]
    )
    limit = {"max_row_bytes": MOST}
    return {
        name: Sort({**limit, **of.options}, of.good, of.bad, of.rows, of.left_out, of.empty, of.shards)
        for name, of in named.items()
    }


def _json() -> Iterator[tuple[str, Sort]]:
    yield "json", Sort({}, lambda n: Put(as_json(n)), OBJECTS | EMPTY, shards=2)
    whole = {"content_column": "WHOLE", "metadata": {"form": "columns", "push_time": True}, "empty_records": "ingest"}
    no_objects = ("no JSON", "cut short", "no UTF-8", "nested", "large")
    yield (
        "whole",
        Sort(whole, lambda n: Put(b"[%s]" % as_json(n)), {name: OBJECTS[name] for name in no_objects}, empty=Put(b"")),
    )


def _lines() -> Iterator[tuple[str, Sort]]:
    first = as_json(0) + b"\n"
    broken = {name: bad(first + of.put.data, of.why) for name, of in OBJECTS.items()}
    yield (
        "json-lines",
        Sort(
            {"format": {"type": "json_lines"}, "empty_records": "ignore"},
            lambda n: Put(b"\n".join(as_json(each) for each in (n, n + 1, n + 2))),
            broken,
            rows=3,
            left_out={LeftOut.TOMBSTONE: Put(b"\n")},
        ),
    )
    of_csv = {
        "a field too many": bad(b"1,2,3\n1,2,3,4", Why.MALFORMED),
        "a field too few": bad(b"1,2", Why.MALFORMED),
        "an open quote": bad(b'1,2,"3', Why.MALFORMED),
        "no UTF-8": bad(b"1,2,\xff", Why.INVALID_UTF8),
        "blank lines": bad(b"\n\r\n", Why.EMPTY),
        "large": bad(b"1,2," + b"x" * MOST, Why.TOO_LARGE),
    }
    yield (
        "csv",
        Sort(
            {"format": {"type": "csv", "columns": COLUMNS}},
            lambda n: Put(b'%d,"a ""note"", %d",\r\n%d,,3' % (n, n, n + 1)),
            of_csv,
            rows=2,
        ),
    )
    of_headers = {
        "a name twice": bad(b"n,N\n1,2", Why.DUPLICATE_KEY),
        "no name": bad(b"n,\n1,2", Why.UNUSABLE_KEY),
        "the metadata's name": bad(b"n,KINESISMETADATA\n1,2", Why.METADATA_CLASH),
        "nothing but names": bad(b"n,note\n", Why.EMPTY),
    }
    yield (
        "csv-header",
        Sort(
            {"format": {"type": "csv", "header": True, "delimiter": ";"}},
            lambda n: Put(b"n;note\n%d;x" % n),
            {name: bad(of.put.data.replace(b",", b";"), of.why) for name, of in of_headers.items()},
        ),
    )


def _contents() -> Iterator[tuple[str, Sort]]:
    large = {"large": bad(b"x" * MOST, Why.TOO_LARGE)}
    no_text = {"no UTF-8": bad(b"a\xff", Why.INVALID_UTF8)}
    text = {"format": {"type": "text", "column": "line"}}
    yield "text", Sort(text, lambda n: Put(f'"{n}"\n{{\t\u2028'.encode()), no_text | large | EMPTY)
    yield "bytes", Sort({"format": {"type": "bytes"}}, lambda n: Put(b"\xff\x00%d" % n), large | EMPTY)
    of_logs = {
        "not packed": bad(b"plain", Why.NOT_PACKED),
        "cut short": bad(logs("a")[:-4], Why.NOT_PACKED),
        "no envelope": bad(gzip.compress(b"{}"), Why.MALFORMED),
        "no events": bad(logs(), Why.MALFORMED),
        "another kind": bad(logs("a", kind="OTHER"), Why.MALFORMED),
        "large": bad(logs("a", "x" * MOST), Why.TOO_LARGE),
    }
    yield (
        "cloudwatch-logs",
        Sort(
            {"format": {"type": "cloudwatch_logs"}},
            lambda n: Put(logs(f"a {n}", f'{{"n": {n}}}')),
            of_logs | EMPTY,
            rows=2,
            left_out={LeftOut.CONTROL_MESSAGE: Put(logs("Checking health", kind="CONTROL_MESSAGE"))},
        ),
    )


def _packed() -> Iterator[tuple[str, Sort]]:
    yield "gzip", _packed_by("gzip", gzip.compress)
    yield "zlib", _packed_by("zlib", zlib.compress)
    yield "zstd", _packed_by("zstd", zstandard.compress)


def _packed_by(name: str, packed: Callable[[bytes], bytes]) -> Sort:
    inside = {f"{what} inside": bad(packed(of.put.data), of.why) for what, of in OBJECTS.items()}
    around = {
        "not packed": bad(as_json(1), Why.NOT_PACKED),
        "cut short": bad(packed(as_json(1))[:-3], Why.NOT_PACKED),
        "a bomb": bad(packed(bytes(11 * 2**20)), Why.TOO_LARGE),
    }
    options = {"format": {"type": "json", "compression": name}}
    return Sort(options, lambda n: Put(packed(as_json(n))), inside | around | EMPTY)


def _avro() -> Iterator[tuple[str, Sort]]:
    of_containers = {
        "cut short": bad(container(order(1))[:-3], Why.MALFORMED),
        "no container": bad(alone(order(1)), Why.MALFORMED),
        "no object": bad(container(), Why.EMPTY),
        "the metadata's key": bad(container({"KINESISMETADATA": 1}, schema=CLASHES), Why.METADATA_CLASH),
        "large": bad(container({**order(0), "note": "x" * MOST}), Why.TOO_LARGE),
        "no record": bad(container(1, schema="long"), Why.MALFORMED),
    }
    yield (
        "avro-container",
        Sort({"format": {"type": "avro"}}, lambda n: Put(container(order(n), order(n + 1))), of_containers, rows=2),
    )
    known = {"type": "avro", "avro_schema": json.dumps(SCHEMA)}
    yield (
        "avro-single",
        Sort(
            {"format": {**known, "framing": "single_object"}},
            lambda n: Put(single(order(n))),
            {
                "no marker": bad(alone(order(1)), Why.MALFORMED),
                "another fingerprint": bad(b"\xc3\x01" + bytes(8) + alone(order(1)), Why.MALFORMED),
                "cut short": bad(single(order(1))[:-1], Why.MALFORMED),
            }
            | EMPTY,
        ),
    )
    yield (
        "avro-bare",
        Sort(
            {"format": {**known, "framing": "none"}},
            lambda n: Put(alone(order(n))),
            {
                **UNREADABLE,
                "more behind it": bad(alone(order(1)) + b"x", Why.MALFORMED),
                "a negative branch": bad(b"\2\1\0", Why.MALFORMED),
            }
            | EMPTY,
        ),
    )


def _framed(registries: Registries) -> Iterator[tuple[str, Sort]]:
    def confluent(data: bytes, number: int = registries.known) -> bytes:
        return b"\0" + number.to_bytes(4, "big") + data

    def glue(data: bytes, version: UUID = registries.glue, *, packed: bool = False) -> bytes:
        return b"\3" + (b"\5" if packed else b"\0") + version.bytes + (zlib.compress(data) if packed else data)

    one = alone(order(1))
    frames = {"no frame": bad(one, Why.MALFORMED), "cut short": bad(confluent(b"")[:4], Why.MALFORMED)} | EMPTY
    yield (
        "confluent",
        Sort(
            {"format": {"type": "avro", "framing": "confluent", "registry": {"url": registries.url}}},
            lambda n: Put(confluent(alone(order(n)))),
            {
                **frames,
                "more behind it": bad(confluent(one + b"x"), Why.MALFORMED),
                "a schema of no record": bad(confluent(one, registries.no_record), Why.MALFORMED),
                "an unknown id": bad(confluent(one, 2**32 - 1), Why.UNKNOWN_SCHEMA),
                "the other registry's": bad(glue(one), Why.MALFORMED),
            },
        ),
    )
    yield (
        "glue",
        Sort(
            {"format": {"type": "avro", "framing": "glue"}},
            lambda n: Put(glue(alone(order(n)), packed=n % 2 == 0)),
            {
                **frames,
                "broken zlib": bad(b"\3\5" + glue(one)[2:], Why.NOT_PACKED),
                "an unknown version": bad(glue(one, UUID(int=1)), Why.UNKNOWN_SCHEMA),
                "a bomb": bad(glue(bytes(11 * 2**20), packed=True), Why.TOO_LARGE),
            },
        ),
    )
    yield (
        "confluent-json",
        Sort(
            {"format": {"type": "json", "framing": "confluent"}},
            lambda n: Put(confluent(as_json(n))),
            {
                "no frame": bad(as_json(1), Why.MALFORMED),
                "an array": bad(confluent(b"[]"), Why.NOT_AN_OBJECT),
                "nothing in it": bad(confluent(b""), Why.EMPTY),
            },
        ),
    )


def _protobuf(registries: Registries) -> Iterator[tuple[str, Sort]]:
    def confluent(data: bytes, path: bytes = b"\2\2", number: int = registries.message) -> bytes:
        return b"\0" + number.to_bytes(4, "big") + path + data

    def glue(data: bytes, place: bytes = b"\1") -> bytes:
        return b"\3\0" + registries.glue_message.bytes + place + data

    unlike = {"a field more": b"\x20\1", "cut in a field": b"\x12\5a", "not UTF-8": b"\x12\1\xff"}
    registry = {"url": registries.url}
    yield (
        "confluent-protobuf",
        Sort(
            {"format": {"type": "protobuf", "framing": "confluent", "registry": registry}},
            lambda n: Put(confluent(as_message(n))),
            {
                **{what: bad(confluent(data), Why.MALFORMED) for what, data in unlike.items()},
                "no such message": bad(confluent(b"", b"\2\4"), Why.MALFORMED),
                "an unknown id": bad(confluent(b"", number=2**32 - 1), Why.UNKNOWN_SCHEMA),
                "a schema of Avro": bad(confluent(b"", number=registries.known), Why.MALFORMED),
            },
        ),
    )
    yield (
        "glue-protobuf",
        Sort(
            {"format": {"type": "protobuf", "framing": "glue"}},
            lambda n: Put(glue(as_message(n))),
            {
                **{what: bad(glue(data), Why.MALFORMED) for what, data in unlike.items()},
                "no such message": bad(glue(b"", b"\2"), Why.MALFORMED),
            },
        ),
    )


def _aggregates() -> Iterator[tuple[str, Sort]]:
    def of_kpl(n: int) -> Put:
        where = SECOND_SHARD if n % 2 else "0"
        users = [Packed(as_json(each), f"key {each}", where) for each in (n, n + 1, n + 2)]
        return Put(pack(users), KPL_PARTITION_KEY, where)

    elsewhere = Put(pack([Packed(as_json(1), "key", "0")]), KPL_PARTITION_KEY, SECOND_SHARD)
    yield (
        "aggregates",
        Sort(
            {"metadata": {"explicit_hash_key": True}},
            of_kpl,
            {
                "no protobuf": bad(sealed(b"\xff\xff"), Why.BROKEN_AGGREGATE),
                "a look-alike": bad(MAGIC + bytes(40), Why.NOT_JSON),
                "a checksum that fails": bad(pack([Packed(as_json(1))])[:-1] + b"\0\0", Why.NOT_JSON),
                "another shard's": Bad(elsewhere, Why.MISPLACED),
                "a bad user record": bad(pack([Packed(b"no json")]), Why.NOT_JSON),
            },
            rows=3,
            shards=2,
        ),
    )
