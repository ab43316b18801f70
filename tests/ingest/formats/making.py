"""Records of a format made to rows, as a shard does."""

import json
from typing import Any

from firnline_ingest.config.document import parse
from firnline_ingest.config.format import SchemasOf, no_registry
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rejection import RejectedRecord
from firnline_ingest.records.rows import RowMaker, Rows

METADATA = "KINESISMETADATA"


def maker(format_: dict[str, Any], schemas: SchemasOf = no_registry, **more: Any) -> RowMaker:
    document = {"stream": "s", "database": "D", "schema": "R", "format": format_, **more}
    return RowMaker(parse(PipelineConfig, document, "engine.json"), "s", "shardId-000000000000", schemas)


def convert(format_: dict[str, Any], *payloads: bytes, **more: Any) -> Rows:
    return maker(format_, **more).convert([Record(str(100 + n), data, "key", 1.5) for n, data in enumerate(payloads)])


def values(made: Rows) -> list[dict[str, Any]]:
    """Without their metadata."""
    rows = [json.loads(bytes(row)) for row in made.rows]
    return [{key: value for key, value in row.items() if key != METADATA} for row in rows]


def rejected(format_: dict[str, Any], payload: bytes, **more: Any) -> RejectedRecord:
    """Returns what the record is refused for."""
    made = convert(format_, payload, **more)
    assert list(made.rows) == []
    (one,) = made.rejected
    return one
