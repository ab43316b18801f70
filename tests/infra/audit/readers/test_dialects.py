"""Tests of where formats have dialects, and transforms forms: of any text, and of schemas at random, engine and audit
say the same.
"""

import io
import json
import random
from collections.abc import Sequence
from typing import Any

import pytest
from fastavro import schemaless_writer, writer
from fastavro.schema import fingerprint, parse_schema, to_parsing_canonical_form
from fastavro.utils import generate_one

from firnline_infra.audit.readers.avro import RecordSchema
from firnline_infra.audit.readers.rows import RowReader
from firnline_ingest.config.format import no_registry
from firnline_ingest.records.rows import RowMaker

from .engine import SHARD, STREAM, pipeline_of, records_of
from .test_agreement import agree, engines, readers

LINES = ["a", '"', '"', "'", "'", "\n", "\r", "\r\n", " ", "\ufeff", "\0", "é", "\u2028"]
TIMES = [
    *('"2026-01-31T12:00:00.5+01:00"', '"2026-01-31"', '"2026-01-31 12:00"', '"2026-01-31T12:00:00,123456789000Z"'),
    *(
        '"2026-02-30"',
        '"9999-12-31T23:59:59Z"',
        '"0001-01-01T00:00:00+01:00"',
        '"2026-01-31T12:00:60Z"',
        '"\uff12\uff10\uff12\uff16-01-31"',
    ),
    *("1769860800", "1769860800.123456789", "-1.5", "1e9", "1e30", "1e-30", "0", "-0", '"1769860800"', "null", "true"),
    *("253402300799", "253402300800", "1e-400", "1769860800123456789.999", '"20260131T120000123+0100"'),
    *(
        '"31/01/2026 12:00:00.5 -05:30"',
        "\"2026'01o'c31 07 +0100\"",
        '"2026-01-31T12:00:00-05"',
        '"2026-01-31T12:00:00+19:00"',
    ),
]
FORMS = [
    *("iso8601", "seconds", "milliseconds", "nanoseconds", "yyyy-MM-dd", "yyyyMMdd'T'HHmmssSSSXX"),
    *("dd/MM/yyyy HH:mm:ss.S XXX", "yyyy-MM-dd'T'HH:mm:ssX", "yyyy''MM'o''c'dd ss Z"),
]
KINDS = ["boolean", "int", "long", "float", "double", "bytes", "string"]
LOGICAL = [
    *(("int", "date"), ("int", "time-millis"), ("long", "time-micros"), ("string", "uuid"), ("int", "no such type")),
    *(("long", f"{of}timestamp-{unit}") for of in ("", "local-") for unit in ("millis", "micros")),
]


def refuse_differences(format_: dict[str, Any], payloads: Sequence[bytes], **more: Any) -> int:
    """Returns how many of them are rows."""
    pipeline = pipeline_of(format_, **more)
    maker, reader = RowMaker(pipeline, STREAM, SHARD), RowReader(pipeline, STREAM, SHARD, no_registry)
    rows = 0
    for record in records_of(*payloads):
        engine, found = engines(maker, record), readers(reader, record)
        assert agree(engine, found), (format_, record.Data, engine, found)
        rows += isinstance(engine, list)
    return rows


@pytest.mark.parametrize(
    "options",
    [
        {"columns": ["A", "B"]},
        {"header": True},
        {"header": True, "columns": ["x", "y"]},
        {"columns": ["A", "B"], "delimiter": ";", "quote": "'"},
        {"columns": ["A", "B"], "delimiter": "\t", "quote": None},
        {"columns": ["A", "B"], "delimiter": " "},
    ],
    ids=str,
)
def test_lines_of_any_csv(options: dict[str, Any]) -> None:
    chance = random.Random(7)
    alphabet = [*LINES, *[options.get("delimiter", ",")] * 3]
    payloads = ["".join(chance.choices(alphabet, k=chance.randrange(14))).encode() for _ in range(400)]
    assert refuse_differences({"type": "csv", **options}, payloads, empty_records="ingest")


@pytest.mark.parametrize("read", FORMS)
def test_times_of_any_form(read: str) -> None:
    payloads = [b'{"t":%b}' % each.encode() for each in TIMES]
    for write in FORMS:
        transform = {"type": "timestamp", "fields": ["t"], "read": read, "write": write, "offset": "+01:30"}
        assert refuse_differences({"type": "json"}, payloads, transforms=[transform])


class Schemas:
    """At random."""

    def __init__(self, chance: random.Random) -> None:
        self._chance, self._names = chance, list[str]()
        self._number = 0

    def record(self, depth: int = 0, namespace: str = "") -> dict[str, Any]:
        schema, namespace = self._named("record", namespace)
        inside = [self.any(depth + 1, namespace) for _ in range(self._chance.randrange(1, 5))]
        fields = [{"name": f"f{place}", "type": each, "doc": "d"} for place, each in enumerate(inside)]
        self._names += [f"{namespace}.{schema['name']}".lstrip(".")] if depth and "." not in schema["name"] else []
        return {**schema, "fields": fields, "aliases": ["Old"]}

    def any(self, depth: int, namespace: str) -> Any:
        if depth > 3 or self._chance.random() < 0.3:
            return self._chance.choice(["null", *KINDS])
        match self._chance.choice(["logical", "decimal", "fixed", "enum", "array", "map", "union", "name", "record"]):
            case "logical":
                made: Any = dict(zip(("type", "logicalType"), self._chance.choice(LOGICAL), strict=True))
            case "decimal":
                made = {
                    "type": "bytes",
                    "logicalType": "decimal",
                    "precision": 60,
                    "scale": self._chance.choice([0, 2]),
                }
            case "fixed":
                made = {**self._named("fixed", namespace)[0], "size": 8, "logicalType": "decimal", "precision": 9}
            case "enum":
                made = {**self._named("enum", namespace)[0], "symbols": ["A", "B", "C"]}
            case "array":
                made = {"type": "array", "items": ["null", self._chance.choice(KINDS)]}
            case "map":
                made = {"type": "map", "values": self.any(depth + 1, namespace)}
            case "union":
                made = self._chance.sample(KINDS, 3)
            case "name" if known := [name for name in self._names if "." in name or not namespace]:
                made = self._chance.choice(known)
            case _:
                made = self.record(depth + 1, namespace)
        return made

    def _named(self, kind: str, namespace: str) -> tuple[dict[str, Any], str]:
        """And the namespace of what is inside of it."""
        self._number += 1
        name = f"T{self._number}"
        match self._chance.randrange(4):
            case 0:
                return {"type": kind, "name": name, "namespace": "a.b"}, "a.b"
            case 1:
                return {"type": kind, "name": f"q.w.{name}"}, "q.w"
        return {"type": kind, "name": name}, namespace


@pytest.mark.parametrize("seed", range(8))
def test_objects_of_any_avro_schema(seed: int) -> None:
    random.seed(seed)  # fastavro's values
    rows = 0
    for _ in range(12):
        schema = Schemas(random.Random(random.random())).record()
        text, parsed = json.dumps(schema), parse_schema(json.loads(json.dumps(schema)))
        canonical = bytes.fromhex(fingerprint(to_parsing_canonical_form(json.loads(text)), "CRC-64-AVRO"))
        assert RecordSchema(text).fingerprint == canonical, text
        values = [generate_one(parsed) for _ in range(3)]
        container, alone = io.BytesIO(), io.BytesIO()
        writer(container, parsed, values, codec=random.choice(["null", "deflate"]))
        schemaless_writer(alone, parsed, values[0])
        rows += refuse_differences({"type": "avro"}, [container.getvalue()])
        of_schema = {"type": "avro", "avro_schema": text}
        rows += refuse_differences({**of_schema, "framing": "none"}, [alone.getvalue(), alone.getvalue()[:-1]])
        marked = b"\xc3\x01" + canonical + alone.getvalue()
        rows += refuse_differences({**of_schema, "framing": "single_object"}, [marked, marked[1:]])
    assert rows > 20


@pytest.mark.parametrize("levels", [400, 510, 2000])
def test_objects_of_any_depth(levels: int) -> None:
    """The engine takes 512 levels; Python's own recursion ends before."""
    payload = b'{"a":' + b"[" * levels + b"]" * levels + b"}"
    transforms = [{"type": "insert", "field": "b", "value": 1}]
    rows = refuse_differences({"type": "json"}, [payload], transforms=transforms)
    assert rows + refuse_differences({"type": "json_lines"}, [payload]) == (2 if levels < 512 else 0)
