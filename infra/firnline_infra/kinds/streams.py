"""Kinesis: streams and their consumers."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.aws import Stream
from firnline_infra.blueprint.storage import key_value
from firnline_infra.blueprint.value import Reference
from firnline_infra.environment import Environment
from firnline_infra.kinds.asking import NOT_THERE, made_again, resource_policy, unless
from firnline_infra.kinds.comparison import Clients, Comparison, Difference, Subject
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Properties, Right, Scope, own_name
from firnline_infra.kinds.resource import Component, MadeAttribute, Resource
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.source_streams import SourceStream

AWS_KINESIS_KEY = "alias/aws/kinesis"


def streams(environment: Environment) -> Iterator[Component]:
    """Yields the streams that are made, and consumers of these and of adopted ones."""
    for each in environment.sources:
        yield event_stream(f"stream-{each.name}", _definition(environment, each))


def _definition(environment: Environment, source: SourceStream) -> Stream:
    stream = source.options
    key_arn = key_value(environment) if stream.origin is Origin.CREATE else stream.key_arn
    return Stream(
        name=stream.name,
        existing_arn=source.arn if stream.origin is Origin.ADOPT else None,
        shards=stream.shards,
        retention_hours=stream.retention_hours,
        key_arn=key_arn or AWS_KINESIS_KEY,
        shard_metrics=tuple(metric.value for metric in stream.shard_metrics),
        max_record_kib=stream.max_record_kib,
        consumers=tuple(stream.consumers),
        durability=environment.durability,
        tags=environment.tags("stream"),
    )


def event_stream(name: str, args: Stream) -> Component:
    stream = None if args.existing_arn else _stream(f"{name}-stream", args)
    arn = args.existing_arn if stream is None else stream["arn"]
    consumers = {
        each: Resource(
            CONSUMER.terraform_type,
            f"{name}-consumer-{each}",
            {"name": each, "stream_arn": arn, "tags": args.tags},
        )
        for each in args.consumers
    }
    arns = {each: consumer["arn"] for each, consumer in consumers.items()}
    gives = {Reference(f"consumer/{args.name}/{each}"): arn for each, arn in arns.items()}
    made = () if stream is None else (stream,)
    return Component(
        "EventStream",
        name,
        (*made, *consumers.values()),
        {"arn": arn, "consumer_arns": arns},
        gives={Reference(f"stream/{args.name}"): arn, **gives},
    )


def _stream(name: str, args: Stream) -> Resource:
    """The stream. Where AWS scales its shards, their number is not given, and the provider reads none: it refuses a number beside
    ON_DEMAND, also one that a state keeps because changes of it are ignored (stream.go, CustomizeDiff)."""
    return Resource(
        STREAM.terraform_type,
        name,
        {
            "name": args.name,
            "shard_count": args.shards,
            "stream_mode_details": {"stream_mode": args.mode},
            "retention_period": args.retention_hours,
            "encryption_type": args.encryption,
            "kms_key_id": args.key_arn,
            "shard_level_metrics": list(args.shard_metrics),
            "max_record_size_in_kib": args.max_record_kib,
            "enforce_consumer_deletion": args.enforce_consumer_deletion,
            "tags": args.tags,
        },
        durability=args.durability,
    )


def stream_of(consumer: Any) -> str:
    """Returns the name of the stream that a consumer's row reads."""
    arn = consumer.arguments["stream_arn"]
    return own_name(arn.resource) if isinstance(arn, MadeAttribute) else str(arn).rpartition("/")[2]


def _policy(subject: Subject) -> str:
    return _policy_of(subject, subject.arns.stream(own_name(subject.wanted)))


def _policy_of(subject: Subject, arn: str) -> str:
    return str(subject.clients("kinesis").get_resource_policy(ResourceARN=arn).get("Policy") or "")


def _consumers(subject: Subject) -> Iterator[Difference]:
    """Finds consumers that neither the stack nor an engine of ours has registered: each reads every record."""
    pages = subject.clients("kinesis").get_paginator("list_stream_consumers")
    name = own_name(subject.wanted)
    consumers = [each for each in CONSUMER.instances(subject.blueprint) if stream_of(each) == name]
    own = {*map(own_name, consumers), *_registered(subject.environment, name)}
    for page in pages.paginate(StreamARN=subject.arns.stream(name)):
        for each in page["Consumers"]:
            if each["ConsumerName"] not in own:
                step = f"aws kinesis deregister-stream-consumer --consumer-arn {each['ConsumerARN']}"
                yield Difference.unwanted(f"consumer {each['ConsumerName']}", "registered: it reads every record", step)


def _distribution(subject: Subject) -> Iterator[Difference]:
    """Finds a stream that ignores partition keys (AUTO): records of a key are in any shard, so the table has them in no order,
    and what the KPL packed for one shard is misplaced in another.
    """
    name = own_name(subject.wanted)
    found = subject.clients("kinesis").describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]
    strategy = found.get("RecordDistributionStrategy", BY_KEY)  # provisioned streams have none
    if strategy != BY_KEY:
        step = f"aws kinesis update-stream-record-distribution-strategy --stream-arn {found['StreamARN']}"
        step = f"find out who changed it and why; then {step} --record-distribution-strategy {BY_KEY}"
        yield Difference(path="recordDistributionStrategy", expected=BY_KEY, found=strategy, next_step=step)


def _consumer_policy(subject: Subject) -> str:
    """Another account may subscribe by it; the stream may be an adopted one."""
    consumer, arn = subject.wanted, subject.wanted.arguments["stream_arn"]
    arn = subject.arns.stream(stream_of(consumer)) if isinstance(arn, MadeAttribute) else arn
    described = subject.clients("kinesis").describe_stream_consumer(StreamARN=arn, ConsumerName=own_name(consumer))
    return _policy_of(subject, described["ConsumerDescription"]["ConsumerARN"])


def _registered(environment: Environment, stream: str) -> Iterator[str]:
    """The consumers that the engine registers itself."""
    for pipeline in environment.pipelines:
        if pipeline.stream == stream and pipeline.reader != "polling":
            yield from filter(None, (pipeline.reader.fan_out.registered_as(environment.names.application),))


def _consumer_arns(blueprint: Blueprint, arns: Arns) -> list[str]:
    return [
        arn(stream_of(each), own_name(each))
        for each in CONSUMER.instances(blueprint)
        for arn in (arns.consumer_by_name, arns.consumer)
    ]


def _consumer(clients: Clients, inputs: Properties) -> Sequence[str]:
    kinesis = clients("kinesis")
    whose = {"StreamARN": inputs["streamArn"], "ConsumerName": inputs["name"]}
    described = unless(NOT_THERE, lambda: kinesis.describe_stream_consumer(**whose))
    return [described["ConsumerDescription"]["ConsumerARN"]] if described else []


def _created(subject: Subject) -> datetime:
    found = subject.clients("kinesis").describe_stream_summary(StreamName=own_name(subject.wanted))
    created: datetime = found["StreamDescriptionSummary"]["StreamCreationTimestamp"]
    return created


TYPE = "aws:kinesis/stream:Stream"
BY_KEY = "USER_PARTITION_KEY"
STREAM = Kind(
    TYPE,
    "stream",
    import_id="{name}",
    service="kinesis",
    rows=streams,
    arn=lambda arns, row: arns.stream(own_name(row)),
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
    rows=streams,
    arns=_consumer_arns,
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
)
