"""Kinesis: data streams, and the consumers that are registered at them.

Rules: `resourceStream` of terraform-provider-aws 6 (internal/service/kinesis/stream.go); `resourceStreamConsumer`
(stream_consumer.go; read there in a version before 6).
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

from firnline_local.providers.aws.kind import AwsKind, Subject, WireField, arn_as, made_by, on, tags_by
from firnline_local.providers.aws.values import of_block, present, set_like, tags_of, value_of
from firnline_local.providers.kind import Properties, Rules

PROVISIONED = "PROVISIONED"
LOOK_EVERY_S, GIVE_UP_S = 0.1, 60.0


def _mode(inputs: Properties) -> Any:
    return of_block(inputs, "streamModeDetails", "streamMode", PROVISIONED)


def _shards_belong_to_the_mode(inputs: Properties) -> Iterator[str]:
    """stream.go, the first function of CustomizeDiff. The second asks for the account's limits, which moto does not have."""
    mode, shards = _mode(inputs), int(inputs.get("shardCount") or 0)
    if mode == "ON_DEMAND" and shards > 0:
        yield f"shardCount: shard_count must not be set when stream_mode is {mode}."
    if mode == PROVISIONED and shards < 1:
        yield f"shardCount: shard_count must be at least 1 when stream_mode is {mode}."


def _make_stream(it: Subject) -> str:
    mode = _mode(it.inputs)
    asked = {
        "StreamName": it.inputs["name"],
        "StreamModeDetails": {"StreamMode": mode},
        "ShardCount": it.inputs.get("shardCount") if mode == PROVISIONED else None,
        "MaxRecordSizeInKiB": it.inputs.get("maxRecordSizeInKib"),
        "Tags": tags_of(it.inputs) or None,
    }
    it.client.create_stream(**present(asked))
    _until_active(it)
    return str(it.inputs["name"])


def _until_active(it: Subject) -> None:
    """Waits as the stock provider does, behind each change: a stream that is UPDATING takes no other one."""
    give_up_s = time.monotonic() + GIVE_UP_S
    ask = it.client.describe_stream_summary
    while (status := ask(StreamName=it.inputs["name"])["StreamDescriptionSummary"]["StreamStatus"]) != "ACTIVE":
        if time.monotonic() > give_up_s:
            raise TimeoutError(f"Stream {it.inputs['name']} is still {status}.")
        time.sleep(LOOK_EVERY_S)


def _waiting(change: Callable[[Subject], None]) -> Callable[[Subject], None]:
    def changed(it: Subject) -> None:
        change(it)
        _until_active(it)

    return changed


def _look_at_stream(it: Subject) -> Properties:
    found = it.ask("describe_stream_summary")["StreamDescriptionSummary"]
    mode = found["StreamModeDetails"]["StreamMode"]
    metrics = [metric for each in found["EnhancedMonitoring"] for metric in each["ShardLevelMetrics"]]
    shards = found["OpenShardCount"] if mode == PROVISIONED else None
    return {**found, "Metrics": metrics, "Shards": shards, "Tags": it.ask("list_tags_for_stream")["Tags"]}


def _set_mode(it: Subject) -> None:
    mode = _mode(it.inputs)
    if mode != _mode(it.before):
        it.client.update_stream_mode(StreamARN=it.output("arn"), StreamModeDetails={"StreamMode": mode})


def _set_shards(it: Subject) -> None:
    if _mode(it.inputs) == PROVISIONED:
        it.ask("update_shard_count", TargetShardCount=it.inputs["shardCount"], ScalingType="UNIFORM_SCALING")


def _set_retention(it: Subject) -> None:
    """The service has one operation for each direction, and refuses the wrong one."""
    before, hours = value_of("retentionPeriod", it.before, it.kind.rules), it.value("retentionPeriod")
    direction = "increase" if hours > before else "decrease"
    it.ask(f"{direction}_stream_retention_period", RetentionPeriodHours=hours)


def _set_metrics(it: Subject) -> None:
    before, after = (set(inputs.get("shardLevelMetrics") or ()) for inputs in (it.before, it.inputs))
    for verb, metrics in (("disable", before - after), ("enable", after - before)):
        if metrics:
            it.ask(f"{verb}_enhanced_monitoring", ShardLevelMetrics=sorted(metrics))


def _set_encryption(it: Subject) -> None:
    if it.value("encryptionType") == "KMS":
        it.ask("start_stream_encryption", EncryptionType="KMS", KeyId=it.inputs["kmsKeyId"])
    elif value_of("encryptionType", it.before, it.kind.rules) == "KMS":
        it.ask("stop_stream_encryption", EncryptionType="KMS", KeyId=it.before["kmsKeyId"])


def _set_record_size(it: Subject) -> None:
    if size := it.inputs.get("maxRecordSizeInKib"):
        it.client.update_max_record_size(StreamARN=it.output("arn"), MaxRecordSizeInKiB=size)


STREAM = AwsKind(
    type="aws:kinesis/stream:Stream",
    service="kinesis",
    rules=Rules.of(
        "name region",
        defaults={
            "encryptionType": "NONE",
            "enforceConsumerDeletion": False,
            "kmsKeyId": None,
            "retentionPeriod": 24,
            "shardCount": None,
            "shardLevelMetrics": [],
            "tags": {},
        },
        values={"encryptionType": "NONE KMS", "streamModeDetails.streamMode": "ON_DEMAND PROVISIONED"},
        ranges={"retentionPeriod": (24, 8760), "maxRecordSizeInKib": (1024, 10240)},
        checks=(_shards_belong_to_the_mode,),
    ),
    fields={
        "name": "StreamName",
        "streamModeDetails": WireField(
            found="StreamModeDetails", like=lambda found, _: {"streamMode": found["StreamMode"]}
        ),
        "shardCount": WireField(found="Shards"),
        "maxRecordSizeInKib": WireField(found="MaxRecordSizeInKiB"),
        "retentionPeriod": WireField(found="RetentionPeriodHours"),
        "shardLevelMetrics": WireField(found="Metrics", like=set_like),
        "encryptionType": WireField(found="EncryptionType"),
        "kmsKeyId": WireField(found="KeyId"),
    },
    outputs={"id": "StreamARN", "arn": "StreamARN"},
    kept="enforceConsumerDeletion",
    carried="arn",
    by=lambda it: {"StreamName": it.id.rpartition("/")[2]},  # the id is the ARN; `pulumi import` takes the name
    make=_make_stream,
    later="retentionPeriod shardLevelMetrics encryptionType kmsKeyId",
    look=_look_at_stream,
    updates=(  # in the stock provider's order
        on("streamModeDetails", _waiting(_set_mode)),
        on("shardCount", _waiting(_set_shards)),
        on("retentionPeriod", _waiting(_set_retention)),
        on("shardLevelMetrics", _waiting(_set_metrics)),
        on("encryptionType kmsKeyId", _waiting(_set_encryption)),
        on("maxRecordSizeInKib", _waiting(_set_record_size)),
    ),
    tags=tags_by("add_tags_to_stream", "remove_tags_from_stream", written=dict),
    remove=lambda it: it.ask("delete_stream", EnforceConsumerDeletion=bool(it.value("enforceConsumerDeletion"))),
    gone="ResourceNotFoundException",
)
CONSUMER = AwsKind(
    type="aws:kinesis/streamConsumer:StreamConsumer",
    service="kinesis",
    rules=Rules.of("name streamArn region", defaults={"tags": {}}, arns="streamArn"),
    fields={"name": "ConsumerName", "streamArn": "StreamARN"},
    outputs={
        "id": "ConsumerARN",
        "arn": "ConsumerARN",
        "creationTimestamp": lambda _, found: found["ConsumerCreationTimestamp"].strftime("%Y-%m-%dT%H:%M:%SZ"),
    },
    by="ConsumerARN",
    make=made_by("register_stream_consumer", "Consumer.ConsumerARN", tags=dict),
    look=lambda it: {
        **it.ask("describe_stream_consumer")["ConsumerDescription"],
        "Tags": it.client.list_tags_for_resource(ResourceARN=it.id)["Tags"],
    },
    tags=tags_by("tag_resource", "untag_resource", written=dict, where=arn_as("ResourceARN")),
    remove=lambda it: it.ask("deregister_stream_consumer"),
    gone="ResourceNotFoundException",
)
KINDS = (STREAM, CONSUMER)
