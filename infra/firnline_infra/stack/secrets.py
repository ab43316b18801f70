"""Checks that the secrets which the file of keys names exist, and takes those that are gone out of the file.

`up` adopts them, and would find out half-way that one is gone.
"""

from collections.abc import Iterator
from typing import Any

from firnline_infra.accounts import Accounts
from firnline_infra.accounts.aws import if_there
from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.aws import SecretDefinition
from firnline_infra.blueprint.storage import secret_definitions
from firnline_infra.keys.file import ReviewedFile


def lost_secrets(blueprint: Blueprint, accounts: Accounts, *, file: ReviewedFile, environment: str) -> Iterator[str]:
    """A sentence for each, with what to do about it. Raises AwsRefused."""
    client = accounts.aws("secretsmanager")
    for user, secret, arn in _adopted(blueprint):
        found = _describe(client, arn)
        if found is None:
            again = f"take {user} out of {file.path}, then firnline keys create {environment} {user}"
            yield f"{secret.name} is not there. In another account? If it is really gone: {again}"
        elif found.get("DeletedDate"):
            yield f"{secret.name} was deleted, and waits: aws secretsmanager restore-secret --secret-id {secret.name}"


def forget_deleted(blueprint: Blueprint, accounts: Accounts, file: ReviewedFile) -> list[str]:
    """Removes the users whose secret is gone for good from the file, and returns them. Raises AwsRefused."""
    client = accounts.aws("secretsmanager")
    gone = [user for user, _, arn in _adopted(blueprint) if _describe(client, arn) is None]
    for user in gone:
        file.put(user, None)
    return gone


def _adopted(blueprint: Blueprint) -> Iterator[tuple[str, SecretDefinition, str]]:
    for secret in secret_definitions(blueprint.environment):
        if secret.existing_arn is not None:
            yield secret.user, secret, secret.existing_arn


def _describe(client: Any, arn: str) -> dict[str, Any] | None:
    """Returns None if there is no such secret."""
    found: dict[str, Any] | None = if_there("secretsmanager:DescribeSecret", arn, client.describe_secret, SecretId=arn)
    return found
