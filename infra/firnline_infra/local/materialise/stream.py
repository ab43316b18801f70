"""Kinesis data streams."""

from typing import Any

from firnline_infra.blueprint.stream import Stream
from firnline_infra.local.errors import NotMaterialised
from firnline_infra.local.materialise.clients import Clients


def make(stream: Stream, clients: Clients) -> None:
    """Retention follows the blueprint. Shards don't: a stream that was split since is still the one that was made."""
    if read(stream, clients) is None:
        clients.kinesis.create_stream(StreamName=stream.name, ShardCount=stream.shards, Tags=dict(stream.tags))
        clients.kinesis.get_waiter("stream_exists").wait(
            StreamName=stream.name, WaiterConfig={"Delay": 1, "MaxAttempts": 30}
        )
    _set_retention(stream, clients)
    found = read(stream, clients)
    if found is None or found["retention_hours"] != stream.retention_hours:
        raise NotMaterialised(kind=stream.kind, name=stream.name, wanted=stream, found=found)


def read(stream: Stream, clients: Clients) -> dict[str, Any] | None:
    try:
        answer = clients.kinesis.describe_stream_summary(StreamName=stream.name)
    except clients.kinesis.exceptions.ResourceNotFoundException:
        return None
    summary = answer["StreamDescriptionSummary"]
    tags = clients.kinesis.list_tags_for_stream(StreamName=stream.name)["Tags"]
    return {
        "shards": summary["OpenShardCount"],
        "retention_hours": summary["RetentionPeriodHours"],
        "tags": {tag["Key"]: tag.get("Value", "") for tag in tags},
    }


def remove(stream: Stream, clients: Clients) -> None:
    if read(stream, clients) is not None:
        clients.kinesis.delete_stream(StreamName=stream.name, EnforceConsumerDeletion=True)


def _set_retention(stream: Stream, clients: Clients) -> None:
    """The service has one operation for each direction, and refuses the wrong one."""
    found = read(stream, clients)
    hours = found["retention_hours"] if found else stream.retention_hours
    if hours < stream.retention_hours:
        clients.kinesis.increase_stream_retention_period(
            StreamName=stream.name, RetentionPeriodHours=stream.retention_hours
        )
    elif hours > stream.retention_hours:
        clients.kinesis.decrease_stream_retention_period(
            StreamName=stream.name, RetentionPeriodHours=stream.retention_hours
        )
