"""What a program is in AWS: the engine, or Snowflake behind an external volume."""

import pulumi
import pulumi_aws as aws

from firnline_infra.blueprint.aws import Role as RuntimeRoleArgs
from firnline_infra.pulumi.options import child_of
from firnline_infra.pulumi.references import policy_json

__all__ = ["RuntimeRole", "RuntimeRoleArgs"]


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
