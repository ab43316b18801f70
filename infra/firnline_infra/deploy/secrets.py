"""Whether the secrets that the file of keys names are there: `up` takes them over, and would find out half-way."""

from collections.abc import Iterator
from typing import Any

from firnline_infra.accounts import Accounts
from firnline_infra.accounts.errors import AwsRefused
from firnline_infra.blueprint import Blueprint

MISSING = "ResourceNotFoundException"


def lost_secrets(blueprint: Blueprint, accounts: Accounts) -> Iterator[str]:
    """A sentence for each, with what to do about it. Raises AwsRefused where it can't be told."""
    client = accounts.aws("secretsmanager")
    for secret in blueprint.secrets:
        if secret.existing_arn is None:
            continue
        found = _described(client, secret.existing_arn)
        if found is None:
            yield f"{secret.name} is not there: firnline keys create says what to do"
        elif found.get("DeletedDate"):
            yield f"{secret.name} was deleted, and waits: aws secretsmanager restore-secret --secret-id {secret.name}"


def _described(client: Any, arn: str) -> dict[str, Any] | None:
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        found: dict[str, Any] = client.describe_secret(SecretId=arn)
    except ClientError as error:
        if error.response["Error"]["Code"] == MISSING:
            return None
        raise AwsRefused("secretsmanager:DescribeSecret", arn, str(error)) from None
    except BotoCoreError as error:
        raise AwsRefused("secretsmanager:DescribeSecret", arn, str(error)) from None
    return found
