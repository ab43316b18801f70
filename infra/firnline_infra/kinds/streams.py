"""Kinesis: streams and their consumers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from firnline_infra.blueprint import Blueprint
from firnline_infra.kinds.asking import NOT_THERE, made_again, resource_policy, unless
from firnline_infra.kinds.comparison import Clients, Comparison, Difference, Subject
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Properties, Right, Scope
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import application_of
from firnline_infra.specification.origin import Origin


def _policy(subject: Subject) -> str:
    return _policy_of(subject, subject.arns.stream(subject.wanted.name))


def _policy_of(subject: Subject, arn: str) -> str:
    return str(subject.clients("kinesis").get_resource_policy(ResourceARN=arn).get("Policy") or "")


def _consumers(subject: Subject) -> Iterator[Difference]:
    """Finds consumers that neither the stack nor an engine of ours has registered: each reads every record."""
    pages = subject.clients("kinesis").get_paginator("list_stream_consumers")
    own = {*subject.wanted.consumers, *_registered(subject.spec, subject.wanted.name)}
    for page in pages.paginate(StreamARN=subject.arns.stream(subject.wanted.name)):
        for each in page["Consumers"]:
            if each["ConsumerName"] not in own:
                step = f"aws kinesis deregister-stream-consumer --consumer-arn {each['ConsumerARN']}"
                yield Difference.unwanted(f"consumer {each['ConsumerName']}", "registered: it reads every record", step)


def _distribution(subject: Subject) -> Iterator[Difference]:
    """Finds a stream that ignores partition keys (AUTO): records of a key are in any shard, so the table has them in no order,
    and what the KPL packed for one shard is misplaced in another.
    """
    name = subject.wanted.name
    found = subject.clients("kinesis").describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]
    strategy = found.get("RecordDistributionStrategy", BY_KEY)  # provisioned streams have none
    if strategy != BY_KEY:
        step = f"aws kinesis update-stream-record-distribution-strategy --stream-arn {found['StreamARN']}"
        step = f"find out who changed it and why; then {step} --record-distribution-strategy {BY_KEY}"
        yield Difference(path="recordDistributionStrategy", expected=BY_KEY, found=strategy, next_step=step)


@dataclass(frozen=True)
class RegisteredConsumer:
    """One that the stack registers, also of an adopted stream."""

    stream_arn: str
    name: str


def _own_consumers(spec: EnvironmentSpec, blueprint: Blueprint) -> list[RegisteredConsumer]:
    return [
        RegisteredConsumer(stream.existing_arn or Arns(spec).stream(stream.name), name)
        for stream in blueprint.streams
        for name in stream.consumers
    ]


def _consumer_policy(subject: Subject) -> str:
    """Another account may subscribe by it."""
    described = subject.clients("kinesis").describe_stream_consumer(
        StreamARN=subject.wanted.stream_arn, ConsumerName=subject.wanted.name
    )
    return _policy_of(subject, described["ConsumerDescription"]["ConsumerARN"])


def _registered(spec: EnvironmentSpec, stream: str) -> Iterator[str]:
    """The consumers that the engine registers itself."""
    for pipeline in spec.pipelines:
        if pipeline.stream == stream and pipeline.reader != "polling":
            yield from filter(None, (pipeline.reader.fan_out.registered_as(application_of(spec)),))


def _consumer(clients: Clients, inputs: Properties) -> Sequence[str]:
    kinesis = clients("kinesis")
    whose = {"StreamARN": inputs["streamArn"], "ConsumerName": inputs["name"]}
    described = unless(NOT_THERE, lambda: kinesis.describe_stream_consumer(**whose))
    return [described["ConsumerDescription"]["ConsumerARN"]] if described else []


def _created(subject: Subject) -> datetime:
    found = subject.clients("kinesis").describe_stream_summary(StreamName=subject.wanted.name)
    created: datetime = found["StreamDescriptionSummary"]["StreamCreationTimestamp"]
    return created


TYPE = "aws:kinesis/stream:Stream"
BY_KEY = "USER_PARTITION_KEY"
STREAM = Kind(
    TYPE,
    "stream",
    import_id="{name}",
    service="kinesis",
    made=lambda blueprint: [each for each in blueprint.streams if each.origin is Origin.CREATE],
    arn=lambda arns, stream: arns.stream(stream.name),
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
    ),
    comparisons=(
        Comparison(what="policy", actions="GetResourcePolicy", find=resource_policy(_policy)),
        Comparison(what="consumers", actions="ListStreamConsumers", find=_consumers),
        Comparison(what="distribution of records", actions="DescribeStreamSummary", find=_distribution),
        Comparison(what="creation", actions="DescribeStreamSummary", find=made_again(TYPE, _created), rule="stack"),
    ),
)
CONSUMER = Kind(
    "aws:kinesis/streamConsumer:StreamConsumer",
    "stream consumer",
    import_id=_consumer,
    service="kinesis",
    arns=lambda blueprint, arns: [
        arn(stream.name, each)
        for stream in blueprint.streams
        for each in stream.consumers
        for arn in (arns.consumer_by_name, arns.consumer)
    ],
    rights=(
        Right("Registers a reader with a throughput of its own.", create="RegisterStreamConsumer", scope=Scope.PARENT),
        Right(TAGS, create="TagResource", update="UntagResource"),
        Right(COMPARE, read="DescribeStreamConsumer ListTagsForResource"),
        Right("Removes it when it leaves the specification.", delete="DeregisterStreamConsumer"),
    ),
    comparisons=(
        Comparison(
            what="policy",
            actions="DescribeStreamConsumer GetResourcePolicy",
            find=resource_policy(_consumer_policy),
        ),
    ),
    compared=_own_consumers,
)
