"""Making, describing, listing and deleting streams. What the service does in a while is done here at once."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from firnline_local.kinesis.account import Account
from firnline_local.kinesis.errors import in_use, invalid_argument
from firnline_local.kinesis.operations.request import Count, Name, Request, StreamRequest
from firnline_local.kinesis.stream import ON_DEMAND, PROVISIONED, Stream, StreamSettings

ON_DEMAND_SHARDS = 4  # of a new stream


class StreamMode(Request):
    stream_mode: str


class CreateStream(Request):
    stream_name: Name
    shard_count: Count | None = None
    stream_mode_details: StreamMode | None = None
    tags: dict[str, str] = msgspec.field(default_factory=dict)
    max_record_size_in_kib: Annotated[int, Meta(ge=1024, le=10240)] = 1024


class DescribeStream(StreamRequest, kw_only=True):
    limit: Annotated[int, Meta(ge=1, le=10000)] = 100
    exclusive_start_shard_id: str = ""


class ListStreams(Request):
    limit: Annotated[int, Meta(ge=1, le=10000)] = 100
    exclusive_start_stream_name: str = ""
    next_token: str = ""


class DeleteStream(StreamRequest, kw_only=True):
    enforce_consumer_deletion: bool = False


def create_stream(account: Account, request: CreateStream) -> None:
    mode = checked_mode(request.stream_mode_details)
    if mode == PROVISIONED and request.shard_count is None:
        raise invalid_argument("A provisioned stream needs a ShardCount.")
    if mode == ON_DEMAND and request.shard_count is not None:
        raise invalid_argument("An on-demand stream takes no ShardCount.")
    settings = StreamSettings(mode=mode, max_record_kib=request.max_record_size_in_kib, tags=dict(request.tags))
    account.create(request.stream_name, shards=request.shard_count or ON_DEMAND_SHARDS, settings=settings)


def delete_stream(account: Account, request: DeleteStream) -> None:
    stream = request.stream(account)
    if stream.consumers and not request.enforce_consumer_deletion:
        raise in_use(f"Stream {stream.name} has {len(stream.consumers)} consumers: deregister them, or enforce it.")
    del account.streams[stream.name]


def describe_stream(account: Account, request: DescribeStream) -> dict[str, Any]:
    stream = request.stream(account)
    shards = [shard for shard in stream.shards.values() if shard.id > request.exclusive_start_shard_id]
    page = shards[: min(request.limit, 100)]
    more = {"Shards": [shard.as_json() for shard in page], "HasMoreShards": len(page) < len(shards)}
    return {"StreamDescription": {**_described(stream), **more}}


def describe_stream_summary(account: Account, request: StreamRequest) -> dict[str, Any]:
    stream = request.stream(account)
    summary = {
        "OpenShardCount": len(stream.open_shards),
        "ConsumerCount": len(stream.consumers),
        "MaxRecordSizeInKiB": stream.settings.max_record_kib,
    }
    return {"StreamDescriptionSummary": {**_described(stream), **summary}}


def list_streams(account: Account, request: ListStreams) -> dict[str, Any]:
    """A NextToken is the name of the last stream that was shown."""
    after = request.next_token or request.exclusive_start_stream_name
    streams = [account.streams[name] for name in sorted(account.streams) if name > after]
    page = streams[: min(request.limit, 100)]
    has_more = len(page) < len(streams)
    return {
        "StreamNames": [stream.name for stream in page],
        "StreamSummaries": [_summarised(stream) for stream in page],
        "HasMoreStreams": has_more,
        **({"NextToken": page[-1].name} if has_more else {}),
    }


def checked_mode(details: StreamMode | None) -> str:
    mode = details.stream_mode if details else PROVISIONED
    if mode not in {PROVISIONED, ON_DEMAND}:
        raise invalid_argument(f"StreamMode {mode} is neither {PROVISIONED} nor {ON_DEMAND}.")
    return mode


def _summarised(stream: Stream) -> dict[str, Any]:
    return {
        "StreamName": stream.name,
        "StreamARN": stream.arn,
        "StreamStatus": "ACTIVE",
        "StreamModeDetails": {"StreamMode": stream.settings.mode},
        "StreamCreationTimestamp": stream.created_ms / 1000,
    }


def _described(stream: Stream) -> dict[str, Any]:
    key_id = stream.settings.key_id
    return {
        **_summarised(stream),
        "RetentionPeriodHours": stream.settings.retention_hours,
        "EnhancedMonitoring": [{"ShardLevelMetrics": stream.settings.shard_metrics}],
        "EncryptionType": "KMS" if key_id else "NONE",
        **({"KeyId": key_id} if key_id else {}),
    }


OPERATIONS = {
    "CreateStream": (CreateStream, create_stream),
    "DeleteStream": (DeleteStream, delete_stream),
    "DescribeStream": (DescribeStream, describe_stream),
    "DescribeStreamSummary": (StreamRequest, describe_stream_summary),
    "ListStreams": (ListStreams, list_streams),
}
