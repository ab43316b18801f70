"""Names of KMS keys.

Rules: `resourceAlias` of terraform-provider-aws (internal/service/kms/alias.go; read there in a version before 6).
"""

from typing import Any

from firnline_local.materialise.aws.inputs import changed, require_carried
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules

TYPE = "aws:kms/alias:Alias"
RULES = Rules(replaced_by=frozenset({"name", "namePrefix", "region"}), conflicts=(frozenset({"name", "namePrefix"}),))
INPUTS = frozenset({"name", "targetKeyId"})


def create(inputs: Properties, clients: Clients) -> Made:
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    clients.aws("kms").create_alias(AliasName=inputs["name"], TargetKeyId=inputs["targetKeyId"])
    return Made(inputs["name"], read(inputs["name"], inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    """`targetKeyId` stays an ARN where it was given as one."""
    kms = clients.aws("kms")
    pages = kms.get_paginator("list_aliases").paginate()
    found = next((alias for page in pages for alias in page["Aliases"] if alias["AliasName"] == id_), None)
    if found is None:
        return None
    key_arn = f"{found['AliasArn'].rpartition(':')[0]}:key/{found['TargetKeyId']}"
    known = properties.get("targetKeyId")
    return {
        "id": id_,
        "arn": found["AliasArn"],
        "name": id_,
        "region": clients.region,
        "targetKeyId": key_arn if known == key_arn else found["TargetKeyId"],
        "targetKeyArn": key_arn,
    }


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    require_carried(TYPE, new, INPUTS, region=clients.region)
    if "targetKeyId" in changed(old, new, RULES):
        clients.aws("kms").update_alias(AliasName=id_, TargetKeyId=new["targetKeyId"])
    return read(id_, new, clients) or {}


def delete(id_: str, _: Properties, clients: Clients) -> None:
    kms = clients.aws("kms")
    try:
        kms.delete_alias(AliasName=id_)
    except kms.exceptions.NotFoundException:
        return
