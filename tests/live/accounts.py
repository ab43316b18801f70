"""The two accounts, as environment variables name them: AWS by its default chain, Snowflake by what its Pulumi provider reads."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

ADMINISTRATOR = "ACCOUNTADMIN"
NEEDED = ("SNOWFLAKE_ORGANIZATION_NAME", "SNOWFLAKE_ACCOUNT_NAME", "SNOWFLAKE_USER", "SNOWFLAKE_PRIVATE_KEY")
"""By key pair alone: nobody sits beside a run."""


def missing(variables: Mapping[str, str], *, needs_pulumi: bool = False) -> list[str]:
    """Returns what is not there: names of variables, what AWS's chain did not find, and the CLI that an environment's life needs
    half-way."""
    import boto3

    from firnline_infra.pulumi_cli import find_cli
    from firnline_infra.pulumi_cli.errors import PulumiError

    names = [name for name in NEEDED if not variables.get(name)]
    session = boto3.Session()
    if session.get_credentials() is None:
        names.append("AWS credentials (AWS_PROFILE, AWS_ACCESS_KEY_ID, a role)")
    if session.region_name is None:
        names.append("AWS_DEFAULT_REGION")
    if needs_pulumi:
        try:
            find_cli(variables)
        except PulumiError:
            names.append("Pulumi's CLI (scripts/pulumi-cli)")
    return names


def account_of(variables: Mapping[str, str]) -> str:
    return f"{variables['SNOWFLAKE_ORGANIZATION_NAME']}-{variables['SNOWFLAKE_ACCOUNT_NAME']}"


def administrator(variables: Mapping[str, str], account: str) -> Any:
    """A session in SNOWFLAKE_ROLE, else ACCOUNTADMIN; the caller closes it."""
    role = variables.get("SNOWFLAKE_ROLE") or ADMINISTRATOR
    return session(variables, account)(variables["SNOWFLAKE_USER"], role, variables["SNOWFLAKE_PRIVATE_KEY"])


def url_of(variables: Mapping[str, str], account: str) -> str:
    host = variables.get("SNOWFLAKE_HOST") or f"{account.replace('_', '-')}.snowflakecomputing.com"
    return f"https://{host}:{variables.get('SNOWFLAKE_PORT', '443')}"


def session(variables: Mapping[str, str], account: str) -> Callable[[str, str, str], Any]:
    """Opens one, for a user in a role with a key."""
    from firnline_ingest.snowflake.connection import connect
    from firnline_ingest.snowflake.key import SigningKey

    url = url_of(variables, account)

    def opened(user: str, role: str, key: str) -> Any:
        return connect(account=account, user=user, role=role, url=url, key=SigningKey(key, f"key of {user}"))

    return opened


def aws(region: str) -> Callable[[str], Any]:
    """Clients of boto3, each made once."""
    import boto3

    chain: Any = boto3.Session(region_name=region)
    return cache(chain.client)
