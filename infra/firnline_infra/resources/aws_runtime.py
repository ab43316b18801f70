"""Resources of principals in AWS: roles and users, each with its policy."""

from firnline_infra.blueprint.aws import IamRole, IamUser
from firnline_infra.kinds.resource import Component, PolicyText, Resource


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
