"""What the engine, its machines and Snowflake are in AWS."""

import pulumi
import pulumi_aws as aws

from firnline_infra.blueprint.aws import IamRole as RuntimeRoleArgs
from firnline_infra.blueprint.aws import IamUser as RuntimeUserArgs
from firnline_infra.blueprint.runtime import InstanceProfileDefinition as InstanceProfileArgs
from firnline_infra.pulumi.options import child_of
from firnline_infra.pulumi.references import as_input, policy_json

__all__ = ["InstanceProfile", "InstanceProfileArgs", "RuntimeRole", "RuntimeRoleArgs", "RuntimeUser", "RuntimeUserArgs"]


class RuntimeRole(pulumi.ComponentResource):
    """Creates an IAM role and its one inline policy, exactly as the statements say.

    >>> from firnline_infra.blueprint.iam import PolicyStatement
    >>> service = {"Service": "emr-serverless.amazonaws.com"}
    >>> trust = PolicyStatement(sid="Emr", actions=("sts:AssumeRole",), principals=service)
    >>> stream = "arn:aws:kinesis:eu-west-1:111122223333:stream/orders"
    >>> read = PolicyStatement(sid="Read", actions=("kinesis:GetRecords",), resources=(stream,))
    >>> role = RuntimeRole("engine", RuntimeRoleArgs(name="orders-engine", trust=(trust,), statements=(read,)))

    To adopt: `pulumi import aws:iam/role:Role NAME-role ROLE`, `aws:iam/rolePolicy:RolePolicy NAME-policy ROLE:firnline`.
    """

    name: pulumi.Output[str]
    arn: pulumi.Output[str]

    def __init__(self, name: str, args: RuntimeRoleArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:RuntimeRole", name, None, opts)
        role = aws.iam.Role(
            f"{name}-role",
            name=args.name,
            description=args.description,
            assume_role_policy=policy_json(args.trust),
            permissions_boundary=args.permissions_boundary,
            tags=args.tags,
            opts=child_of(self),
        )
        aws.iam.RolePolicy(
            f"{name}-policy",
            name=args.policy_name,
            role=role.name,
            policy=policy_json(args.statements),
            opts=child_of(self),
        )
        self.name, self.arn = role.name, role.arn
        self.register_outputs({"name": self.name, "arn": self.arn})


class RuntimeUser(pulumi.ComponentResource):
    """Creates an IAM user with one managed policy of its own. Its access keys are made where no state sees them.

    >>> from firnline_infra.blueprint.iam import PolicyStatement
    >>> stream = "arn:aws:kinesis:eu-west-1:111122223333:stream/orders"
    >>> read = PolicyStatement(sid="Read", actions=("kinesis:GetRecords",), resources=(stream,))
    >>> user = RuntimeUser("engine", RuntimeUserArgs(name="orders-engine", statements=(read,)))

    To adopt: `pulumi import aws:iam/user:User NAME-user USER`, `aws:iam/policy:Policy NAME-policy POLICY_ARN`. What a user
    has is attached again, which changes nothing.
    """

    name: pulumi.Output[str]
    arn: pulumi.Output[str]

    def __init__(self, name: str, args: RuntimeUserArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:RuntimeUser", name, None, opts)
        user = aws.iam.User(
            f"{name}-user",
            name=args.name,
            force_destroy=args.force_destroy,
            permissions_boundary=args.permissions_boundary,
            tags=args.tags,
            opts=child_of(self),
        )
        policy = aws.iam.Policy(
            f"{name}-policy",
            name=args.name,
            path=args.policy_path,
            description=args.description,
            policy=policy_json(args.statements),
            tags=args.tags,
            opts=child_of(self),
        )
        aws.iam.UserPolicyAttachment(f"{name}-attachment", user=user.name, policy_arn=policy.arn, opts=child_of(self))
        self.name, self.arn = user.name, user.arn
        self.register_outputs({"name": self.name, "arn": self.arn})


class InstanceProfile(pulumi.ComponentResource):
    """Creates an instance profile with one role: what runs on a machine that has it is that role.

    >>> profile = InstanceProfile("profile", InstanceProfileArgs(name="orders-engine", role="orders-engine"))

    To adopt: `pulumi import aws:iam/instanceProfile:InstanceProfile NAME-profile PROFILE`.
    """

    name: pulumi.Output[str]

    def __init__(self, name: str, args: InstanceProfileArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:InstanceProfile", name, None, opts)
        profile = aws.iam.InstanceProfile(
            f"{name}-profile", name=args.name, role=as_input(args.role), tags=args.tags, opts=child_of(self)
        )
        self.name = profile.name
        self.register_outputs({"name": self.name})
