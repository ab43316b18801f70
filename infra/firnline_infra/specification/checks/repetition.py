"""A list that is a set holds each value once: AWS and Snowflake drop the second, and every preview would show it."""

from collections.abc import Iterator, Sequence

from firnline_infra.specification.model import EnvironmentSpec

MOST_TOPICS = 5  # CloudWatch, PutMetricAlarm


def _nothing_is_given_twice(spec: EnvironmentSpec) -> Iterator[str]:
    for path, values in _sets(spec):
        for index, value in enumerate(values):
            if value in values[:index]:
                yield f"{path}[{index}]: {value} is given twice."


def _sets(spec: EnvironmentSpec) -> Iterator[tuple[str, Sequence[str]]]:
    for index, stream in enumerate(spec.streams):
        yield f"streams[{index}].shard_metrics", [metric.value for metric in stream.shard_metrics]
        yield f"streams[{index}].consumers", stream.consumers
    for index, pipeline in enumerate(spec.pipelines):
        yield f"pipelines[{index}].cluster_by", pipeline.cluster_by
    yield "snowflake.allowed_networks", spec.snowflake.allowed_networks
    yield "snowflake.reader.granted_to", spec.snowflake.reader.granted_to
    yield "alarms.topics", spec.alarms.topics


def _an_alarm_tells_a_few(spec: EnvironmentSpec) -> Iterator[str]:
    if len(spec.alarms.topics) > MOST_TOPICS:
        yield f"alarms.topics: {len(spec.alarms.topics)} are given; an alarm tells {MOST_TOPICS} topics."


CHECKS = (_nothing_is_given_twice, _an_alarm_tells_a_few)
