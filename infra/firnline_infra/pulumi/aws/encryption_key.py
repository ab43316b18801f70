"""The key that encrypts what an environment keeps."""

import pulumi
import pulumi_aws as aws

from firnline_infra.blueprint.aws import EncryptionKey as EncryptionKeyArgs
from firnline_infra.pulumi.options import child_of
from firnline_infra.pulumi.references import policy_json

__all__ = ["EncryptionKey", "EncryptionKeyArgs"]


class EncryptionKey(pulumi.ComponentResource):
    """Creates a KMS key that is rotated every year, and its alias.

    >>> from firnline_infra.blueprint.iam.resource_policies import key_policy
    >>> policy = key_policy(account_root="arn:aws:iam::111122223333:root")
    >>> key = EncryptionKey("key", EncryptionKeyArgs(alias="orders", policy=policy))

    To adopt: `pulumi import aws:kms/key:Key NAME-key KEY-ID`, `aws:kms/alias:Alias NAME-alias alias/ALIAS`.
    """

    arn: pulumi.Output[str]

    def __init__(self, name: str, args: EncryptionKeyArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:EncryptionKey", name, None, opts)
        key = aws.kms.Key(
            f"{name}-key",
            description=args.description,
            policy=policy_json(args.policy),
            enable_key_rotation=args.is_rotated,
            deletion_window_in_days=args.deletion_window_days,
            tags=args.tags,
            opts=child_of(self, durability=args.durability),
        )
        aws.kms.Alias(f"{name}-alias", name=f"alias/{args.alias}", target_key_id=key.key_id, opts=child_of(self))
        self.arn = key.arn
        self.register_outputs({"arn": self.arn})
