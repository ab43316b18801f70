"""Streams: create, describe, list and delete them, change how they keep their records, and how many there may be.

What the service does in a while is done here at once; how long a stream is CREATING or UPDATING is the account's.
"""

from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from firnline_local.kinesis.errors import in_use, invalid_argument, limit_exceeded
from firnline_local.kinesis.operations.request import ApiRequest, Count, Name, StreamRequest, changing
from firnline_local.kinesis.stream import CREATING, ON_DEMAND, PROVISIONED, KinesisAccount, Stream, StreamSettings

ON_DEMAND_SHARDS = 4  # of a new stream
DAY_MS, MODE_CHANGES_A_DAY = 24 * 3_600_000, 2

MIN_HOURS, MAX_HOURS = 24, 8760
METRICS = (
    "IncomingBytes",
    "IncomingRecords",
    "IteratorAgeMilliseconds",
    "OutgoingBytes",
    "OutgoingRecords",
    "ReadProvisionedThroughputExceeded",
    "WriteProvisionedThroughputExceeded",
)
ALL = "ALL"  # stands for every metric, as in the service
SHARD_LIMIT, ON_DEMAND_LIMIT = 20_000, 50
"""The default quotas of the largest regions (developer guide, "Quotas and limits"): listed, and nothing is refused by them."""


class StreamMode(ApiRequest):
    stream_mode: str


class CreateStream(ApiRequest):
    stream_name: Name
    shard_count: Count | None = None
    stream_mode_details: StreamMode | None = None
    tags: dict[str, str] = msgspec.field(default_factory=dict)
    max_record_size_in_kib: Annotated[int, Meta(ge=1024, le=10240)] = 1024


class DescribeStream(StreamRequest, kw_only=True):
    limit: Annotated[int, Meta(ge=1, le=10000)] = 100
    exclusive_start_shard_id: str = ""


class ListStreams(ApiRequest):
    limit: Annotated[int, Meta(ge=1, le=10000)] = 100
    exclusive_start_stream_name: str = ""
    next_token: str = ""


class DeleteStream(StreamRequest, kw_only=True):
    enforce_consumer_deletion: bool = False


def create_stream(account: KinesisAccount, request: CreateStream) -> None:
    mode = checked_mode(request.stream_mode_details)
    if mode == PROVISIONED and request.shard_count is None:
        raise invalid_argument("A provisioned stream needs a ShardCount.")
    if mode == ON_DEMAND and request.shard_count is not None:
        raise invalid_argument("An on-demand stream takes no ShardCount.")
    settings = StreamSettings(mode=mode, max_record_kib=request.max_record_size_in_kib, tags=dict(request.tags))
    stream = account.create(request.stream_name, shards=request.shard_count or ON_DEMAND_SHARDS, settings=settings)
    stream.active_ms = account.now_ms() + round(account.creating_s * 1000)


def delete_stream(account: KinesisAccount, request: DeleteStream) -> None:
    stream = request.stream(account)
    if stream.consumers and not request.enforce_consumer_deletion:
        raise in_use(f"Stream {stream.name} has {len(stream.consumers)} consumers: deregister them, or enforce it.")
    del account.streams[stream.name]


def describe_stream(account: KinesisAccount, request: DescribeStream) -> dict[str, Any]:
    stream = request.stream(account)
    made = () if stream.status(account.now_ms()) == CREATING else stream.shards.values()
    shards = [shard for shard in made if shard.id > request.exclusive_start_shard_id]
    page = shards[: min(request.limit, 100)]
    more = {"Shards": [shard.as_json() for shard in page], "HasMoreShards": len(page) < len(shards)}
    return {"StreamDescription": {**_described(stream, account), **more}}


def describe_stream_summary(account: KinesisAccount, request: StreamRequest) -> dict[str, Any]:
    account.meter(account.summaries, "DescribeStreamSummary")
    stream = request.stream(account)
    summary = {
        "OpenShardCount": 0 if stream.status(account.now_ms()) == CREATING else len(stream.open_shards),
        "ConsumerCount": len(stream.consumers),
        "MaxRecordSizeInKiB": stream.settings.max_record_kib,
        **_distribution(stream),
    }
    return {"StreamDescriptionSummary": {**_described(stream, account), **summary}}


def _distribution(stream: Stream) -> dict[str, str]:
    """Returns what a stream that ignores partition keys says; of others the service says that they go by them, and nothing
    is said here, because the models of older botocores have no such field."""
    is_auto = stream.settings.mode == ON_DEMAND and stream.settings.distribution != StreamSettings().distribution
    return {"RecordDistributionStrategy": stream.settings.distribution} if is_auto else {}


def list_streams(account: KinesisAccount, request: ListStreams) -> dict[str, Any]:
    """A NextToken is the name of the last stream that was shown."""
    after = request.next_token or request.exclusive_start_stream_name
    streams = [account.streams[name] for name in sorted(account.streams) if name > after]
    page = streams[: min(request.limit, 100)]
    has_more = len(page) < len(streams)
    return {
        "StreamNames": [stream.name for stream in page],
        "StreamSummaries": [_summarised(stream, account) for stream in page],
        "HasMoreStreams": has_more,
        **({"NextToken": page[-1].name} if has_more else {}),
    }


def checked_mode(details: StreamMode | None) -> str:
    mode = details.stream_mode if details else PROVISIONED
    if mode not in {PROVISIONED, ON_DEMAND}:
        raise invalid_argument(f"StreamMode {mode} is neither {PROVISIONED} nor {ON_DEMAND}.")
    return mode


def _summarised(stream: Stream, account: KinesisAccount) -> dict[str, Any]:
    return {
        "StreamName": stream.name,
        "StreamARN": stream.arn,
        "StreamStatus": stream.status(account.now_ms()),
        "StreamModeDetails": {"StreamMode": stream.settings.mode},
        "StreamCreationTimestamp": stream.created_ms / 1000,
    }


def _described(stream: Stream, account: KinesisAccount) -> dict[str, Any]:
    key_id = stream.settings.key_id
    return {
        **_summarised(stream, account),
        "RetentionPeriodHours": stream.settings.retention_hours,
        "EnhancedMonitoring": [{"ShardLevelMetrics": stream.settings.shard_metrics}],
        "EncryptionType": "KMS" if key_id else "NONE",
        **({"KeyId": key_id} if key_id else {}),
    }


class RetentionPeriod(StreamRequest, kw_only=True):
    retention_period_hours: int


class UpdateStreamMode(StreamRequest, kw_only=True):
    stream_mode_details: StreamMode


class UpdateMaxRecordSize(StreamRequest, kw_only=True):
    max_record_size_in_kib: Annotated[int, Meta(ge=1024, le=10240)]


class UpdateDistribution(StreamRequest, kw_only=True):
    record_distribution_strategy: Literal["AUTO", "USER_PARTITION_KEY"]


class StreamEncryption(StreamRequest, kw_only=True):
    encryption_type: str
    key_id: Annotated[str, Meta(min_length=1, max_length=2048)]


def increase_retention(account: KinesisAccount, request: RetentionPeriod) -> None:
    stream = request.stream(account)
    hours = _checked_hours(request)
    if hours < stream.settings.retention_hours:
        raise invalid_argument(f"{hours} hours are fewer than the {stream.settings.retention_hours} of {stream.name}.")
    stream.keep_for(hours, account.now_ms())


def decrease_retention(account: KinesisAccount, request: RetentionPeriod) -> None:
    """Drops what is older at once."""
    stream = request.stream(account)
    hours = _checked_hours(request)
    if hours > stream.settings.retention_hours:
        raise invalid_argument(f"{hours} hours are more than the {stream.settings.retention_hours} of {stream.name}.")
    stream.keep_for(hours, account.now_ms())


def update_stream_mode(account: KinesisAccount, request: UpdateStreamMode) -> None:
    """Shards stay as they are. Twice in 24 hours, as the API's reference says."""
    settings, now_ms = request.stream(account).settings, account.now_ms()
    mode = checked_mode(request.stream_mode_details)
    if mode == settings.mode:
        return
    lately = [at_ms for at_ms in settings.mode_changed_ms if now_ms - at_ms < DAY_MS]
    if len(lately) >= MODE_CHANGES_A_DAY:
        raise limit_exceeded("The mode of a stream can be changed twice within 24 hours.")
    settings.mode, settings.mode_changed_ms = mode, [*lately, now_ms]


def update_max_record_size(account: KinesisAccount, request: UpdateMaxRecordSize) -> None:
    request.stream(account).settings.max_record_kib = request.max_record_size_in_kib


def update_distribution(account: KinesisAccount, request: UpdateDistribution) -> None:
    settings = request.stream(account).settings
    if settings.mode != ON_DEMAND and request.record_distribution_strategy == "AUTO":
        raise invalid_argument("A provisioned stream distributes its records by their partition keys.")
    settings.distribution = request.record_distribution_strategy


def start_encryption(account: KinesisAccount, request: StreamEncryption) -> None:
    """Records the setting; records that are put from then on say that they are encrypted."""
    if request.encryption_type != "KMS":
        raise invalid_argument("EncryptionType has to be KMS.")
    request.stream(account).settings.key_id = request.key_id


def stop_encryption(account: KinesisAccount, request: StreamEncryption) -> None:
    request.stream(account).settings.key_id = None


def _checked_hours(request: RetentionPeriod) -> int:
    hours = request.retention_period_hours
    if not MIN_HOURS <= hours <= MAX_HOURS:
        raise invalid_argument(f"RetentionPeriodHours {hours} is not between {MIN_HOURS} and {MAX_HOURS}.")
    return hours


class EnhancedMonitoring(StreamRequest, kw_only=True):
    shard_level_metrics: Annotated[list[str], Meta(min_length=1, max_length=7)]

    @property
    def metrics(self) -> set[str]:
        if unknown := set(self.shard_level_metrics) - {*METRICS, ALL}:
            raise invalid_argument(f"There is no shard-level metric {', '.join(sorted(unknown))}.")
        return set(METRICS) if ALL in self.shard_level_metrics else set(self.shard_level_metrics)


def enable_monitoring(account: KinesisAccount, request: EnhancedMonitoring) -> dict[str, Any]:
    return _set_metrics(account, request, lambda had, named: had | named)


def disable_monitoring(account: KinesisAccount, request: EnhancedMonitoring) -> dict[str, Any]:
    return _set_metrics(account, request, lambda had, named: had - named)


def _set_metrics(
    account: KinesisAccount, request: EnhancedMonitoring, combined: Callable[[set[str], set[str]], set[str]]
) -> dict[str, Any]:
    stream = request.stream(account)
    before = stream.settings.shard_metrics
    stream.settings.shard_metrics = sorted(combined(set(before), request.metrics))
    return {
        "StreamName": stream.name,
        "StreamARN": stream.arn,
        "CurrentShardLevelMetrics": before,
        "DesiredShardLevelMetrics": stream.settings.shard_metrics,
    }


def describe_limits(account: KinesisAccount, _request: ApiRequest) -> dict[str, Any]:
    streams = account.streams.values()
    return {
        "ShardLimit": SHARD_LIMIT,
        "OpenShardCount": sum(len(each.open_shards) for each in streams if each.settings.mode != ON_DEMAND),
        "OnDemandStreamCount": sum(each.settings.mode == ON_DEMAND for each in streams),
        "OnDemandStreamCountLimit": ON_DEMAND_LIMIT,
    }


OPERATIONS = {
    "CreateStream": (CreateStream, create_stream),
    "DecreaseStreamRetentionPeriod": (RetentionPeriod, changing(decrease_retention)),
    "DeleteStream": (DeleteStream, delete_stream),
    "DescribeLimits": (ApiRequest, describe_limits),
    "DescribeStream": (DescribeStream, describe_stream),
    "DescribeStreamSummary": (StreamRequest, describe_stream_summary),
    "DisableEnhancedMonitoring": (EnhancedMonitoring, changing(disable_monitoring)),
    "EnableEnhancedMonitoring": (EnhancedMonitoring, changing(enable_monitoring)),
    "IncreaseStreamRetentionPeriod": (RetentionPeriod, changing(increase_retention)),
    "ListStreams": (ListStreams, list_streams),
    "StartStreamEncryption": (StreamEncryption, changing(start_encryption)),
    "StopStreamEncryption": (StreamEncryption, changing(stop_encryption)),
    "UpdateMaxRecordSize": (UpdateMaxRecordSize, changing(update_max_record_size)),
    "UpdateStreamMode": (UpdateStreamMode, changing(update_stream_mode)),
    "UpdateStreamRecordDistributionStrategy": (UpdateDistribution, changing(update_distribution)),
}
