"""Checks that these are the accounts of the specification, before anything is written, and before a destroy."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from firnline_infra.accounts.accounts import Accounts, rows
from firnline_infra.accounts.errors import AwsUnreachable, WrongAwsAccount, WrongSnowflakeAccount
from firnline_infra.specification.model import EnvironmentSpec

if TYPE_CHECKING:
    from snowflake.connector import SnowflakeConnection

WHERE = "SELECT CURRENT_ORGANIZATION_NAME() AS ORGANIZATION, CURRENT_ACCOUNT_NAME() AS ACCOUNT, CURRENT_USER() AS WHOSE"


def check_aws(spec: EnvironmentSpec, accounts: Accounts) -> None:
    """Raises WrongAwsAccount or AwsUnreachable."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        identity = accounts.aws("sts").get_caller_identity()
    except (BotoCoreError, ClientError) as error:
        raise AwsUnreachable(str(error)) from error
    if identity["Account"] != spec.aws.account:
        raise WrongAwsAccount(wanted=spec.aws.account, found=identity["Account"], who=identity["Arn"])


def check_snowflake(spec: EnvironmentSpec, connection: "SnowflakeConnection") -> None:
    """Raises WrongSnowflakeAccount or SnowflakeRefused."""
    answer = rows(connection, WHERE)[0]
    found = f"{answer['organization']}-{answer['account']}"
    if _normalized(found) != _normalized(spec.snowflake.account):
        raise WrongSnowflakeAccount(wanted=spec.snowflake.account, found=found, user=answer["whose"])


@contextmanager
def checked_session(spec: EnvironmentSpec, accounts: Accounts) -> Iterator["SnowflakeConnection"]:
    """A session of the deployer, in the specification's Snowflake account. Raises as `check_snowflake` does."""
    with closing(accounts.snowflake()) as session:
        check_snowflake(spec, session)
        yield session


def _normalized(account: str) -> str:
    """URLs write a hyphen where a name has an underscore."""
    return account.upper().replace("_", "-")
