"""What the engine, its machines and Snowflake are in AWS."""

import pulumi

from firnline_infra.blueprint.aws import IamRole as RuntimeRoleArgs
from firnline_infra.blueprint.aws import IamUser as RuntimeUserArgs
from firnline_infra.blueprint.runtime import InstanceProfileDefinition as InstanceProfileArgs
from firnline_infra.pulumi.rendering import RenderedComponent
from firnline_infra.resources.aws_runtime import instance_profile, runtime_role, runtime_user

__all__ = ["InstanceProfile", "InstanceProfileArgs", "RuntimeRole", "RuntimeRoleArgs", "RuntimeUser", "RuntimeUserArgs"]


class RuntimeRole(RenderedComponent):
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
        super().__init__(runtime_role(name, args), opts)
        self.name, self.arn = self.made["name"], self.made["arn"]


class RuntimeUser(RenderedComponent):
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
        super().__init__(runtime_user(name, args), opts)
        self.name, self.arn = self.made["name"], self.made["arn"]


class InstanceProfile(RenderedComponent):
    """Creates an instance profile with one role: what runs on a machine that has it is that role.

    >>> profile = InstanceProfile("profile", InstanceProfileArgs(name="orders-engine", role="orders-engine"))

    To adopt: `pulumi import aws:iam/instanceProfile:InstanceProfile NAME-profile PROFILE`.
    """

    name: pulumi.Output[str]

    def __init__(self, name: str, args: InstanceProfileArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(instance_profile(name, args), opts)
        self.name = self.made["name"]
