"""Formats of a story's records: each with a good row, one that the table refuses, and what can't be a row."""

import gzip
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fastavro import parse_schema, writer

from tests.chaos.records import Fate, payload

THEME = "formats"
SCHEMA = parse_schema(
    {
        "type": "record",
        "name": "event",
        "fields": [{"name": name, "type": ["null", "string"]} for name in ("n", "side", "text")],
    }
)
BROKEN = b"\xff\xfe nothing of this format"

Write = Callable[[Sequence[Fate], int, str, int], bytes]
"""Rows' fates, the record's number, the value of its route (empty for none), and bytes of ballast a row."""


@dataclass(frozen=True)
class RecordFormat:
    """`key` is what routes look at; None where no row has one."""

    options: dict[str, Any]
    write: Write
    has_several_rows: bool
    key: str | None = "side"

    @property
    def is_json(self) -> bool:
        return str(self.options["type"]).startswith("json")


def _number(fate: Fate, number: int) -> str:
    return f"not a number: {number}" if fate is Fate.ERROR_ROW else str(number)


def _json(fates: Sequence[Fate], number: int, route: str, size: int) -> bytes:
    """A line a row."""
    lines = [payload(fate, number, **({"side": route} if route else {})) for fate in fates]
    return b"\n".join(_padded(line, size) for line in lines)


def _padded(data: bytes, size: int) -> bytes:
    if not size or not data.startswith(b"{"):
        return data
    return json.dumps({**json.loads(data), "text": "x" * size}).encode()


def _csv(fates: Sequence[Fate], number: int, route: str, size: int) -> bytes:
    """A line with a field too many is none."""
    more = {Fate.DEAD_LETTER: ",too many"}
    return "\r\n".join(f"{_number(fate, number)},{route},{'x' * size}{more.get(fate, '')}" for fate in fates).encode()


def _text(fates: Sequence[Fate], number: int, _: str, size: int) -> bytes:
    return BROKEN if Fate.DEAD_LETTER in fates else (_number(fates[0], number) + "x" * size).encode()


def _logs(fates: Sequence[Fate], number: int, route: str, size: int) -> bytes:
    if Fate.DEAD_LETTER in fates:
        return BROKEN
    events = [
        {"id": str(at), "timestamp": number, "message": _number(fate, number) + "x" * size}
        for at, fate in enumerate(fates)
    ]
    source = {"owner": "1", "logGroup": route or "own", "logStream": "s", "subscriptionFilters": ["f"]}
    return gzip.compress(
        json.dumps({"messageType": "DATA_MESSAGE", **source, "logEvents": events}).encode(), 1, mtime=0
    )


def _avro(fates: Sequence[Fate], number: int, route: str, size: int) -> bytes:
    if Fate.DEAD_LETTER in fates:
        return BROKEN
    content = io.BytesIO()
    rows = [{"n": _number(fate, number), "side": route or None, "text": "x" * size} for fate in fates]
    writer(content, SCHEMA, rows, sync_marker=bytes(16))
    return content.getvalue()


JSON = RecordFormat({"type": "json"}, _json, has_several_rows=False)
JSON_LINES = RecordFormat({"type": "json_lines"}, _json, has_several_rows=True)
FORMATS = (
    JSON,
    JSON_LINES,
    RecordFormat({"type": "csv", "columns": ["n", "side", "text"]}, _csv, has_several_rows=True, key="SIDE"),
    RecordFormat({"type": "text"}, _text, has_several_rows=False, key=None),
    RecordFormat({"type": "cloudwatch_logs"}, _logs, has_several_rows=True, key="logGroup"),
    RecordFormat({"type": "avro"}, _avro, has_several_rows=True),
)
