"""Kinesis: streams and their consumers."""

from firnline_infra.kinds.kind import COMPARE, DRIFT, TAGS, Kind, Lookup, Right, Scope
from firnline_infra.specification.origin import Origin

STREAM = Kind(
    "aws:kinesis/stream:Stream",
    "stream",
    service="kinesis",
    arns=lambda blueprint, arns: [arns.stream(each.name) for each in blueprint.streams if each.origin is Origin.CREATE],
    made=lambda blueprint: [each for each in blueprint.streams if each.origin is Origin.CREATE],
    exists=Lookup("kinesis", "describe_stream_summary", "StreamName"),
    rights=(
        Right("Makes it.", create="CreateStream"),
        Right(TAGS, create="AddTagsToStream"),
        Right(
            "How long it keeps records.", create="IncreaseStreamRetentionPeriod", update="DecreaseStreamRetentionPeriod"
        ),
        Right("Its encryption, with a key or without.", create="StartStreamEncryption", update="StopStreamEncryption"),
        Right("How large a record may be.", create="UpdateMaxRecordSize"),
        Right(TAGS, create="TagResource", update="RemoveTagsFromStream"),
        Right(COMPARE, read="DescribeStreamSummary ListTagsForStream"),
        Right(
            "How many shards it has, or that AWS scales it.",
            update="UpdateStreamMode UpdateShardCount",
            scope=Scope.REGION,
        ),
        Right(
            "Metrics of each shard, on and off.",
            create="EnableEnhancedMonitoring",
            update="DisableEnhancedMonitoring",
            scope=Scope.REGION,
        ),
        Right("Removes it when it leaves the specification.", delete="DeleteStream"),
        Right(DRIFT, compare="GetResourcePolicy"),
    ),
)
CONSUMER = Kind(
    "aws:kinesis/streamConsumer:StreamConsumer",
    "stream consumer",
    service="kinesis",
    arns=lambda blueprint, arns: [
        arns.consumer(stream.name, each) for stream in blueprint.streams for each in stream.consumers
    ],
    rights=(
        Right("Registers a reader with a throughput of its own.", create="RegisterStreamConsumer", scope=Scope.PARENT),
        Right(TAGS, create="TagResource", update="UntagResource"),
        Right(COMPARE, read="DescribeStreamConsumer ListTagsForResource"),
        Right("Removes it when it leaves the specification.", delete="DeregisterStreamConsumer"),
    ),
)
