"""KMS: keys, and their names.

Rules: terraform-provider-aws, internal/service/kms/ (`resourceKey` of 6; `resourceAlias` read in a version before 6).
"""

from collections.abc import Iterator
from functools import partial

from firnline_local.providers.aws.kind import AwsKind, Subject, WireField, document, made_by, on, sends, tags_by
from firnline_local.providers.aws.values import as_document, as_list, present
from firnline_local.providers.kind import Form, Properties, Rules

PENDING = {"PendingDeletion", "PendingReplicaDeletion"}
_as_list = partial(as_list, key="TagKey", value="TagValue")


def _a_period_needs_rotation(inputs: Properties) -> Iterator[str]:
    """RequiredWith in key.go, which asks whether both are given and not for their values."""
    if "rotationPeriodInDays" in inputs and "enableKeyRotation" not in inputs:
        yield "rotationPeriodInDays: all of `enable_key_rotation,rotation_period_in_days` must be specified."


def _look_at_key(it: Subject) -> Properties | None:
    """A key that is waiting to be deleted counts as deleted."""
    found = it.ask("describe_key")["KeyMetadata"]
    if found["KeyState"] in PENDING:
        return None
    return {
        **found,
        "Policy": it.ask("get_key_policy", PolicyName="default")["Policy"],
        "Rotates": it.ask("get_key_rotation_status")["KeyRotationEnabled"],
        "Tags": {tag["TagKey"]: tag["TagValue"] for tag in it.ask("list_resource_tags")["Tags"]},
    }


def _enable(it: Subject) -> None:
    if it.value("isEnabled"):
        it.ask("enable_key")


def _disable(it: Subject) -> None:
    if not it.value("isEnabled"):
        it.ask("disable_key")


def _set_rotation(it: Subject) -> None:
    it.ask("enable_key_rotation" if it.value("enableKeyRotation") else "disable_key_rotation")


def _set_policy(it: Subject) -> None:
    if it.inputs.get("policy"):
        bypass = it.value("bypassPolicyLockoutSafetyCheck")
        asked = {"PolicyName": "default", "Policy": as_document(it.inputs["policy"])}
        it.ask("put_key_policy", **asked, BypassPolicyLockoutSafetyCheck=bypass)


def _remove_key(it: Subject) -> None:
    """Schedules the deletion; the service has no other."""
    days = it.inputs.get("deletionWindowInDays")
    it.ask("schedule_key_deletion", **present({"PendingWindowInDays": days}))


KEY = AwsKind(
    type="aws:kms/key:Key",
    service="kms",
    rules=Rules.of(
        "customerMasterKeySpec customKeyStoreId keyUsage multiRegion region xksKeyId",
        defaults={
            "bypassPolicyLockoutSafetyCheck": False,
            "customerMasterKeySpec": "SYMMETRIC_DEFAULT",
            "deletionWindowInDays": None,
            "enableKeyRotation": False,
            "isEnabled": True,
            "keyUsage": "ENCRYPT_DECRYPT",
            "tags": {},
        },
        values={
            "customerMasterKeySpec": (
                "SYMMETRIC_DEFAULT RSA_2048 RSA_3072 RSA_4096 SM2 ECC_NIST_P256 ECC_NIST_P384 ECC_NIST_P521 "
                "ECC_SECG_P256K1 ECC_NIST_EDWARDS25519 HMAC_224 HMAC_256 HMAC_384 HMAC_512 ML_DSA_44 ML_DSA_65 "
                "ML_DSA_87 ML_KEM_512 ML_KEM_768 ML_KEM_1024"
            ),
            "keyUsage": "ENCRYPT_DECRYPT SIGN_VERIFY GENERATE_VERIFY_MAC KEY_AGREEMENT ENCAPSULATE_DECAPSULATE",
        },
        lengths={"description": (0, 8192)},
        ranges={"deletionWindowInDays": (7, 30), "rotationPeriodInDays": (90, 2560)},
        json="policy",
        checks=(_a_period_needs_rotation,),
    ),
    fields={
        "description": WireField("Description", absent=""),
        "policy": document("Policy"),
        "enableKeyRotation": WireField(found="Rotates"),
        "isEnabled": WireField(found="Enabled"),
        "customerMasterKeySpec": "KeySpec",
        "keyUsage": "KeyUsage",
        "multiRegion": WireField("MultiRegion", absent=False),
    },
    outputs={"id": "KeyId", "arn": "Arn", "keyId": "KeyId"},
    kept="deletionWindowInDays bypassPolicyLockoutSafetyCheck",
    by="KeyId",
    make=made_by("create_key", "KeyMetadata.KeyId", tags=_as_list),
    later="enableKeyRotation isEnabled",
    look=_look_at_key,
    updates=(  # it is enabled before, and disabled after, everything else: a disabled one takes no other change
        on("isEnabled", _enable),
        on("enableKeyRotation", _set_rotation),
        on("description", lambda it: it.ask("update_key_description", Description=it.inputs.get("description") or "")),
        on("policy", _set_policy),
        on("isEnabled", _disable),
    ),
    tags=tags_by("tag_resource", "untag_resource", written=_as_list),
    remove=_remove_key,
    looks_before=True,
    gone="NotFoundException",
)


def _look_at_alias(it: Subject) -> Properties | None:
    pages = it.client.get_paginator("list_aliases").paginate()
    found = next((alias for page in pages for alias in page["Aliases"] if alias["AliasName"] == it.id), None)
    if found is None:
        return None
    key_arn = f"{found['AliasArn'].rpartition(':')[0]}:key/{found['TargetKeyId']}"
    is_named_by_arn = it.inputs.get("targetKeyId") == key_arn
    return {**found, "TargetKeyArn": key_arn, "Target": key_arn if is_named_by_arn else found["TargetKeyId"]}


ALIAS = AwsKind(
    type="aws:kms/alias:Alias",
    service="kms",
    rules=Rules.of(
        "name namePrefix region",
        conflicts="name namePrefix",
        forms={
            "name": Form(
                r"alias/(?!aws/)[0-9A-Za-z_/-]+", "alias/ with letters, digits and _/-, which AWS's own are not"
            )
        },
    ),
    fields={"name": "AliasName", "targetKeyId": WireField("TargetKeyId", "Target")},
    outputs={"arn": "AliasArn", "targetKeyArn": "TargetKeyArn"},
    by="AliasName",
    make=made_by("create_alias", "{name}"),
    look=_look_at_alias,
    updates=(sends("update_alias", "targetKeyId"),),
    remove=lambda it: it.ask("delete_alias"),
    gone="NotFoundException",
)
KINDS = (ALIAS, KEY)
