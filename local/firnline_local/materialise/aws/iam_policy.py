"""Customer-managed IAM policies. What they are attached to are resources of their own.

Rules: `resourcePolicy` of terraform-provider-aws 6 (internal/service/iam/policy.go). A new document is a new version, and
the default one; of the five that IAM keeps, the oldest makes room.
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

TYPE = "aws:iam/policy:Policy"
RULES = Rules(
    replaced_by=frozenset({"name", "namePrefix", "path", "description"}),
    defaults={"description": "", "path": "/", "tags": {}},
    conflicts=(frozenset({"name", "namePrefix"}),),
)
INPUTS = frozenset({"name", "path", "description", "policy", "tags", "tagsAll"})
MOST_VERSIONS = 5  # IAM user guide, "IAM and AWS STS quotas"


def create(inputs: Properties, clients: Clients) -> Made:
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    made = clients.aws("iam").create_policy(
        PolicyName=inputs["name"],
        PolicyDocument=as_document(inputs["policy"]),
        Description=value_of("description", inputs, RULES),
        Path=value_of("path", inputs, RULES),
        Tags=as_list(tags_of(inputs)),
    )
    arn = made["Policy"]["Arn"]
    return Made(arn, read(arn, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    iam = clients.aws("iam")
    try:
        found = iam.get_policy(PolicyArn=id_)["Policy"]
        version = iam.get_policy_version(PolicyArn=id_, VersionId=found["DefaultVersionId"])["PolicyVersion"]
    except iam.exceptions.NoSuchEntityException:
        return None
    return present(
        {
            "id": found["Arn"],
            "arn": found["Arn"],
            "name": found["PolicyName"],
            "policyId": found["PolicyId"],
            "path": found["Path"],
            "description": found.get("Description") or "",
            "policy": document_like(as_document(version["Document"]), properties.get("policy")),
            "attachmentCount": found["AttachmentCount"],
            **as_outputs(found.get("Tags", []), properties),
        }
    )


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    require_carried(TYPE, new, INPUTS, region=clients.region)
    iam = clients.aws("iam")
    if "policy" in changed(old, new, RULES):
        _make_room(iam, id_)
        iam.create_policy_version(PolicyArn=id_, PolicyDocument=as_document(new["policy"]), SetAsDefault=True)
    to_set, to_remove = tag_difference(old, new)
    if to_remove:
        iam.untag_policy(PolicyArn=id_, TagKeys=to_remove)
    if to_set:
        iam.tag_policy(PolicyArn=id_, Tags=as_list(to_set))
    return read(id_, new, clients) or {}


def delete(id_: str, _: Properties, clients: Clients) -> None:
    """With its other versions, which IAM wants gone first. A policy that is attached is refused."""
    iam = clients.aws("iam")
    try:
        for version in _versions(iam, id_):
            if not version["IsDefaultVersion"]:
                iam.delete_policy_version(PolicyArn=id_, VersionId=version["VersionId"])
        iam.delete_policy(PolicyArn=id_)
    except iam.exceptions.NoSuchEntityException:
        return


def _make_room(iam: Any, arn: str) -> None:
    versions = _versions(iam, arn)
    if len(versions) >= MOST_VERSIONS:
        oldest = min((each for each in versions if not each["IsDefaultVersion"]), key=lambda each: each["CreateDate"])
        iam.delete_policy_version(PolicyArn=arn, VersionId=oldest["VersionId"])


def _versions(iam: Any, arn: str) -> list[dict[str, Any]]:
    pages = iam.get_paginator("list_policy_versions").paginate(PolicyArn=arn)
    return [version for page in pages for version in page["Versions"]]
