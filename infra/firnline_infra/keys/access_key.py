"""`firnline keys create --aws`: an access key of the engine's IAM user, for an engine outside AWS (trust: static-keys).

The key goes from IAM's answer straight into a secret: as with Snowflake's keys, it is in no file, state or log.
"""

import json
from dataclasses import dataclass, replace
from typing import Any

from firnline_infra.accounts import Accounts, check_aws
from firnline_infra.accounts.aws import aws_call, if_there
from firnline_infra.blueprint.storage import secret_definitions, secret_version
from firnline_infra.environment import Environment
from firnline_infra.keys.errors import AccessKeyExists, EngineUserMissing, NoAccessKeyHere
from firnline_infra.keys.vault import CURRENT, Vault
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.runtime import Trust


@dataclass(frozen=True, kw_only=True)
class AccessKey:
    user: str
    key_id: str
    secret_arn: str


def create_access_key(spec: EnvironmentSpec, accounts: Accounts) -> AccessKey:
    """Raises NoAccessKeyHere, EngineUserMissing, AccessKeyExists, WrongAwsAccount or AwsRefused.

    If the user has no access key, the secret's value is overwritten: it belonged to an earlier user of that name.
    """
    if spec.aws.runtime.trust is not Trust.STATIC_KEYS:
        raise NoAccessKeyHere(spec.name, trust=spec.aws.runtime.trust.value)
    check_aws(spec, accounts)
    names, iam = Names.of(spec), accounts.aws("iam")
    vault = _vault(spec, names, accounts)
    has_a_key, found = _has_a_key(iam, names.engine_user), vault.look()
    if has_a_key and found is not None and CURRENT in found.versions:
        raise AccessKeyExists(names.engine_user, vault.definition.name)
    found = found or vault.create()
    made = _create_key(iam, names.engine_user)
    try:
        vault.put(
            found,
            json.dumps({"aws_access_key_id": made["AccessKeyId"], "aws_secret_access_key": made["SecretAccessKey"]}),
            version=secret_version(made["AccessKeyId"]),
        )
    except BaseException:
        # Its secret half is lost, and an IAM user may have two access keys at most.
        iam.delete_access_key(UserName=names.engine_user, AccessKeyId=made["AccessKeyId"])
        raise
    return AccessKey(user=names.engine_user, key_id=made["AccessKeyId"], secret_arn=found.arn)


def _vault(spec: EnvironmentSpec, names: Names, accounts: Accounts) -> Vault:
    ingest, *_ = secret_definitions(Environment.of(spec))
    definition = replace(
        ingest,
        name=names.access_key_secret,
        description=f"AWS access key of {names.engine_user}, environment {spec.name}",
        existing_arn=None,
    )
    return Vault(accounts.aws("secretsmanager"), definition)


def _has_a_key(iam: Any, user: str) -> bool:
    answer: Any = if_there("iam:ListAccessKeys", f"user {user}", iam.list_access_keys, UserName=user)
    if answer is None:
        raise EngineUserMissing(user)
    return bool(answer["AccessKeyMetadata"])


def _create_key(iam: Any, user: str) -> Any:
    with aws_call("iam:CreateAccessKey", f"user {user}"):
        return iam.create_access_key(UserName=user)["AccessKey"]
