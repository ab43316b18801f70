"""IAM roles. Their inline policies are resources of their own.

Rules: `resourceRole` of terraform-provider-aws (internal/service/iam/role.go; read there in a version before 6).
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

TYPE = "aws:iam/role:Role"
RULES = Rules(
    replaced_by=frozenset({"name", "namePrefix", "path"}),
    defaults={
        "description": "",
        "forceDetachPolicies": False,
        "maxSessionDuration": 3600,
        "path": "/",
        "permissionsBoundary": None,
        "tags": {},
    },
    conflicts=(frozenset({"name", "namePrefix"}),),
)
INPUTS = frozenset(
    {
        *("name", "assumeRolePolicy", "description", "forceDetachPolicies", "maxSessionDuration", "path"),
        *("permissionsBoundary", "tags", "tagsAll"),
    }
)


def create(inputs: Properties, clients: Clients) -> Made:
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    wanted = {
        "RoleName": inputs["name"],
        "AssumeRolePolicyDocument": as_document(inputs["assumeRolePolicy"]),
        "Description": value_of("description", inputs, RULES),
        "MaxSessionDuration": value_of("maxSessionDuration", inputs, RULES),
        "Path": value_of("path", inputs, RULES),
        "PermissionsBoundary": inputs.get("permissionsBoundary"),
        "Tags": as_list(tags_of(inputs)),
    }
    clients.aws("iam").create_role(**present(wanted))
    return Made(inputs["name"], read(inputs["name"], inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    iam = clients.aws("iam")
    try:
        found = iam.get_role(RoleName=id_)["Role"]
    except iam.exceptions.NoSuchEntityException:
        return None
    return present(
        {
            "id": found["RoleName"],
            "arn": found["Arn"],
            "name": found["RoleName"],
            "uniqueId": found["RoleId"],
            "createDate": found["CreateDate"].strftime("%Y-%m-%dT%H:%M:%SZ"),
            "assumeRolePolicy": document_like(
                as_document(found["AssumeRolePolicyDocument"]), properties.get("assumeRolePolicy")
            ),
            "description": found.get("Description") or "",
            "maxSessionDuration": found.get("MaxSessionDuration", 3600),
            "path": found["Path"],
            "permissionsBoundary": found.get("PermissionsBoundary", {}).get("PermissionsBoundaryArn"),
            "forceDetachPolicies": value_of("forceDetachPolicies", properties, RULES),
            **as_outputs(found.get("Tags", []), properties),
        }
    )


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    require_carried(TYPE, new, INPUTS, region=clients.region)
    iam = clients.aws("iam")
    differs = changed(old, new, RULES)
    if "assumeRolePolicy" in differs:
        iam.update_assume_role_policy(RoleName=id_, PolicyDocument=as_document(new["assumeRolePolicy"]))
    if differs & {"description", "maxSessionDuration"}:
        description, seconds = (value_of(name, new, RULES) for name in ("description", "maxSessionDuration"))
        iam.update_role(RoleName=id_, Description=description, MaxSessionDuration=seconds)
    if "permissionsBoundary" in differs:
        if boundary := new.get("permissionsBoundary"):
            iam.put_role_permissions_boundary(RoleName=id_, PermissionsBoundary=boundary)
        else:
            iam.delete_role_permissions_boundary(RoleName=id_)
    to_set, to_remove = tag_difference(old, new)
    if to_remove:
        iam.untag_role(RoleName=id_, TagKeys=to_remove)
    if to_set:
        iam.tag_role(RoleName=id_, Tags=as_list(to_set))
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    """A role that still has policies is refused, unless `forceDetachPolicies` says to remove them too."""
    iam = clients.aws("iam")
    try:
        if value_of("forceDetachPolicies", properties, RULES):
            _detach(iam, id_)
        iam.delete_role(RoleName=id_)
    except iam.exceptions.NoSuchEntityException:
        return


def _detach(iam: Any, role: str) -> None:
    for policy in iam.list_attached_role_policies(RoleName=role)["AttachedPolicies"]:
        iam.detach_role_policy(RoleName=role, PolicyArn=policy["PolicyArn"])
    for name in iam.list_role_policies(RoleName=role)["PolicyNames"]:
        iam.delete_role_policy(RoleName=role, PolicyName=name)
