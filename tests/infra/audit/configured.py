"""A pipeline that is audited, and an engine's configuration around it."""

from typing import Any

from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig, PipelineConfig

CONFIG: dict[str, Any] = {
    "version": 1,
    "application": "app",
    "aws": {"region": "eu-west-1"},
    "ledger": {"table": "ledger"},
    "snowflake": {"account": "A", "user": "U", "role": "R", "private_key": {"env": "KEY"}},
    "spark": {"checkpoint": "/checkpoint"},
    "dead_letters": {"folder": "letters"},
}


def pipeline(**changes: Any) -> PipelineConfig:
    document = {"stream": "orders", "database": "DB", "schema": "RAW", **changes}
    return parse(PipelineConfig, document, "engine.json")


def config_of(*pipelines: PipelineConfig, **changes: Any) -> EngineConfig:
    written = [each.model_dump(by_alias=True, mode="json") for each in pipelines]
    return EngineConfig.model_validate({**CONFIG, "pipelines": written, **changes})
