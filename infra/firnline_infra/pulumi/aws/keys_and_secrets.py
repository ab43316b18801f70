"""The key that encrypts what an environment keeps, and the places of private keys."""

import pulumi
import pulumi_aws as aws

from firnline_infra.blueprint.aws import EncryptionKeyDefinition as EncryptionKeyArgs
from firnline_infra.blueprint.aws import SecretDefinition as SecretArgs
from firnline_infra.pulumi.options import child_of
from firnline_infra.pulumi.references import as_input, policy_json

__all__ = ["EncryptionKey", "EncryptionKeyArgs", "Secret", "SecretArgs"]


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


UNTOLD = ["recovery_window_in_days", "force_overwrite_replica_secret"]
"""What no API tells of a secret that exists, and an import would compare. So the state of one that was taken over has no
window, and the provider deletes it at once (terraform-provider-aws, `resourceSecretDelete`; its issue 42139)."""


class Secret(pulumi.ComponentResource):
    """Creates a secret without a value, or takes over the one that holds it already. No version of it is ever a resource:
    then the key would be in a state file.

    >>> secret = Secret("ingest", SecretArgs(name="orders/snowflake/ingest"))
    """

    arn: pulumi.Output[str]

    def __init__(self, name: str, args: SecretArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:Secret", name, None, opts)
        secret = aws.secretsmanager.Secret(
            f"{name}-secret",
            name=args.name,
            description=args.description,
            kms_key_id=as_input(args.key_arn),
            recovery_window_in_days=args.recovery_days,
            tags=args.tags,
            opts=child_of(
                self,
                durability=args.durability,
                import_=args.existing_arn,
                retain_on_delete=args.retain_on_delete,
                ignore_changes=UNTOLD if args.existing_arn else [],
            ),
        )
        self.arn = secret.arn
        self.register_outputs({"arn": self.arn})
