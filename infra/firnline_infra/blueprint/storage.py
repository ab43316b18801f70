"""Objects that hold data in AWS: key, bucket, secrets."""

from hashlib import sha256

from firnline_infra.blueprint.aws import EncryptionKeyDefinition, SecretDefinition
from firnline_infra.blueprint.iam.resource_policies import key_policy
from firnline_infra.blueprint.value import Reference, Value
from firnline_infra.environment import Environment
from firnline_infra.specification.model import Durability
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.service_users import NamedUser


def key_value(environment: Environment) -> Value | None:
    """The environment's key; None where AWS manages the keys. Until the one of the bootstrap is recorded, a preview has
    its alias in its place, and `up` is refused.
    """
    if environment.aws.key.origin is Origin.CREATE:
        return environment.aws.key.arn or environment.arns.alias(environment.names.key_alias)
    return environment.aws.key.arn


def secrets_key(environment: Environment) -> str | None:
    """An adopted one; else secrets have Secrets Manager's own, which is there before any bootstrap is."""
    return environment.aws.key.arn if environment.aws.key.origin is Origin.ADOPT else None


def key(environment: Environment) -> EncryptionKeyDefinition | None:
    """Returns the key that the bootstrap makes; no stack does."""
    if environment.aws.key.origin is not Origin.CREATE:
        return None
    return EncryptionKeyDefinition(
        alias=environment.names.key_alias,
        policy=key_policy(account_root=environment.arns.account_root),
        durability=environment.durability,
        tags=environment.tags("key"),
    )


def bucket_name(environment: Environment) -> Value | None:
    """Returns None if there is no bucket."""
    if environment.aws.bucket.origin is Origin.CREATE:
        return Reference("bucket", "name")
    return environment.names.bucket if environment.aws.bucket.origin is Origin.ADOPT else None


def secret_definitions(environment: Environment) -> tuple[SecretDefinition, ...]:
    """The secrets of the users whose keys are in Secrets Manager."""
    return tuple(_secret(environment, each) for each in environment.users if each.has_secret)


def _secret(environment: Environment, user: NamedUser) -> SecretDefinition:
    return SecretDefinition(
        user=user.key,
        name=user.secret,
        description=f"Snowflake private key {user.whose}, environment {environment.name}",
        existing_arn=user.options.secret_arn,
        key_arn=secrets_key(environment),
        recovery_days=0 if environment.durability is Durability.EPHEMERAL else 30,
        durability=environment.durability,
        tags=environment.tags("secret"),
    )


def secret_version(public_half: str) -> str:
    """The id of the version that holds the private half, as `firnline keys` stores it: it tells whose value that is, and
    Secrets Manager refuses another value under it (ClientRequestToken, 32 to 64 characters).
    """
    return sha256("".join(public_half.split()).encode()).hexdigest()
