"""json, json_lines, text, bytes, csv and cloudwatch_logs: what their specifications say that a record holds."""

import base64
import re
from collections.abc import Iterator, Sequence

from firnline_infra.audit.readers.json_model import (
    Json,
    NotIngested,
    Number,
    Unreadable,
    parsed,
    parsed_values,
    refuse_no_text,
    text_of,
)
from firnline_infra.audit.readers.packing import gunzipped, unframed
from firnline_ingest.formats.bytes import BytesEncoding, BytesFormat
from firnline_ingest.formats.csv import CsvFormat
from firnline_ingest.formats.json import JsonFormat
from firnline_ingest.formats.text import TextFormat
from firnline_ingest.identifiers import stored_name

EMPTY = Unreadable("empty")
TEXTS = {"owner", "logGroup", "logStream"}
"""Fields of an envelope that are texts, or null."""


def json_rows(of: JsonFormat, data: bytes) -> list[Json]:
    content = text_of(unframed(of.framing, data)[1])
    if not content.strip(" \t\r\n"):
        raise EMPTY
    if not of.several_objects:
        return [parsed(content)]
    found: list[Json] = []
    for value in parsed_values(content):
        found += value if isinstance(value, list) else [value]
    if not found:
        raise EMPTY
    return found


def json_lines_rows(data: bytes) -> list[Json]:
    lines = [line for line in data.split(b"\n") if line.strip()]
    if not lines:
        raise EMPTY
    return [parsed(text_of(line)) for line in lines]


def text_rows(of: TextFormat, data: bytes) -> list[Json]:
    return [{stored_name(of.column): text_of(data)}]


def bytes_rows(of: BytesFormat, data: bytes) -> list[Json]:
    is_base64 = of.encoding is BytesEncoding.BASE64
    return [{stored_name(of.column): (base64.b64encode(data) if is_base64 else data.hex().encode()).decode()}]


def csv_rows(of: CsvFormat, data: bytes) -> list[Json]:
    """RFC 4180, and: any of CR, LF and CRLF ends a line; a line with nothing in it is none; a quote inside a field that does not
    begin with one is a character like any other.
    """
    lines: list[Sequence[str]] = [
        fields for fields in _csv_lines(text_of(data).removeprefix("\ufeff"), of.delimiter, of.quote) if fields
    ]
    names: Sequence[str] = [stored_name(name) for name in of.columns]
    if of.header:
        names, lines = names or (lines[0] if lines else []), lines[1:]
    if not lines:
        raise EMPTY
    if any(len(fields) != len(names) for fields in lines):
        raise Unreadable("malformed", f"a line has another number of fields than {len(names)}")
    return [dict(zip(names, [field or None for field in fields], strict=True)) for fields in lines]


def _csv_lines(text: str, delimiter: str, quote: str | None) -> Iterator[Sequence[str]]:
    """A line without any character has no field at all."""
    plain = re.compile(rf"[^{re.escape(delimiter)}\r\n]*")
    fields: list[str] = []
    at, end = 0, len(text)
    while at < end:
        if text[at] in "\r\n":
            yield fields
            fields, at = [], at + 1
            continue
        if text[at] == quote:
            field, at = _quoted(text, at, quote)
        else:
            found = plain.match(text, at)
            field, at = (found[0], found.end()) if found else ("", at)
        fields.append(field)
        if at < end and text[at] == delimiter:
            at += 1
            if at == end or text[at] in "\r\n":
                fields.append("")
        elif at < end and text[at] not in "\r\n":
            raise Unreadable("malformed", "something stands behind a closing quote")
    yield fields


def _quoted(text: str, at: int, quote: str) -> tuple[str, int]:
    """The field that begins there, and where it ends."""
    pieces: list[str] = []
    while True:
        close = text.find(quote, at + 1)
        if close < 0:
            raise Unreadable("malformed", "a quote is not closed")
        pieces.append(text[at + 1 : close])
        if text[close + 1 : close + 2] != quote:
            return quote.join(pieces), close + 1
        at = close + 1


def cloudwatch_logs_rows(data: bytes) -> list[Json]:
    """CloudWatch Logs user guide, "Log group-level subscription filters"."""
    envelope = _object(parsed(gunzipped(data).decode(errors="surrogateescape"), is_text=False))
    kind = envelope.get("messageType")
    if kind == "CONTROL_MESSAGE" and _is_envelope(envelope):
        raise NotIngested("control_messages")
    if kind != "DATA_MESSAGE" or not envelope.get("logEvents") or not _is_envelope(envelope):
        raise Unreadable("malformed", "it is not an envelope of log events")
    defaults: dict[str, Json] = {"owner": None, "logGroup": None, "logStream": None, "subscriptionFilters": []}
    own = ("messageType", "logEvents")
    source = defaults | {key: value for key, value in envelope.items() if key not in own}
    rows = [source | event for event in envelope["logEvents"]]
    refuse_no_text(rows)
    return rows


def _is_envelope(envelope: dict[str, Json]) -> bool:
    filters, events = envelope.get("subscriptionFilters", []), envelope.get("logEvents", [])
    return (
        all(isinstance(envelope.get(key), str | None) for key in TEXTS)
        and isinstance(filters, list)
        and all(isinstance(each, str) for each in filters)
        and isinstance(events, list)
        and all(map(_is_event, events))
    )


def _is_event(event: Json) -> bool:
    if not isinstance(event, dict) or not (isinstance(event.get("id"), str) and isinstance(event.get("message"), str)):
        return False
    timestamp, extracted = event.get("timestamp"), event.get("extractedFields", {})
    is_whole = isinstance(timestamp, Number) and timestamp.text.lstrip("-").isdecimal()
    return is_whole and isinstance(extracted, dict) and all(isinstance(each, str | None) for each in extracted.values())


def _object(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise Unreadable("malformed", "it is not an object")
    return value
