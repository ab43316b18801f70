"""The place of a private key."""

import pulumi
import pulumi_aws as aws

from firnline_infra.blueprint.aws import Secret as SecretArgs
from firnline_infra.pulumi.options import child_of
from firnline_infra.pulumi.references import as_input

__all__ = ["Secret", "SecretArgs"]

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
