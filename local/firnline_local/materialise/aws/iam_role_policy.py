"""Inline policies of IAM roles.

Rules: `resourceRolePolicy` of terraform-provider-aws (internal/service/iam/role_policy.go; read there in a version before 6).
"""

from typing import Any

from firnline_local.materialise.aws.inputs import as_document, changed, require_carried
from firnline_local.materialise.aws.normalize import document_like
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules

TYPE = "aws:iam/rolePolicy:RolePolicy"
RULES = Rules(replaced_by=frozenset({"name", "namePrefix", "role"}), conflicts=(frozenset({"name", "namePrefix"}),))
INPUTS = frozenset({"name", "role", "policy"})


def create(inputs: Properties, clients: Clients) -> Made:
    """The service has no other operation to make one than the one that replaces it."""
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    id_ = f"{inputs['role']}:{inputs['name']}"
    return Made(id_, _put(id_, inputs, clients))


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    iam = clients.aws("iam")
    role, name = _parts(id_)
    try:
        found = iam.get_role_policy(RoleName=role, PolicyName=name)
    except iam.exceptions.NoSuchEntityException:
        return None
    policy = document_like(as_document(found["PolicyDocument"]), properties.get("policy"))
    return {"id": id_, "role": role, "name": name, "policy": policy}


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    require_carried(TYPE, new, INPUTS, region=clients.region)
    return _put(id_, new, clients) if "policy" in changed(old, new, RULES) else read(id_, new, clients) or {}


def delete(id_: str, _: Properties, clients: Clients) -> None:
    iam = clients.aws("iam")
    role, name = _parts(id_)
    try:
        iam.delete_role_policy(RoleName=role, PolicyName=name)
    except iam.exceptions.NoSuchEntityException:
        return


def _put(id_: str, inputs: Properties, clients: Clients) -> dict[str, Any]:
    role, name = _parts(id_)
    document = as_document(inputs["policy"])
    clients.aws("iam").put_role_policy(RoleName=role, PolicyName=name, PolicyDocument=document)
    return read(id_, inputs, clients) or {}


def _parts(id_: str) -> tuple[str, str]:
    owner, _, name = id_.partition(":")
    return owner, name
