"""Streams that match the patterns of a configuration, as the service lists them.

ListStreams knows every stream of the account and region, and may be called five times a second by all of the account
together (Kinesis API reference): one listing serves all patterns.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from firnline_ingest.config.model import EngineConfig, PatternConfig, PipelineConfig
from firnline_ingest.config.patterns import that_match
from firnline_ingest.errors import Fatal, KinesisError, declared
from firnline_ingest.kinesis.aws_errors import answered, understood
from firnline_ingest.kinesis.errors import PageUnreadable
from firnline_ingest.kinesis.service_time import service_time_ms

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

EVERY_STREAM = "every stream of the account"
NOT_READABLE = ("CREATING", "DELETING")


@declared
class PatternsOverlap(KinesisError, Fatal):
    """One stream, and two patterns that both claim it: which table it belongs to is not said."""

    stream: str
    patterns: Sequence[PatternConfig]

    id = "FL-2341"
    message = (
        "The stream {stream!r} matches two patterns, {patterns[0].streams!r} and {patterns[1].streams!r}: it is not said into "
        "which table it goes, and nothing of it is read."
    )
    next_step = (
        "narrow one of them, put {stream} into its exclude, or give the stream a pipeline of its own, which goes before "
        "patterns."
    )
    causes = (
        "A stream's name matches two patterns, so its table is ambiguous. At the start the engine "
        "refuses to begin; a stream that appears later is left unread, and the others go on"
    )
    remedy = (
        "narrow a pattern, put the name into its `exclude`, or give the stream a pipeline of its own ([many "
        "streams](many-streams.md))"
    )


@declared
class NothingMatches(KinesisError, Fatal):
    """A pattern without a stream. A running engine says so and goes on looking; `validate` fails."""

    pattern: PatternConfig

    id = "FL-2342"
    message = "No stream of the account and region has a name that matches {pattern.streams!r} as a whole."
    next_step = (
        "check the pattern (it has to match the whole name), the region and aws.endpoints. A running engine looks again every "
        "list_streams_seconds, and reads such a stream from when it is there."
    )
    causes = (
        "No stream has a name that a pattern matches as a whole. A running engine says it (`pattern.empty`) every five "
        "minutes and goes on looking"
    )
    remedy = "the pattern, the region, the account"


@dataclass(frozen=True, slots=True)
class Matches:
    """The streams of a listing that patterns find, and those that more than one claims."""

    pipelines: Mapping[str, PipelineConfig] = field(default_factory=dict)
    overlaps: Mapping[str, PatternsOverlap] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ListedStreams:
    """Every stream of the account and region that can be read, or soon can."""

    names: frozenset[str]
    told_ms: int
    """The service's time, before the listing."""


def list_streams(client: "KinesisClient") -> ListedStreams:
    """Raises the errors of kinesis/errors.py, PageUnreadable where the service did not tell the time."""
    streams: list[str] = []
    page: dict[str, Any] = {}
    told_ms: int | None = None
    while True:
        call = partial(client.list_streams, **page)
        answer = answered(call, operation="ListStreams", stream=EVERY_STREAM, needs="StreamNames")
        told_ms = told_ms or service_time_ms(answer)
        if told_ms is None:
            raise PageUnreadable(EVERY_STREAM, "ListStreams", "it has no Date header")
        names = answer["StreamNames"]
        waiting = understood(partial(_waiting, answer), operation="ListStreams", stream=EVERY_STREAM)
        streams += [name for name in names if name not in waiting]
        if not answer.get("HasMoreStreams") or not names:
            return ListedStreams(frozenset(streams), told_ms)
        page = {"ExclusiveStartStreamName": names[-1]}


def _waiting(answer: Mapping[str, Any]) -> set[str]:
    """Streams that can't be read yet, or soon are no more."""
    summaries = answer.get("StreamSummaries", ())
    return {each["StreamName"] for each in summaries if each["StreamStatus"] in NOT_READABLE}


def matches(config: EngineConfig, streams: Iterable[str]) -> Matches:
    """A stream that a pipeline names is not a pattern's."""
    named = {pipeline.stream for pipeline in config.pipelines}
    pipelines: dict[str, PipelineConfig] = {}
    overlaps: dict[str, PatternsOverlap] = {}
    for stream in sorted(set(streams) - named):
        patterns = that_match(config.patterns, stream)
        if len(patterns) > 1:
            overlaps[stream] = PatternsOverlap(stream, patterns)
        elif patterns and (pipeline := patterns[0].pipeline_of(stream)):
            pipelines[stream] = pipeline
    return Matches(pipelines, overlaps)


def all_pipelines(config: EngineConfig, client: "KinesisClient") -> list[PipelineConfig]:
    """The named ones, and those that patterns make of the streams there are now.

    Raises PatternsOverlap for the first stream that two patterns claim, and the errors of kinesis/errors.py.
    """
    if not config.patterns:
        return config.pipelines
    found = matches(config, list_streams(client).names)
    for overlap in found.overlaps.values():
        raise overlap
    return [*config.pipelines, *found.pipelines.values()]


def resolved(config: EngineConfig, client: "KinesisClient") -> EngineConfig:
    """The configuration with a pipeline for each stream that a pattern matches now, and without patterns. Raises as
    `all_pipelines` does."""
    return config.model_copy(update={"pipelines": all_pipelines(config, client), "patterns": []})
