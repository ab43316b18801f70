"""Secrets, without a value: that is never a resource's.

Rules: `resourceSecret` of terraform-provider-aws (internal/service/secretsmanager/secret.go; read there in a version before 6).
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

TYPE = "aws:secretsmanager/secret:Secret"
RULES = Rules(
    replaced_by=frozenset({"name", "namePrefix", "region"}),
    defaults={
        "description": "",
        "forceOverwriteReplicaSecret": False,
        "kmsKeyId": None,
        "recoveryWindowInDays": 30,
        "tags": {},
    },
    conflicts=(frozenset({"name", "namePrefix"}),),
)
INPUTS = frozenset(
    {
        *("name", "description", "kmsKeyId", "policy", "recoveryWindowInDays", "forceOverwriteReplicaSecret"),
        *("tags", "tagsAll"),
    }
)


def create(inputs: Properties, clients: Clients) -> Made:
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    wanted = {
        "Name": inputs["name"],
        "Description": value_of("description", inputs, RULES),
        "KmsKeyId": inputs.get("kmsKeyId"),
        "Tags": as_list(tags_of(inputs)),
    }
    arn = clients.aws("secretsmanager").create_secret(**present(wanted))["ARN"]
    made = {name: value for name, value in inputs.items() if name != "policy"}
    return Made(arn, update(arn, made, inputs, clients))


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    """A secret that is waiting to be deleted counts as deleted. The window of one that is imported is told by nobody, and
    unknown is 0 to the provider: it is deleted at once (hashicorp/terraform-provider-aws issue 42139)."""
    secrets = clients.aws("secretsmanager")
    try:
        found = secrets.describe_secret(SecretId=id_)
        if "DeletedDate" in found:
            return None
        policy = secrets.get_resource_policy(SecretId=id_).get("ResourcePolicy")
    except secrets.exceptions.ResourceNotFoundException:
        return None
    return present(
        {
            "id": found["ARN"],
            "arn": found["ARN"],
            "name": found["Name"],
            "region": clients.region,
            "description": found.get("Description") or "",
            "kmsKeyId": found.get("KmsKeyId") or None,
            "policy": document_like(policy, properties.get("policy")) if policy else None,
            "recoveryWindowInDays": value_of("recoveryWindowInDays", properties, RULES) if properties else 0,
            "forceOverwriteReplicaSecret": value_of("forceOverwriteReplicaSecret", properties, RULES),
            **as_outputs(found.get("Tags", []), properties),
        }
    )


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    require_carried(TYPE, new, INPUTS, region=clients.region)
    secrets = clients.aws("secretsmanager")
    differs = changed(old, new, RULES)
    if differs & {"description", "kmsKeyId"}:
        description = value_of("description", new, RULES)
        secrets.update_secret(SecretId=id_, Description=description, **present({"KmsKeyId": new.get("kmsKeyId")}))
    if "policy" in differs:
        if new.get("policy"):
            secrets.put_resource_policy(SecretId=id_, ResourcePolicy=as_document(new["policy"]))
        else:
            secrets.delete_resource_policy(SecretId=id_)
    to_set, to_remove = tag_difference(old, new)
    if to_remove:
        secrets.untag_resource(SecretId=id_, TagKeys=to_remove)
    if to_set:
        secrets.tag_resource(SecretId=id_, Tags=as_list(to_set))
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    """Its name stays taken for as many days as it can be restored; for none where that is 0."""
    if read(id_, properties, clients) is None:
        return
    days = value_of("recoveryWindowInDays", properties, RULES)
    how = {"RecoveryWindowInDays": days} if days else {"ForceDeleteWithoutRecovery": True}
    clients.aws("secretsmanager").delete_secret(SecretId=id_, **how)
