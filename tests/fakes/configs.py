"""The smallest document of an engine, and what one test says in another way."""

from typing import Any

from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.values import TargetTable

SNOWFLAKE: dict[str, Any] = {"account": "A", "user": "U", "role": "R", "private_key": {"env": "KEY"}}
TARGET = TargetTable("DB", "RAW", "EVENTS", "2026-01-01T00:00:00.000+00:00", "EVENTS-STREAMING")
"""The table of the pipeline that `pipeline` makes."""


def reading(stream: str = "events", **changes: Any) -> dict[str, Any]:
    """A pipeline as a document has it."""
    return {"stream": stream, "database": "DB", "schema": "RAW", **changes}


def matching(streams: str, **changes: Any) -> dict[str, Any]:
    """A pattern of streams as a document has it."""
    return {"streams": streams, "database": "DB", "schema": "RAW", **changes}


DOCUMENT: dict[str, Any] = {
    "version": 1,
    "application": "app",
    "aws": {"region": "us-east-1"},
    "ledger": {"table": "ledger"},
    "snowflake": SNOWFLAKE,
    "pipelines": [reading()],
    "dead_letters": {"folder": "/letters"},
    "spark": {"checkpoint": "/checkpoint"},
}


def config(**changes: Any) -> EngineConfig:
    return EngineConfig.model_validate({**DOCUMENT, **changes}, strict=None)


def pipeline(**changes: Any) -> PipelineConfig:
    return PipelineConfig.model_validate(reading(**changes), strict=None)
