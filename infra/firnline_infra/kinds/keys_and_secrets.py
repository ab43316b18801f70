"""KMS and Secrets Manager."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.aws import SecretDefinition
from firnline_infra.kinds.asking import DENIED, NOT_THERE, unless
from firnline_infra.kinds.kind import COMPARE, TAGS, Clients, Kind, Lookup, Properties, Right
from firnline_infra.specification.arns import Arns


def secret_arns(blueprint: Blueprint, arns: Arns) -> tuple[str, ...]:
    """By name, whatever six letters the one in the file of keys has: a secret that is recreated has others."""
    return tuple(secret_arn_of(secret, arns) for secret in blueprint.secrets)


def secret_arn_of(secret: SecretDefinition, arns: Arns) -> str:
    by_name = arns.secret(secret.name)
    if secret.existing_arn is None or fnmatchcase(secret.existing_arn, by_name):
        return by_name
    return secret.existing_arn


def _secret(clients: Clients, inputs: Properties) -> Sequence[str]:
    secrets = clients("secretsmanager")
    described = unless(NOT_THERE, lambda: secrets.describe_secret(SecretId=inputs["name"]))
    return [described["ARN"]] if described and "DeletedDate" not in described else []


def _keys(clients: Clients, inputs: Properties) -> Sequence[str]:
    """A key has no name: it is identified by its tags, one of which allows the deployer to describe it."""
    kms = clients("kms")
    wanted = inputs.get("tags") or {}
    ids = [key["KeyId"] for page in kms.get_paginator("list_keys").paginate() for key in page["Keys"]]
    return [id_ for id_ in ids if wanted and wanted.items() <= _key_tags(kms, id_).items() and _is_kept(kms, id_)]


def _key_tags(kms: Any, key_id: str) -> dict[str, str]:
    """No tags for a key that we are not allowed to describe."""

    def read() -> dict[str, str]:
        pages = kms.get_paginator("list_resource_tags").paginate(KeyId=key_id)
        return {tag["TagKey"]: tag["TagValue"] for page in pages for tag in page["Tags"]}

    return unless(DENIED, read) or {}


def _is_kept(kms: Any, key_id: str) -> bool:
    state: str = kms.describe_key(KeyId=key_id)["KeyMetadata"]["KeyState"]
    return state != "PendingDeletion"


KEY = Kind(
    "aws:kms/key:Key",
    "key",
    import_id=_keys,
    service="kms",
    arns=lambda _blueprint, _arns: (),
    exists=Lookup("kms", "describe_key", "KeyId"),
    rights=(),
)
"""The bootstrap makes the environment's key, and no stack does: an `up` needs no right to it beside its use."""
ALIAS = Kind(
    "aws:kms/alias:Alias",
    "alias of key",
    import_id="{name}",
    service="kms",
    arns=lambda _blueprint, _arns: (),
    rights=(),
)
SECRET = Kind(
    "aws:secretsmanager/secret:Secret",
    "secret",
    import_id=_secret,
    service="secretsmanager",
    arns=secret_arns,
    made=lambda blueprint: [each for each in blueprint.secrets if each.existing_arn is None],
    exists=Lookup("secretsmanager", "describe_secret", "SecretId"),
    rights=(
        Right("Makes it, without a value, though AWS would take one.", create="CreateSecret"),
        Right(COMPARE, read="DescribeSecret GetResourcePolicy"),
        Right(
            "Its description and its key. AWS would take a value too: by it, the deployer can't "
            "read the private key, but could overwrite it, and Snowflake would refuse the engine "
            "until it is put right. Nothing leaks.",
            update="UpdateSecret",
        ),
        Right(TAGS, create="TagResource", update="TagResource UntagResource"),
        Right("Removes it with its environment.", delete="DeleteSecret"),
    ),
)
