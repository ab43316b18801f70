"""The key that encrypts what an environment keeps, and the places of private keys."""

import pulumi

from firnline_infra.blueprint.aws import EncryptionKeyDefinition as EncryptionKeyArgs
from firnline_infra.blueprint.aws import SecretDefinition as SecretArgs
from firnline_infra.pulumi.rendering import RenderedComponent
from firnline_infra.resources.aws_storage import encryption_key, secret

__all__ = ["EncryptionKey", "EncryptionKeyArgs", "Secret", "SecretArgs"]


class EncryptionKey(RenderedComponent):
    """Creates a KMS key that is rotated every year, and its alias.

    >>> from firnline_infra.blueprint.iam.resource_policies import key_policy
    >>> policy = key_policy(account_root="arn:aws:iam::111122223333:root")
    >>> key = EncryptionKey("key", EncryptionKeyArgs(alias="orders", policy=policy))

    To adopt: `pulumi import aws:kms/key:Key NAME-key KEY-ID`, `aws:kms/alias:Alias NAME-alias alias/ALIAS`.
    """

    arn: pulumi.Output[str]

    def __init__(self, name: str, args: EncryptionKeyArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(encryption_key(name, args), opts)
        self.arn = self.made["arn"]


class Secret(RenderedComponent):
    """Creates a secret without a value, or takes over the one that holds it already. No version of it is ever a resource:
    then the key would be in a state file.

    >>> secret = Secret("ingest", SecretArgs(name="orders/snowflake/ingest"))
    """

    arn: pulumi.Output[str]

    def __init__(self, name: str, args: SecretArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(secret(name, args), opts)
        self.arn = self.made["arn"]
