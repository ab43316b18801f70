"""IAM users.

Rules: `resourceUser` of terraform-provider-aws (internal/service/iam/user.go; read there in a version before 6). A user is
renamed and moved, and is not another one afterwards: so its name is where it is known last, and its id only until then.
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

TYPE = "aws:iam/user:User"
RULES = Rules(
    replaced_by=frozenset(),
    defaults={"forceDestroy": False, "path": "/", "permissionsBoundary": None, "tags": {}},
)
INPUTS = frozenset({"name", "path", "permissionsBoundary", "forceDestroy", "tags", "tagsAll"})


def create(inputs: Properties, clients: Clients) -> Made:
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    wanted = {
        "UserName": inputs["name"],
        "Path": value_of("path", inputs, RULES),
        "PermissionsBoundary": inputs.get("permissionsBoundary"),
        "Tags": as_list(tags_of(inputs)),
    }
    clients.aws("iam").create_user(**present(wanted))
    return Made(inputs["name"], read(inputs["name"], inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    iam, name = clients.aws("iam"), properties.get("name") or id_
    try:
        found = iam.get_user(UserName=name)["User"]
        tags = iam.list_user_tags(UserName=name)["Tags"]
    except iam.exceptions.NoSuchEntityException:
        return None
    return present(
        {
            "id": found["UserName"],
            "arn": found["Arn"],
            "name": found["UserName"],
            "uniqueId": found["UserId"],
            "path": found["Path"],
            "permissionsBoundary": found.get("PermissionsBoundary", {}).get("PermissionsBoundaryArn"),
            "forceDestroy": value_of("forceDestroy", properties, RULES),
            **as_outputs(tags, properties),
        }
    )


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    require_carried(TYPE, new, INPUTS, region=clients.region)
    iam = clients.aws("iam")
    differs, name = changed(old, new, RULES), new["name"]
    if differs & {"name", "path"}:
        iam.update_user(UserName=old["name"], NewUserName=name, NewPath=value_of("path", new, RULES))
    if "permissionsBoundary" in differs:
        if boundary := new.get("permissionsBoundary"):
            iam.put_user_permissions_boundary(UserName=name, PermissionsBoundary=boundary)
        else:
            iam.delete_user_permissions_boundary(UserName=name)
    to_set, to_remove = tag_difference(old, new)
    if to_remove:
        iam.untag_user(UserName=name, TagKeys=to_remove)
    if to_set:
        iam.tag_user(UserName=name, Tags=as_list(to_set))
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    """A user that has policies or keys is refused; `forceDestroy` removes the keys first. Of what the stock provider removes
    then, passwords and devices among it, a user has nothing else here."""
    iam, name = clients.aws("iam"), properties.get("name") or id_
    try:
        if value_of("forceDestroy", properties, RULES):
            for key in iam.list_access_keys(UserName=name)["AccessKeyMetadata"]:
                iam.delete_access_key(UserName=name, AccessKeyId=key["AccessKeyId"])
        iam.delete_user(UserName=name)
    except iam.exceptions.NoSuchEntityException:
        return
