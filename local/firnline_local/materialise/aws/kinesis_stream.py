"""Kinesis data streams.

Rules: `resourceStream` of terraform-provider-aws 6 (internal/service/kinesis/stream.go).
"""

from typing import Any

from firnline_local.materialise.aws.inputs import (
    as_outputs,
    changed,
    of_block,
    require_carried,
    tag_difference,
    tags_of,
    value_of,
)
from firnline_local.materialise.aws.normalize import present, set_like
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules

TYPE = "aws:kinesis/stream:Stream"
PROVISIONED, ON_DEMAND = "PROVISIONED", "ON_DEMAND"
RULES = Rules(
    replaced_by=frozenset({"name", "region"}),
    defaults={
        "encryptionType": "NONE",
        "enforceConsumerDeletion": False,
        "kmsKeyId": None,
        "retentionPeriod": 24,
        "shardCount": None,
        "shardLevelMetrics": [],
        "tags": {},
    },
    values={"encryptionType": frozenset({"NONE", "KMS"})},
)
INPUTS = frozenset(
    {
        *("name", "arn", "shardCount", "streamModeDetails", "retentionPeriod", "maxRecordSizeInKib", "encryptionType"),
        *("kmsKeyId", "shardLevelMetrics", "enforceConsumerDeletion", "tags", "tagsAll"),
    }
)


def create(inputs: Properties, clients: Clients) -> Made:
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    mode = of_block(inputs, "streamModeDetails", "streamMode", PROVISIONED)
    wanted = {
        "StreamName": inputs["name"],
        "StreamModeDetails": {"StreamMode": mode},
        "ShardCount": inputs.get("shardCount") if mode == PROVISIONED else None,
        "MaxRecordSizeInKiB": inputs.get("maxRecordSizeInKib"),
        "Tags": tags_of(inputs),
    }
    clients.aws("kinesis").create_stream(**present(wanted))
    made = {"name": inputs["name"], "shardCount": inputs.get("shardCount"), "tags": inputs.get("tags")}
    made |= {name: inputs.get(name) for name in ("tagsAll", "streamModeDetails", "maxRecordSizeInKib")}
    properties = update(inputs["name"], made, inputs, clients)
    return Made(properties["arn"], properties)


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    """The id is the ARN; `pulumi import` takes the name."""
    kinesis = clients.aws("kinesis")
    name = id_.rpartition("/")[2]
    try:
        found = kinesis.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]
        tags = kinesis.list_tags_for_stream(StreamName=name)["Tags"]
    except kinesis.exceptions.ResourceNotFoundException:
        return None
    mode = found["StreamModeDetails"]["StreamMode"]
    metrics = [metric for each in found["EnhancedMonitoring"] for metric in each["ShardLevelMetrics"]]
    return present(
        {
            "id": found["StreamARN"],
            "arn": found["StreamARN"],
            "name": found["StreamName"],
            "region": clients.region,
            "streamModeDetails": {"streamMode": mode},
            "shardCount": found["OpenShardCount"] if mode == PROVISIONED else None,
            "retentionPeriod": found["RetentionPeriodHours"],
            "maxRecordSizeInKib": found["MaxRecordSizeInKiB"],
            "encryptionType": found["EncryptionType"],
            "kmsKeyId": found.get("KeyId"),
            "shardLevelMetrics": set_like(metrics, properties.get("shardLevelMetrics")),
            "enforceConsumerDeletion": value_of("enforceConsumerDeletion", properties, RULES),
            **as_outputs(tags, properties),
        }
    )


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    """In the stock provider's order."""
    require_carried(TYPE, new, INPUTS, region=clients.region)
    kinesis, name = clients.aws("kinesis"), id_.rpartition("/")[2]
    stream = {"StreamName": name}
    differs = changed(old, new, RULES)
    mode = of_block(new, "streamModeDetails", "streamMode", PROVISIONED)
    if mode != of_block(old, "streamModeDetails", "streamMode", PROVISIONED):
        arn = kinesis.describe_stream_summary(**stream)["StreamDescriptionSummary"]["StreamARN"]
        kinesis.update_stream_mode(StreamARN=arn, StreamModeDetails={"StreamMode": mode})
    if "shardCount" in differs and mode == PROVISIONED:
        kinesis.update_shard_count(**stream, TargetShardCount=new["shardCount"], ScalingType="UNIFORM_SCALING")
    if "retentionPeriod" in differs:
        _set_retention(
            kinesis, stream, value_of("retentionPeriod", old, RULES), value_of("retentionPeriod", new, RULES)
        )
    if "shardLevelMetrics" in differs:
        _set_metrics(kinesis, stream, set(old.get("shardLevelMetrics") or ()), set(new.get("shardLevelMetrics") or ()))
    if differs & {"encryptionType", "kmsKeyId"}:
        _set_encryption(kinesis, stream, old, new)
    if "maxRecordSizeInKib" in differs and new.get("maxRecordSizeInKib"):
        arn = kinesis.describe_stream_summary(**stream)["StreamDescriptionSummary"]["StreamARN"]
        kinesis.update_max_record_size(StreamARN=arn, MaxRecordSizeInKiB=new["maxRecordSizeInKib"])
    to_set, to_remove = tag_difference(old, new)
    if to_remove:
        kinesis.remove_tags_from_stream(**stream, TagKeys=to_remove)
    if to_set:
        kinesis.add_tags_to_stream(**stream, Tags=to_set)
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    kinesis = clients.aws("kinesis")
    enforce = bool(value_of("enforceConsumerDeletion", properties, RULES))
    try:
        kinesis.delete_stream(StreamName=id_.rpartition("/")[2], EnforceConsumerDeletion=enforce)
    except kinesis.exceptions.ResourceNotFoundException:
        return


def _set_retention(kinesis: Any, stream: dict[str, str], old_hours: int, new_hours: int) -> None:
    """The service has one operation for each direction, and refuses the wrong one."""
    if new_hours > old_hours:
        kinesis.increase_stream_retention_period(**stream, RetentionPeriodHours=new_hours)
    else:
        kinesis.decrease_stream_retention_period(**stream, RetentionPeriodHours=new_hours)


def _set_metrics(kinesis: Any, stream: dict[str, str], old: set[str], new: set[str]) -> None:
    if old - new:
        kinesis.disable_enhanced_monitoring(**stream, ShardLevelMetrics=sorted(old - new))
    if new - old:
        kinesis.enable_enhanced_monitoring(**stream, ShardLevelMetrics=sorted(new - old))


def _set_encryption(kinesis: Any, stream: dict[str, str], old: Properties, new: Properties) -> None:
    if value_of("encryptionType", new, RULES) == "KMS":
        kinesis.start_stream_encryption(**stream, EncryptionType="KMS", KeyId=new["kmsKeyId"])
    elif value_of("encryptionType", old, RULES) == "KMS":
        kinesis.stop_stream_encryption(**stream, EncryptionType="KMS", KeyId=old["kmsKeyId"])
