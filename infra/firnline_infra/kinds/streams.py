"""Kinesis: streams and their consumers."""

from collections.abc import Sequence

from firnline_infra.kinds.asking import NOT_THERE, unless
from firnline_infra.kinds.kind import COMPARE, DRIFT, TAGS, Clients, Kind, Lookup, Properties, Right, Scope
from firnline_infra.specification.origin import Origin


def _consumer(clients: Clients, inputs: Properties) -> Sequence[str]:
    kinesis = clients("kinesis")
    whose = {"StreamARN": inputs["streamArn"], "ConsumerName": inputs["name"]}
    described = unless(NOT_THERE, lambda: kinesis.describe_stream_consumer(**whose))
    return [described["ConsumerDescription"]["ConsumerARN"]] if described else []


STREAM = Kind(
    "aws:kinesis/stream:Stream",
    "stream",
    import_id="{name}",
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
    import_id=_consumer,
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
