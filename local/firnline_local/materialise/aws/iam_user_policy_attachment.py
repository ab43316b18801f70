"""Managed policies that IAM users have.

Rules: `resourceUserPolicyAttachment` of terraform-provider-aws 6 (internal/service/iam/user_policy_attachment.go).
"""

from typing import Any

from firnline_local.materialise.aws.inputs import require_carried
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules

TYPE = "aws:iam/userPolicyAttachment:UserPolicyAttachment"
INPUTS = frozenset({"user", "policyArn"})
RULES = Rules(replaced_by=INPUTS)


def create(inputs: Properties, clients: Clients) -> Made:
    """Attaching twice is attaching once."""
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    id_ = f"{inputs['user']}/{inputs['policyArn']}"
    clients.aws("iam").attach_user_policy(UserName=inputs["user"], PolicyArn=inputs["policyArn"])
    return Made(id_, read(id_, inputs, clients) or {})


def read(id_: str, _: Properties, clients: Clients) -> dict[str, Any] | None:
    iam = clients.aws("iam")
    user, policy = _parts(id_)
    try:
        pages = iam.get_paginator("list_attached_user_policies").paginate(UserName=user)
        attached = {each["PolicyArn"] for page in pages for each in page["AttachedPolicies"]}
    except iam.exceptions.NoSuchEntityException:
        return None
    return {"id": id_, "user": user, "policyArn": policy} if policy in attached else None


def update(_id: str, _old: Properties, _new: Properties, _clients: Clients) -> Properties:
    raise AssertionError(f"every input of {TYPE} replaces it")


def delete(id_: str, _: Properties, clients: Clients) -> None:
    iam = clients.aws("iam")
    user, policy = _parts(id_)
    try:
        iam.detach_user_policy(UserName=user, PolicyArn=policy)
    except iam.exceptions.NoSuchEntityException:
        return


def _parts(id_: str) -> tuple[str, str]:
    """An ARN has slashes too; a user's name has none."""
    user, _, policy = id_.partition("/")
    return user, policy
