"""DynamoDB tables, without secondary indexes, replicas and restores.

Rules: `resourceTable` of terraform-provider-aws 6 (internal/service/dynamodb/table.go).
"""

from collections.abc import Iterator
from typing import Any

from firnline_local.providers.aws.kind import AwsKind, Subject, WireField, arn_as, on, tags_by
from firnline_local.providers.aws.values import as_list, block_like, of_block, present, set_like, tags_of
from firnline_local.providers.kind import Properties, Rules

PROVISIONED = "PROVISIONED"
RECOVERY_DAYS = 35  # where no other number was asked for


def _make(it: Subject) -> str:
    inputs, keys = it.inputs, {"HASH": it.inputs["hashKey"], "RANGE": it.inputs.get("rangeKey")}
    asked = {
        "TableName": inputs["name"],
        "AttributeDefinitions": [
            {"AttributeName": each["name"], "AttributeType": each["type"]} for each in inputs["attributes"]
        ],
        "KeySchema": [{"AttributeName": name, "KeyType": kind} for kind, name in keys.items() if name],
        **_capacity(it),
        "SSESpecification": _encryption(inputs) if of_block(inputs, "serverSideEncryption", "enabled") else None,
        "StreamSpecification": _stream(inputs) if inputs.get("streamEnabled") else None,
        "DeletionProtectionEnabled": bool(inputs.get("deletionProtectionEnabled")),
        "Tags": as_list(tags_of(inputs)),
    }
    it.client.create_table(**present(asked))
    return str(inputs["name"])


def _look(it: Subject) -> Properties:
    found = it.ask("describe_table")["Table"]
    attributes = [
        {"name": each["AttributeName"], "type": each["AttributeType"]} for each in found["AttributeDefinitions"]
    ]
    backups = it.ask("describe_continuous_backups")["ContinuousBackupsDescription"]
    return {
        **found,
        "Attributes": attributes,
        "Keys": {key["KeyType"]: key["AttributeName"] for key in found["KeySchema"]},
        "Recovery": backups["PointInTimeRecoveryDescription"],
        "Ttl": it.ask("describe_time_to_live")["TimeToLiveDescription"],
        "Tags": it.client.list_tags_of_resource(ResourceArn=found["TableArn"])["Tags"],
    }


def _capacity(it: Subject) -> dict[str, Any]:
    mode = it.value("billingMode")
    units = {"ReadCapacityUnits": it.inputs.get("readCapacity"), "WriteCapacityUnits": it.inputs.get("writeCapacity")}
    return {"BillingMode": mode, "ProvisionedThroughput": units if mode == PROVISIONED else None}


def _encryption(inputs: Properties) -> dict[str, Any]:
    """The encryption; "not enabled" does not mean unencrypted, but DynamoDB's own key."""
    if not of_block(inputs, "serverSideEncryption", "enabled"):
        return {"Enabled": False}
    key = of_block(inputs, "serverSideEncryption", "kmsKeyArn")
    return present({"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": key})


def _encryption_found(found: Properties, known: Any) -> dict[str, Any]:
    """The key is shown where one was asked for: else it is the account's, and its ARN no setting."""
    if found.get("Status") != "ENABLED":
        return {"enabled": False}
    key = found.get("KMSMasterKeyArn")
    return block_like({"enabled": True, "kmsKeyArn": key}, known, {"kmsKeyArn": key} if known else {})


def _stream(inputs: Properties) -> dict[str, Any]:
    if not inputs.get("streamEnabled"):
        return {"StreamEnabled": False}
    return {"StreamEnabled": True, "StreamViewType": inputs["streamViewType"]}


def _set_recovery(it: Subject) -> None:
    wanted = {"PointInTimeRecoveryEnabled": False}
    if of_block(it.inputs, "pointInTimeRecovery", "enabled"):
        days = of_block(it.inputs, "pointInTimeRecovery", "recoveryPeriodInDays", RECOVERY_DAYS)
        wanted = {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": days}
    it.ask("update_continuous_backups", PointInTimeRecoverySpecification=wanted)


def _recovery_found(found: Properties, known: Any) -> dict[str, Any]:
    if found["PointInTimeRecoveryStatus"] != "ENABLED":
        return {"enabled": False}
    block = {"enabled": True, "recoveryPeriodInDays": found.get("RecoveryPeriodInDays", RECOVERY_DAYS)}
    return block_like(block, known, {"recoveryPeriodInDays": RECOVERY_DAYS})


def _set_ttl(it: Subject) -> None:
    """An attribute is turned off before another one is turned on: a table has at most one."""
    for inputs, enabled in ((it.before, False), (it.inputs, True)):
        if of_block(inputs, "ttl", "enabled"):
            specification = {"Enabled": enabled, "AttributeName": of_block(inputs, "ttl", "attributeName")}
            it.ask("update_time_to_live", TimeToLiveSpecification=specification)


def _ttl_found(found: Properties, known: Any) -> dict[str, Any]:
    enabled = found["TimeToLiveStatus"] == "ENABLED"
    block = {"enabled": enabled, "attributeName": found.get("AttributeName", "") if enabled else ""}
    return block_like(block, known, {"attributeName": ""})


def _attributes_are_those_of_keys(inputs: Properties) -> Iterator[str]:
    """table.go, validateTableAttributes; no index is carried here."""
    keys = {inputs[name] for name in ("hashKey", "rangeKey") if inputs.get(name)}
    given = {each["name"] for each in inputs.get("attributes", ())}
    if unused := sorted(given - keys):
        yield f"attributes: all attributes must be indexed. Unused attributes: {unused}."
    if unmatched := sorted(keys - given):
        yield f"attributes: all indexes must match a defined attribute. Unmatched indexes: {unmatched}."


def _capacity_belongs_to_the_mode(inputs: Properties) -> Iterator[str]:
    """table.go, validateProvisionedThroughputField."""
    mode = inputs.get("billingMode", PROVISIONED)
    for name in ("readCapacity", "writeCapacity"):
        units = int(inputs.get(name) or 0)
        if mode == PROVISIONED and units < 1:
            yield f"{name}: must be at least 1 when billing_mode is {mode}."
        if mode != PROVISIONED and units:
            yield f"{name}: can not be set when billing_mode is {mode}."


def _blocks_are_whole(inputs: Properties) -> Iterator[str]:
    if inputs.get("streamEnabled") and not inputs.get("streamViewType"):
        yield "streamViewType: is required when stream_enabled is true."
    if of_block(inputs, "ttl", "enabled") and not of_block(inputs, "ttl", "attributeName"):
        yield "ttl.attributeName: must be specified when ttl is enabled."


TABLE = AwsKind(
    type="aws:dynamodb/table:Table",
    service="dynamodb",
    rules=Rules.of(
        "name hashKey rangeKey region",
        defaults={
            "billingMode": PROVISIONED,
            "deletionProtectionEnabled": False,
            "rangeKey": None,
            "streamEnabled": False,
            "tags": {},
        },
        values={
            "attributes.type": "S N B",
            "billingMode": f"{PROVISIONED} PAY_PER_REQUEST",
            "streamViewType": "NEW_IMAGE OLD_IMAGE NEW_AND_OLD_IMAGES KEYS_ONLY",
            "tableClass": "STANDARD STANDARD_INFREQUENT_ACCESS",
        },
        ranges={"pointInTimeRecovery.recoveryPeriodInDays": (1, 35)},
        arns="serverSideEncryption.kmsKeyArn",
        checks=(_attributes_are_those_of_keys, _capacity_belongs_to_the_mode, _blocks_are_whole),
    ),
    fields={
        "name": "TableName",
        "attributes": WireField(found="Attributes", like=set_like),
        "hashKey": WireField(found="Keys.HASH"),
        "rangeKey": WireField(found="Keys.RANGE"),
        "billingMode": WireField(found="BillingModeSummary.BillingMode", absent=PROVISIONED),
        "readCapacity": WireField(found="ProvisionedThroughput.ReadCapacityUnits", absent=0),
        "writeCapacity": WireField(found="ProvisionedThroughput.WriteCapacityUnits", absent=0),
        "deletionProtectionEnabled": WireField("DeletionProtectionEnabled", absent=False),
        "pointInTimeRecovery": WireField(found="Recovery", like=_recovery_found),
        "serverSideEncryption": WireField(found="SSEDescription", like=_encryption_found, absent={"enabled": False}),
        "ttl": WireField(found="Ttl", like=_ttl_found),
        "streamEnabled": WireField(found="StreamSpecification.StreamEnabled", absent=False),
        "streamViewType": WireField(found="StreamSpecification.StreamViewType"),
    },
    outputs={
        "id": "TableName",
        "arn": "TableArn",
        "streamArn": "LatestStreamArn",
        "streamLabel": "LatestStreamLabel",
    },
    by="TableName",
    make=_make,
    later="pointInTimeRecovery ttl",
    look=_look,
    updates=(
        on("billingMode readCapacity writeCapacity", lambda it: it.ask("update_table", **present(_capacity(it)))),
        on(
            "deletionProtectionEnabled",
            lambda it: it.ask("update_table", DeletionProtectionEnabled=it.value("deletionProtectionEnabled")),
        ),
        on("serverSideEncryption", lambda it: it.ask("update_table", SSESpecification=_encryption(it.inputs))),
        on(
            "streamEnabled streamViewType",
            lambda it: it.ask("update_table", StreamSpecification=_stream(it.inputs)),
        ),
        on("pointInTimeRecovery", _set_recovery),
        on("ttl", _set_ttl),
    ),
    tags=tags_by("tag_resource", "untag_resource", where=arn_as("ResourceArn")),
    remove=lambda it: it.ask("delete_table"),  # the service refuses one with deletion protection
    gone="ResourceNotFoundException TableNotFoundException",
)
KINDS = (TABLE,)
