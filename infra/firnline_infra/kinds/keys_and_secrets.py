"""KMS and Secrets Manager."""

from fnmatch import fnmatchcase

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.aws import Secret
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Right
from firnline_infra.specification.arns import Arns


def secret_arns(blueprint: Blueprint, arns: Arns) -> tuple[str, ...]:
    """By name, whatever six letters the one in the file of keys has: a secret that is made anew has others."""
    return tuple(secret_arn_of(secret, arns) for secret in blueprint.secrets)


def secret_arn_of(secret: Secret, arns: Arns) -> str:
    by_name = arns.secret(secret.name)
    if secret.existing_arn is None or fnmatchcase(secret.existing_arn, by_name):
        return by_name
    return secret.existing_arn


KEY = Kind(
    "aws:kms/key:Key",
    "key",
    service="kms",
    arns=lambda _blueprint, _arns: (),
    exists=Lookup("kms", "describe_key", "KeyId"),
    rights=(),
)
"""The bootstrap makes the environment's key, and no stack does: an `up` needs no right to it beside its use."""
SECRET = Kind(
    "aws:secretsmanager/secret:Secret",
    "secret",
    service="secretsmanager",
    arns=secret_arns,
    made=lambda blueprint: [each for each in blueprint.secrets if each.existing_arn is None],
    exists=Lookup("secretsmanager", "describe_secret", "SecretId"),
    rights=(
        Right("Makes it, without a value, though AWS would take one.", create="CreateSecret"),
        Right(COMPARE, read="DescribeSecret GetResourcePolicy"),
        Right(
            "Its description and its key. AWS would take a value too: by it, whoever deploys can't "
            "read the private key, but could overwrite it, and Snowflake would refuse the engine "
            "until it is put right. Nothing leaks.",
            update="UpdateSecret",
        ),
        Right(TAGS, create="TagResource", update="TagResource UntagResource"),
        Right("Removes it with its environment.", delete="DeleteSecret"),
    ),
)
