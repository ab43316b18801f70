"""Rows of principals: what an engine is in AWS, a role or a user with static keys, with the policy of its features."""

from collections.abc import Iterator
from dataclasses import replace

from firnline_infra.blueprint.aws import IamRole, IamUser
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.trust import trust
from firnline_infra.blueprint.principals import principals_policy
from firnline_infra.blueprint.value import Reference
from firnline_infra.environment import Environment
from firnline_infra.kinds.resource import Component, PolicyText, Resource
from firnline_infra.specification.runtime import ROLELESS, Trust


def engine_roles(environment: Environment) -> Iterator[Component]:
    """The role that the engine runs as, if it is made here."""
    runtime = environment.aws.runtime
    if runtime.trust in ROLELESS or runtime.role_arn is not None:
        return
    role = IamRole(
        name=environment.names.engine_role,
        trust=_trust(environment),
        statements=principals_policy(environment),
        description=_description(environment),
        permissions_boundary=environment.aws.permissions_boundary,
        tags=environment.tags("engine"),
    )
    made = runtime_role("engine-role", role)
    yield replace(made, gives={Reference("role"): made.outputs["arn"], Reference("role", "name"): made.outputs["name"]})


def engine_users(environment: Environment) -> Iterator[Component]:
    """The user of an engine outside AWS."""
    if environment.aws.runtime.trust is not Trust.STATIC_KEYS:
        return
    user = IamUser(
        name=environment.names.engine_user,
        statements=principals_policy(environment),
        description=_description(environment),
        permissions_boundary=environment.aws.permissions_boundary,
        tags=environment.tags("engine"),
    )
    yield runtime_user("engine-user", user)


def adopted_policies(environment: Environment) -> dict[Reference, PolicyText]:
    """Returns what the owner of an adopted role gives it; nothing is made of it."""
    if environment.aws.runtime.role_arn is None:
        return {}
    return {
        Reference("adopted-role", "policy"): PolicyText(principals_policy(environment)),
        Reference("adopted-role", "trust"): PolicyText(_trust(environment)),
    }


def _trust(environment: Environment) -> tuple[PolicyStatement, ...]:
    aws = environment.aws
    return trust(aws.runtime, partition=aws.partition, account=aws.account, role=environment.names.engine_role)


def _description(environment: Environment) -> str:
    return f"Firnline's engine, environment {environment.name}"


def runtime_role(name: str, args: IamRole) -> Component:
    """A role and its one inline policy."""
    role = Resource(
        "aws_iam_role",
        f"{name}-role",
        {
            "name": args.name,
            "description": args.description,
            "assume_role_policy": PolicyText(args.trust),
            "permissions_boundary": args.permissions_boundary,
            "tags": args.tags,
        },
    )
    policy = Resource(
        "aws_iam_role_policy",
        f"{name}-policy",
        {"name": args.policy_name, "role": role["name"], "policy": PolicyText(args.statements)},
    )
    return Component("RuntimeRole", name, (role, policy), {"name": role["name"], "arn": role["arn"]})


def runtime_user(name: str, args: IamUser) -> Component:
    """A user with one managed policy of its own."""
    user = Resource(
        "aws_iam_user",
        f"{name}-user",
        {
            "name": args.name,
            "force_destroy": args.force_destroy,
            "permissions_boundary": args.permissions_boundary,
            "tags": args.tags,
        },
    )
    policy = Resource(
        "aws_iam_policy",
        f"{name}-policy",
        {
            "name": args.name,
            "path": args.policy_path,
            "description": args.description,
            "policy": PolicyText(args.statements),
            "tags": args.tags,
        },
    )
    attached = {"user": user["name"], "policy_arn": policy["arn"]}
    attachment = Resource("aws_iam_user_policy_attachment", f"{name}-attachment", attached)
    return Component("RuntimeUser", name, (user, policy, attachment), {"name": user["name"], "arn": user["arn"]})
