"""Records through a pipeline's transforms, as a shard makes rows of them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from firnline_ingest.config.document import parse
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rows import RowMaker, Rows

Declared = Mapping[str, Any]
NO_METADATA = {"form": "none"}


def pipeline(*transforms: Declared, **more: Any) -> PipelineConfig:
    document = {"stream": "orders", "database": "DB", "schema": "RAW", "transforms": list(transforms), **more}
    return parse(PipelineConfig, document, "engine.json")


def made(payloads: Sequence[bytes], *transforms: Declared, **more: Any) -> Rows:
    maker = RowMaker(pipeline(*transforms, **more), "orders", "shardId-000000000000")
    return maker.convert([Record(str(100 + n), data, f"key-{n}", 1.5) for n, data in enumerate(payloads)])


def row(payload: bytes, *transforms: Declared, **more: Any) -> str:
    """The row without its metadata, as it is sent; the rejection's detail where there is none."""
    result = made([payload], *transforms, metadata=NO_METADATA, **more)
    if result.rejected:
        return f"{result.rejected[0].reason}: {result.rejected[0].detail}"
    return "\n".join(bytes(each).decode() for each in result.rows)


def values(rows: Rows) -> list[Any]:
    return [json.loads(bytes(each)) for each in rows.rows]
