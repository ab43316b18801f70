"""Streams and what reads them."""

from collections.abc import Iterator

from firnline_infra.specification.model import EnvironmentSpec
from firnline_ingest.errors import did_you_mean

MINUTES_UNTIL_AN_ALARM = 15  # three periods of five


def _streams_are_distinct(spec: EnvironmentSpec) -> Iterator[str]:
    seen: set[str] = set()
    for index, stream in enumerate(spec.streams):
        if stream.name in seen:
            yield f"streams[{index}].name: {stream.name!r} is already the name of another stream."
        seen.add(stream.name)


def _pipelines_name_streams(spec: EnvironmentSpec) -> Iterator[str]:
    names = [stream.name for stream in spec.streams]
    for index, pipeline in enumerate(spec.pipelines):
        if pipeline.stream not in names:
            hint = did_you_mean(pipeline.stream, names)
            yield f"pipelines[{index}].stream: {pipeline.stream!r} is not among the streams; {hint}"


def _a_stream_has_one_pipeline(spec: EnvironmentSpec) -> Iterator[str]:
    first: dict[str, int] = {}
    for index, pipeline in enumerate(spec.pipelines):
        if (other := first.setdefault(pipeline.stream, index)) != index:
            yield f"pipelines[{index}].stream: {pipeline.stream!r} is already read by pipelines[{other}]."


def _the_lag_alarm_comes_before_the_loss(spec: EnvironmentSpec) -> Iterator[str]:
    shortest = min((stream.retention_hours for stream in spec.streams), default=0) * 60
    if spec.alarms.topics and spec.alarms.lag_minutes + MINUTES_UNTIL_AN_ALARM >= shortest:
        yield (
            f"alarms.lag_minutes: {spec.alarms.lag_minutes} wakes somebody when the first records are gone: a stream keeps "
            f"them for {shortest} minutes, and an alarm takes {MINUTES_UNTIL_AN_ALARM}. Expected less than "
            f"{shortest - MINUTES_UNTIL_AN_ALARM}."
        )


CHECKS = (
    _streams_are_distinct,
    _pipelines_name_streams,
    _a_stream_has_one_pipeline,
    _the_lag_alarm_comes_before_the_loss,
)
