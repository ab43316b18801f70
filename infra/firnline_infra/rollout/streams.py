"""Streams that an engine reads: those that are named, and those that a pattern has found, as the ledger knows them.

One that a pattern will find and no plan has begun yet is nobody's to wait for.
"""

from collections.abc import Collection, Mapping
from typing import Protocol

from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.pipeline import Pipeline, others_of
from firnline_ingest.config.model import EngineConfig


class StreamNames(Protocol):
    def begun_streams(self) -> Collection[str]:
        """All that the application has ever begun."""


def pipelines_by_stream(spec: EnvironmentSpec, ledger: StreamNames) -> Mapping[str, Pipeline]:
    """The pipeline of each stream, in the order of the specification; what was found comes after what is named."""
    named = {pipeline.stream: pipeline for pipeline in spec.pipelines}
    if not any(pipeline.stream_pattern for pipeline in spec.pipelines):
        return named
    others = [stream for stream in sorted(ledger.begun_streams()) if stream not in named]
    return named | {stream: pipeline for pipeline in spec.pipelines for stream in others_of(pipeline, others)}


def streams_of_configuration(config: EngineConfig, ledger: StreamNames) -> list[str]:
    """The streams of a job's own configuration, which may name others than the specification does."""
    named = [pipeline.stream for pipeline in config.pipelines]
    if not config.patterns:
        return named
    others = [stream for stream in sorted(ledger.begun_streams()) if stream not in named]
    return named + [stream for stream in others if config.find_pipeline(stream) is not None]
