"""Streams and their consumers."""

from typing import Any

from firnline_local.providers.aws import streams
from firnline_local.providers.clients import Clients

from .case import Case, a_stream, fresh


def stream_inputs(_: Clients) -> dict[str, Any]:
    return {
        "name": fresh("stream"),
        "shardCount": 2,
        "retentionPeriod": 48,
        "encryptionType": "KMS",
        "kmsKeyId": "alias/a",
        "shardLevelMetrics": ["OutgoingBytes", "IncomingBytes"],
        "tags": {"a": "1"},
    }


def on_demand_stream_inputs(_: Clients) -> dict[str, Any]:
    return {"name": fresh("stream"), "streamModeDetails": {"streamMode": "ON_DEMAND"}, "maxRecordSizeInKib": 2048}


CASES = [
    Case(
        kind=streams.STREAM,
        inputs=stream_inputs,
        taken="ResourceInUseException",
        behind={
            "tags": lambda c, i: c.aws("kinesis").add_tags_to_stream(StreamARN=i, Tags={"foreign": "x"}),
            "retentionPeriod": lambda c, i: c.aws("kinesis").increase_stream_retention_period(
                StreamARN=i, RetentionPeriodHours=72
            ),
            "shardCount": lambda c, i: c.aws("kinesis").update_shard_count(
                StreamARN=i, TargetShardCount=4, ScalingType="UNIFORM_SCALING"
            ),
            "encryptionType": lambda c, i: c.aws("kinesis").stop_stream_encryption(
                StreamARN=i, EncryptionType="KMS", KeyId="alias/a"
            ),
            "kmsKeyId": lambda c, i: c.aws("kinesis").start_stream_encryption(
                StreamARN=i, EncryptionType="KMS", KeyId="alias/aws/kinesis"
            ),
            "shardLevelMetrics": lambda c, i: c.aws("kinesis").disable_enhanced_monitoring(
                StreamARN=i, ShardLevelMetrics=["ALL"]
            ),
            "maxRecordSizeInKib": lambda c, i: c.aws("kinesis").update_max_record_size(
                StreamARN=i, MaxRecordSizeInKiB=2048
            ),
            "streamModeDetails": lambda c, i: c.aws("kinesis").update_stream_mode(
                StreamARN=i, StreamModeDetails={"StreamMode": "ON_DEMAND"}
            ),
        },
        changes={
            "retentionPeriod": 24,
            "shardCount": 4,
            "encryptionType": "NONE",
            "kmsKeyId": "alias/b",
            "shardLevelMetrics": ["IteratorAgeMilliseconds"],
            "tags": {"b": "2"},
            "maxRecordSizeInKib": 4096,
            "enforceConsumerDeletion": True,
        },
    ),
    Case(
        kind=streams.STREAM,
        inputs=on_demand_stream_inputs,
        taken="ResourceInUseException",
        changes={"maxRecordSizeInKib": 1024, "streamModeDetails": {"streamMode": "PROVISIONED"}},
    ),
    Case(
        kind=streams.CONSUMER,
        inputs=lambda c: {"name": fresh("consumer"), "streamArn": a_stream(c), "tags": {"a": "1"}},
        taken="ResourceInUseException",
        behind={"tags": lambda c, i: c.aws("kinesis").untag_resource(ResourceARN=i, TagKeys=["a"])},
        changes={"tags": {"b": "2"}},
    ),
]
