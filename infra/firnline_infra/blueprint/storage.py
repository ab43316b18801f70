"""Objects that hold data in AWS: key, bucket, secrets."""

from hashlib import sha256

from firnline_infra.blueprint.aws import EncryptionKeyDefinition, SecretDefinition
from firnline_infra.blueprint.iam.resource_policies import key_policy
from firnline_infra.blueprint.value import Reference, Value
from firnline_infra.environment import tags
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.model import Durability, EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.service_users import NamedUser, has_secret, service_users


def key_value(spec: EnvironmentSpec) -> Value | None:
    """The environment's key; None where AWS manages the keys. Until the one of the bootstrap is recorded, a preview has
    its alias in its place, and `up` is refused.
    """
    if spec.aws.key.origin is Origin.CREATE:
        return spec.aws.key.arn or Arns(spec).alias(Names.of(spec).key_alias)
    return spec.aws.key.arn


def secrets_key(spec: EnvironmentSpec) -> str | None:
    """An adopted one; else secrets have Secrets Manager's own, which is there before any bootstrap is."""
    return spec.aws.key.arn if spec.aws.key.origin is Origin.ADOPT else None


def key(spec: EnvironmentSpec, names: Names) -> EncryptionKeyDefinition | None:
    """Returns the key that the bootstrap makes; no stack does."""
    if spec.aws.key.origin is not Origin.CREATE:
        return None
    return EncryptionKeyDefinition(
        alias=names.key_alias,
        policy=key_policy(account_root=Arns(spec).account_root),
        durability=spec.durability,
        tags=tags(spec, component="key"),
    )


def bucket_name(spec: EnvironmentSpec, names: Names) -> Value | None:
    """Returns None if there is no bucket."""
    if spec.aws.bucket.origin is Origin.CREATE:
        return Reference("bucket", "name")
    return names.bucket if spec.aws.bucket.origin is Origin.ADOPT else None


def secret_definitions(spec: EnvironmentSpec) -> tuple[SecretDefinition, ...]:
    """The secrets of the users whose keys are in Secrets Manager."""
    return tuple(_secret(spec, each) for each in service_users(spec) if has_secret(spec, each))


def _secret(spec: EnvironmentSpec, user: NamedUser) -> SecretDefinition:
    return SecretDefinition(
        user=user.key,
        name=user.secret,
        description=f"Snowflake private key {user.whose}, environment {spec.name}",
        existing_arn=user.options.secret_arn,
        key_arn=secrets_key(spec),
        recovery_days=0 if spec.durability is Durability.EPHEMERAL else 30,
        durability=spec.durability,
        tags=tags(spec, component="secret"),
    )


def secret_version(public_half: str) -> str:
    """The id of the version that holds the private half, as `firnline keys` stores it: it tells whose value that is, and
    Secrets Manager refuses another value under it (ClientRequestToken, 32 to 64 characters).
    """
    return sha256("".join(public_half.split()).encode()).hexdigest()
