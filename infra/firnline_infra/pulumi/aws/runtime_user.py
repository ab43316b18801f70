"""What an engine outside AWS is there."""

import pulumi
import pulumi_aws as aws

from firnline_infra.blueprint.aws import User as RuntimeUserArgs
from firnline_infra.pulumi.options import child_of
from firnline_infra.pulumi.references import policy_json

__all__ = ["RuntimeUser", "RuntimeUserArgs"]


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
