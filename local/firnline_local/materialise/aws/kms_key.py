"""KMS keys.

Rules: `resourceKey` of terraform-provider-aws 6 (internal/service/kms/key.go).
"""

from typing import Any

from firnline_local.materialise.aws.inputs import (
    as_document,
    as_list,
    as_outputs,
    changed,
    require_carried,
    tag_difference,
    tags_of,
    value_of,
)
from firnline_local.materialise.aws.normalize import document_like, present
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules

TYPE = "aws:kms/key:Key"
RULES = Rules(
    replaced_by=frozenset(
        {"customerMasterKeySpec", "customKeyStoreId", "keyUsage", "multiRegion", "region", "xksKeyId"}
    ),
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
        "customerMasterKeySpec": frozenset(
            {
                *("SYMMETRIC_DEFAULT", "RSA_2048", "RSA_3072", "RSA_4096", "SM2"),
                *("ECC_NIST_P256", "ECC_NIST_P384", "ECC_NIST_P521", "ECC_SECG_P256K1", "ECC_NIST_EDWARDS25519"),
                *("HMAC_224", "HMAC_256", "HMAC_384", "HMAC_512", "ML_DSA_44", "ML_DSA_65", "ML_DSA_87"),
                *("ML_KEM_512", "ML_KEM_768", "ML_KEM_1024"),
            }
        ),
        "keyUsage": frozenset(
            {"ENCRYPT_DECRYPT", "SIGN_VERIFY", "GENERATE_VERIFY_MAC", "KEY_AGREEMENT", "ENCAPSULATE_DECAPSULATE"}
        ),
    },
)
INPUTS = frozenset(
    {
        *("description", "policy", "enableKeyRotation", "rotationPeriodInDays", "isEnabled", "deletionWindowInDays"),
        *("bypassPolicyLockoutSafetyCheck", "customerMasterKeySpec", "keyUsage", "multiRegion", "tags", "tagsAll"),
    }
)
ROTATION_DAYS = 365  # where no other number was asked for


def create(inputs: Properties, clients: Clients) -> Made:
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    wanted = {
        "Description": inputs.get("description"),
        "Policy": as_document(inputs["policy"]) if inputs.get("policy") else None,
        "BypassPolicyLockoutSafetyCheck": inputs.get("bypassPolicyLockoutSafetyCheck"),
        "KeySpec": value_of("customerMasterKeySpec", inputs, RULES),
        "KeyUsage": value_of("keyUsage", inputs, RULES),
        "MultiRegion": inputs.get("multiRegion"),
        "Tags": as_list(tags_of(inputs), key="TagKey", value="TagValue"),
    }
    key = clients.aws("kms").create_key(**present(wanted))["KeyMetadata"]["KeyId"]
    later = {"enableKeyRotation", "rotationPeriodInDays", "isEnabled"}
    made = {name: value for name, value in inputs.items() if name not in later}
    return Made(key, update(key, made, inputs, clients))


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    """A key that is waiting to be deleted counts as deleted."""
    kms = clients.aws("kms")
    try:
        found = kms.describe_key(KeyId=id_)["KeyMetadata"]
        if found["KeyState"] in {"PendingDeletion", "PendingReplicaDeletion"}:
            return None
        policy = kms.get_key_policy(KeyId=id_, PolicyName="default")["Policy"]
        rotation = kms.get_key_rotation_status(KeyId=id_)
        tags = kms.list_resource_tags(KeyId=id_)["Tags"]
    except kms.exceptions.NotFoundException:
        return None
    rotates = rotation["KeyRotationEnabled"]
    return present(
        {
            "id": found["KeyId"],
            "arn": found["Arn"],
            "keyId": found["KeyId"],
            "region": clients.region,
            "description": found.get("Description", ""),
            "policy": document_like(policy, properties.get("policy")),
            "enableKeyRotation": rotates,
            "rotationPeriodInDays": rotation.get("RotationPeriodInDays", ROTATION_DAYS) if rotates else None,
            "isEnabled": found["Enabled"],
            "customerMasterKeySpec": found["KeySpec"],
            "keyUsage": found["KeyUsage"],
            "multiRegion": found.get("MultiRegion", False),
            "deletionWindowInDays": properties.get("deletionWindowInDays"),
            "bypassPolicyLockoutSafetyCheck": value_of("bypassPolicyLockoutSafetyCheck", properties, RULES),
            **as_outputs({tag["TagKey"]: tag["TagValue"] for tag in tags}, properties),
        }
    )


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    """A key is enabled before, and disabled after, everything else: a disabled one takes no other change."""
    require_carried(TYPE, new, INPUTS, region=clients.region)
    kms = clients.aws("kms")
    differs = changed(old, new, RULES)
    is_enabled = value_of("isEnabled", new, RULES)
    if "isEnabled" in differs and is_enabled:
        kms.enable_key(KeyId=id_)
    if differs & {"enableKeyRotation", "rotationPeriodInDays"}:
        _set_rotation(kms, id_, new)
    if "description" in differs:
        kms.update_key_description(KeyId=id_, Description=new.get("description") or "")
    if "policy" in differs and new.get("policy"):
        bypass = value_of("bypassPolicyLockoutSafetyCheck", new, RULES)
        document = as_document(new["policy"])
        kms.put_key_policy(KeyId=id_, PolicyName="default", Policy=document, BypassPolicyLockoutSafetyCheck=bypass)
    to_set, to_remove = tag_difference(old, new)
    if to_remove:
        kms.untag_resource(KeyId=id_, TagKeys=to_remove)
    if to_set:
        kms.tag_resource(KeyId=id_, Tags=as_list(to_set, key="TagKey", value="TagValue"))
    if "isEnabled" in differs and not is_enabled:
        kms.disable_key(KeyId=id_)
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    """Schedules the deletion; the service has no other."""
    if read(id_, properties, clients) is None:
        return
    days = properties.get("deletionWindowInDays")
    clients.aws("kms").schedule_key_deletion(KeyId=id_, **present({"PendingWindowInDays": days}))


def _set_rotation(kms: Any, key: str, inputs: Properties) -> None:
    if value_of("enableKeyRotation", inputs, RULES):
        days = inputs.get("rotationPeriodInDays")
        kms.enable_key_rotation(KeyId=key, **present({"RotationPeriodInDays": days}))
    else:
        kms.disable_key_rotation(KeyId=key)
