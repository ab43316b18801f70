"""Components of principals in AWS: what an engine runs as."""

import pulumi

from firnline_infra.blueprint.aws import IamRole as RuntimeRoleArgs
from firnline_infra.blueprint.aws import IamUser as RuntimeUserArgs
from firnline_infra.kinds.principals import runtime_role, runtime_user
from firnline_infra.pulumi.rendering import DefinedComponent

__all__ = ["RuntimeRole", "RuntimeRoleArgs", "RuntimeUser", "RuntimeUserArgs"]


class RuntimeRole(DefinedComponent[RuntimeRoleArgs], describe=runtime_role):
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


class RuntimeUser(DefinedComponent[RuntimeUserArgs], describe=runtime_user):
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
