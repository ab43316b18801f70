"""The KMS key that the bootstrap made: its ARN is AWS's to give, and policies name keys by nothing else.

It is looked up by its alias once, and written into the reviewed file beside the specification: an alias that somebody moves
later changes nothing.
"""

from collections.abc import Callable, Iterator
from typing import Any

from firnline_infra.accounts import Accounts, check_aws
from firnline_infra.accounts.aws import aws_call, if_there
from firnline_infra.blueprint import Blueprint
from firnline_infra.keys.errors import EncryptionKeyUnusable
from firnline_infra.keys.file import ReviewedFile
from firnline_infra.kinds.keys_and_secrets import key_in_use, why_unusable
from firnline_infra.specification.errors import EncryptionKeyMissing
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.prerequisites import encryption_key_missing


def record_encryption_key(
    spec: EnvironmentSpec, file: ReviewedFile, accounts: Accounts, *, environment: str
) -> str | None:
    """Returns the ARN that it wrote, or None if the key is recorded already or not the bootstrap's.

    Raises WrongAwsAccount, EncryptionKeyMissing, EncryptionKeyUnusable or AwsRefused.
    """
    if encryption_key_missing(spec, environment) is None:
        return None
    check_aws(spec, accounts)
    alias = f"alias/{Names.of(spec).key_alias}"
    answer: Any = if_there("kms:DescribeKey", f"key {alias}", accounts.aws("kms").describe_key, KeyId=alias)
    if answer is None:
        raise EncryptionKeyMissing(alias, environment=environment)
    found = answer["KeyMetadata"]
    if found["KeyState"] != "Enabled":
        raise EncryptionKeyUnusable(alias, found["Arn"], state=found["KeyState"])
    arn = str(found["Arn"])
    file.put_encryption_key(arn)
    return arn


def with_recorded_key(
    spec: EnvironmentSpec, file: ReviewedFile, accounts: Accounts, *, environment: str, say: Callable[[str], None]
) -> EnvironmentSpec:
    """The specification with the bootstrap's key, which is recorded if it was not. Raises as `record_encryption_key` does."""
    arn = record_encryption_key(spec, file, accounts, environment=environment)
    if arn is None:
        return spec
    say(f"The environment's key is {arn}: written into {file.path}, commit it.")
    key = spec.aws.key.model_copy(update={"arn": arn})
    return spec.model_copy(update={"aws": spec.aws.model_copy(update={"key": key})})


def unusable_key(spec: EnvironmentSpec, blueprint: Blueprint, accounts: Accounts) -> Iterator[EncryptionKeyUnusable]:
    """The environment's key, own or adopted, where it is disabled, waits for its deletion or is gone. Raises AwsRefused."""
    for key in key_in_use(blueprint) if spec.aws.key.arn else ():
        with aws_call("kms:DescribeKey", f"key {key.id}"):
            state = why_unusable(accounts.aws("kms"), key.id)
        if state is not None:
            yield EncryptionKeyUnusable(key.name, key.id, state=state)
