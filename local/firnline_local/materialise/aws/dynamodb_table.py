"""DynamoDB tables, without secondary indexes, replicas and restores.

Rules: `resourceTable` of terraform-provider-aws 6 (internal/service/dynamodb/table.go).
"""

from typing import Any

from firnline_local.materialise.aws.inputs import (
    as_list,
    as_outputs,
    changed,
    of_block,
    require_carried,
    tag_difference,
    tags_of,
    value_of,
)
from firnline_local.materialise.aws.normalize import block_like, present, set_like
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules

TYPE = "aws:dynamodb/table:Table"
PROVISIONED, ON_DEMAND = "PROVISIONED", "PAY_PER_REQUEST"
RULES = Rules(
    replaced_by=frozenset({"name", "hashKey", "rangeKey", "region"}),
    defaults={
        "billingMode": PROVISIONED,
        "deletionProtectionEnabled": False,
        "rangeKey": None,
        "streamEnabled": False,
        "tags": {},
    },
    values={
        "attributes.type": frozenset({"S", "N", "B"}),
        "billingMode": frozenset({PROVISIONED, ON_DEMAND}),
        "streamViewType": frozenset({"NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY", ""}),
    },
)
INPUTS = frozenset(
    {
        *("name", "attributes", "hashKey", "rangeKey", "billingMode", "readCapacity", "writeCapacity"),
        *("deletionProtectionEnabled", "pointInTimeRecovery", "serverSideEncryption", "ttl"),
        *("streamEnabled", "streamViewType", "tags", "tagsAll"),
    }
)
RECOVERY_DAYS = 35  # where no other number was asked for


def create(inputs: Properties, clients: Clients) -> Made:
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    keys = {"HASH": inputs["hashKey"], "RANGE": inputs.get("rangeKey")}
    wanted = {
        "TableName": inputs["name"],
        "AttributeDefinitions": [_attribute(each) for each in inputs["attributes"]],
        "KeySchema": [{"AttributeName": name, "KeyType": kind} for kind, name in keys.items() if name],
        **_capacity(inputs),
        "SSESpecification": _encryption(inputs) if of_block(inputs, "serverSideEncryption", "enabled") else None,
        "StreamSpecification": _stream(inputs) if inputs.get("streamEnabled") else None,
        "DeletionProtectionEnabled": bool(inputs.get("deletionProtectionEnabled")),
        "Tags": as_list(tags_of(inputs)),
    }
    clients.aws("dynamodb").create_table(**present(wanted))
    made = {name: value for name, value in inputs.items() if name not in {"pointInTimeRecovery", "ttl"}}
    return Made(inputs["name"], update(inputs["name"], made, inputs, clients))


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    dynamodb = clients.aws("dynamodb")
    try:
        found = dynamodb.describe_table(TableName=id_)["Table"]
        backups = dynamodb.describe_continuous_backups(TableName=id_)["ContinuousBackupsDescription"]
        ttl = dynamodb.describe_time_to_live(TableName=id_)["TimeToLiveDescription"]
        tags = dynamodb.list_tags_of_resource(ResourceArn=found["TableArn"])["Tags"]
    except (dynamodb.exceptions.ResourceNotFoundException, dynamodb.exceptions.TableNotFoundException):
        return None
    keys = {key["KeyType"]: key["AttributeName"] for key in found["KeySchema"]}
    capacity = found.get("ProvisionedThroughput", {})
    stream = found.get("StreamSpecification", {})
    attributes = [
        {"name": each["AttributeName"], "type": each["AttributeType"]} for each in found["AttributeDefinitions"]
    ]
    return present(
        {
            "id": found["TableName"],
            "arn": found["TableArn"],
            "name": found["TableName"],
            "region": clients.region,
            "attributes": set_like(attributes, properties.get("attributes")),
            "hashKey": keys["HASH"],
            "rangeKey": keys.get("RANGE"),
            "billingMode": found.get("BillingModeSummary", {}).get("BillingMode", PROVISIONED),
            "readCapacity": capacity.get("ReadCapacityUnits", 0),
            "writeCapacity": capacity.get("WriteCapacityUnits", 0),
            "deletionProtectionEnabled": found.get("DeletionProtectionEnabled", False),
            "pointInTimeRecovery": _recovery_found(backups, properties.get("pointInTimeRecovery")),
            "serverSideEncryption": _encryption_found(found, properties.get("serverSideEncryption")),
            "ttl": _ttl_found(ttl, properties.get("ttl")),
            "streamEnabled": stream.get("StreamEnabled", False),
            "streamViewType": stream.get("StreamViewType"),
            "streamArn": found.get("LatestStreamArn"),
            "streamLabel": found.get("LatestStreamLabel"),
            **as_outputs(tags, properties),
        }
    )


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    require_carried(TYPE, new, INPUTS, region=clients.region)
    dynamodb = clients.aws("dynamodb")
    differs = changed(old, new, RULES)
    changes: dict[str, Any] = {}
    if differs & {"billingMode", "readCapacity", "writeCapacity"}:
        changes |= present(_capacity(new))
    if "deletionProtectionEnabled" in differs:
        changes["DeletionProtectionEnabled"] = value_of("deletionProtectionEnabled", new, RULES)
    if "serverSideEncryption" in differs:
        changes["SSESpecification"] = _encryption(new)
    if differs & {"streamEnabled", "streamViewType"}:
        changes["StreamSpecification"] = _stream(new)
    if changes:
        dynamodb.update_table(TableName=id_, **changes)
    if "pointInTimeRecovery" in differs:
        dynamodb.update_continuous_backups(TableName=id_, PointInTimeRecoverySpecification=_recovery(new))
    if "ttl" in differs:
        _set_ttl(dynamodb, id_, old, new)
    to_set, to_remove = tag_difference(old, new)
    if to_remove or to_set:
        arn = dynamodb.describe_table(TableName=id_)["Table"]["TableArn"]
        if to_remove:
            dynamodb.untag_resource(ResourceArn=arn, TagKeys=to_remove)
        if to_set:
            dynamodb.tag_resource(ResourceArn=arn, Tags=as_list(to_set))
    return read(id_, new, clients) or {}


def delete(id_: str, _: Properties, clients: Clients) -> None:
    """A table with deletion protection is refused by the service."""
    dynamodb = clients.aws("dynamodb")
    try:
        dynamodb.delete_table(TableName=id_)
    except dynamodb.exceptions.ResourceNotFoundException:
        return


def _attribute(attribute: Properties) -> dict[str, str]:
    return {"AttributeName": attribute["name"], "AttributeType": attribute["type"]}


def _capacity(inputs: Properties) -> dict[str, Any]:
    mode = value_of("billingMode", inputs, RULES)
    units = {"ReadCapacityUnits": inputs.get("readCapacity"), "WriteCapacityUnits": inputs.get("writeCapacity")}
    return {"BillingMode": mode, "ProvisionedThroughput": units if mode == PROVISIONED else None}


def _encryption(inputs: Properties) -> dict[str, Any]:
    """Not enabled is not unencrypted: it is DynamoDB's own key."""
    if not of_block(inputs, "serverSideEncryption", "enabled"):
        return {"Enabled": False}
    key = of_block(inputs, "serverSideEncryption", "kmsKeyArn")
    return present({"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": key})


def _encryption_found(table: Properties, known: Any) -> dict[str, Any]:
    """The key is shown where one was asked for: else it is the account's, and its ARN no setting."""
    found = table.get("SSEDescription", {})
    if found.get("Status") != "ENABLED":
        return {"enabled": False}
    key = found.get("KMSMasterKeyArn")
    return block_like({"enabled": True, "kmsKeyArn": key}, known, {"kmsKeyArn": key} if known else {})


def _stream(inputs: Properties) -> dict[str, Any]:
    if not inputs.get("streamEnabled"):
        return {"StreamEnabled": False}
    return {"StreamEnabled": True, "StreamViewType": inputs["streamViewType"]}


def _recovery(inputs: Properties) -> dict[str, Any]:
    if not of_block(inputs, "pointInTimeRecovery", "enabled"):
        return {"PointInTimeRecoveryEnabled": False}
    days = of_block(inputs, "pointInTimeRecovery", "recoveryPeriodInDays", RECOVERY_DAYS)
    return {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": days}


def _recovery_found(backups: Properties, known: Any) -> dict[str, Any]:
    found = backups["PointInTimeRecoveryDescription"]
    if found["PointInTimeRecoveryStatus"] != "ENABLED":
        return {"enabled": False}
    block = {"enabled": True, "recoveryPeriodInDays": found.get("RecoveryPeriodInDays", RECOVERY_DAYS)}
    return block_like(block, known, {"recoveryPeriodInDays": RECOVERY_DAYS})


def _set_ttl(dynamodb: Any, table: str, old: Properties, new: Properties) -> None:
    """An attribute is turned off before another one is turned on: a table has at most one."""
    for inputs, enabled in ((old, False), (new, True)):
        if of_block(inputs, "ttl", "enabled"):
            specification = {"Enabled": enabled, "AttributeName": of_block(inputs, "ttl", "attributeName")}
            dynamodb.update_time_to_live(TableName=table, TimeToLiveSpecification=specification)


def _ttl_found(ttl: Properties, known: Any) -> dict[str, Any]:
    enabled = ttl["TimeToLiveStatus"] == "ENABLED"
    block = {"enabled": enabled, "attributeName": ttl.get("AttributeName", "") if enabled else ""}
    return block_like(block, known, {"attributeName": ""})
