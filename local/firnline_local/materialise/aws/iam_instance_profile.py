"""Instance profiles, with the one role that IAM takes for each.

Rules: `resourceInstanceProfile` of terraform-provider-aws 6 (internal/service/iam/instance_profile.go).
"""

from typing import Any

from firnline_local.materialise.aws.inputs import (
    as_list,
    as_outputs,
    changed,
    require_carried,
    tag_difference,
    tags_of,
    value_of,
)
from firnline_local.materialise.aws.normalize import present
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules

TYPE = "aws:iam/instanceProfile:InstanceProfile"
RULES = Rules(
    replaced_by=frozenset({"name", "namePrefix", "path"}),
    defaults={"path": "/", "role": None, "tags": {}},
    conflicts=(frozenset({"name", "namePrefix"}),),
)
INPUTS = frozenset({"name", "path", "role", "tags", "tagsAll"})


def create(inputs: Properties, clients: Clients) -> Made:
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    iam, name = clients.aws("iam"), inputs["name"]
    iam.create_instance_profile(
        InstanceProfileName=name, Path=value_of("path", inputs, RULES), Tags=as_list(tags_of(inputs))
    )
    if role := inputs.get("role"):
        iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=role)
    return Made(name, read(name, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    iam = clients.aws("iam")
    try:
        found = iam.get_instance_profile(InstanceProfileName=id_)["InstanceProfile"]
    except iam.exceptions.NoSuchEntityException:
        return None
    return present(
        {
            "id": id_,
            "arn": found["Arn"],
            "name": found["InstanceProfileName"],
            "uniqueId": found["InstanceProfileId"],
            "createDate": found["CreateDate"].strftime("%Y-%m-%dT%H:%M:%SZ"),
            "path": found["Path"],
            "role": next((role["RoleName"] for role in found["Roles"]), None),
            **as_outputs(found.get("Tags", []), properties),
        }
    )


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    require_carried(TYPE, new, INPUTS, region=clients.region)
    iam = clients.aws("iam")
    if "role" in changed(old, new, RULES):
        _take_role(iam, id_)
        if role := new.get("role"):
            iam.add_role_to_instance_profile(InstanceProfileName=id_, RoleName=role)
    to_set, to_remove = tag_difference(old, new)
    if to_remove:
        iam.untag_instance_profile(InstanceProfileName=id_, TagKeys=to_remove)
    if to_set:
        iam.tag_instance_profile(InstanceProfileName=id_, Tags=as_list(to_set))
    return read(id_, new, clients) or {}


def delete(id_: str, _: Properties, clients: Clients) -> None:
    """IAM wants the role taken out first."""
    iam = clients.aws("iam")
    try:
        _take_role(iam, id_)
        iam.delete_instance_profile(InstanceProfileName=id_)
    except iam.exceptions.NoSuchEntityException:
        return


def _take_role(iam: Any, id_: str) -> None:
    for role in iam.get_instance_profile(InstanceProfileName=id_)["InstanceProfile"]["Roles"]:
        iam.remove_role_from_instance_profile(InstanceProfileName=id_, RoleName=role["RoleName"])
