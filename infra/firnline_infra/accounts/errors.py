"""Errors on the way to the two accounts.

AccountsError
├── WrongAwsAccount         the credentials belong to another account than the specification
├── WrongSnowflakeAccount   the session is in another account than the specification
├── AwsUnreachable          AWS could not be asked who we are
├── AwsRefused              AWS refused a call
├── SnowflakeLoginMissing   nothing in the environment says who deploys to Snowflake
└── SnowflakeRefused        Snowflake refused a statement
"""

from collections.abc import Sequence

from firnline_infra.accounts.expiry import CLOCK, step_of_whoever_asks
from firnline_ingest.errors import Fatal, FirnlineError, declared

DOES_NOT_EXIST = {2003, 2043}  # for an object, and for what it is in


class AccountsError(FirnlineError, Fatal):
    """An account could not be worked in."""

    id = "FL-6100"


@declared
class WrongAwsAccount(AccountsError):
    """The AWS credentials belong to another account than the specification's. Nothing was done."""

    wanted: str
    found: str
    who: str

    id = "FL-6101"
    message = "The specification is for AWS account {wanted}, and these credentials are {who} of account {found}."
    causes = "The credentials are another account's than the specification's. Nothing was done"
    remedy = "take credentials of the specification's account (AWS_PROFILE), or correct aws.account."


@declared
class WrongSnowflakeAccount(AccountsError):
    """The Snowflake session is in another account than the specification's. Nothing was done."""

    wanted: str
    found: str
    user: str

    id = "FL-6102"
    message = "The specification is for Snowflake account {wanted}, and {user} is logged in to {found}."
    causes = "The deployer is logged in to another account. Nothing was done"
    remedy = (
        "set SNOWFLAKE_ORGANIZATION_NAME and SNOWFLAKE_ACCOUNT_NAME, or correct snowflake.account: "
        "<organization>-<account>, as SELECT CURRENT_ORGANIZATION_NAME(), CURRENT_ACCOUNT_NAME() says."
    )


@declared
class AwsUnreachable(AccountsError):
    """There are no AWS credentials, or no connection to AWS."""

    cause: str

    id = "FL-6103"
    message = "AWS could not be asked whose credentials these are: {cause}"
    next_step = "{advice}"
    causes = "No credentials, or no way to AWS"
    remedy = "aws sts get-caller-identity has to answer; set AWS_PROFILE or log in (aws sso login)."

    @property
    def advice(self) -> str:
        return CLOCK if step_of_whoever_asks(self.cause) == CLOCK else self.remedy


@declared
class AwsRefused(AccountsError):
    """AWS refused a call."""

    action: str
    on: str
    cause: str

    id = "FL-6104"
    message = "{action} on {on} was refused: {cause}"
    next_step = "{advice}"
    causes = "AWS did not do what was asked"
    remedy = "allow the action that it names; the command can be repeated"

    @property
    def advice(self) -> str:
        allow = f"if it was denied, allow {self.action} to the deployer; the command can be repeated as it is."
        return step_of_whoever_asks(self.cause) or allow


@declared
class SnowflakeLoginMissing(AccountsError):
    """The variables that the Snowflake provider reads don't say who deploys."""

    missing: Sequence[str]

    id = "FL-6105"
    message = "Nothing says how to log in to Snowflake as the deployer: {missing} is not set."
    causes = "The variables of the Snowflake provider are not set"
    remedy = (
        "set the variables that the Snowflake provider reads: SNOWFLAKE_USER, SNOWFLAKE_AUTHENTICATOR=SNOWFLAKE_JWT "
        "and SNOWFLAKE_PRIVATE_KEY (a PEM), or SNOWFLAKE_TOKEN or SNOWFLAKE_PASSWORD with their authenticators."
    )


@declared
class SnowflakeRefused(AccountsError):
    """Snowflake refused a statement."""

    statement: str
    cause: str
    number: int | None = None

    id = "FL-6106"
    message = "Snowflake refused {statement!r}: {cause}"
    causes = "A statement was refused"
    remedy = "if a privilege is missing, grant it to the deploy role; else fix the reported error."

    @property
    def is_about_something_missing(self) -> bool:
        """Missing, or not to be seen by us: Snowflake doesn't say which."""
        return self.number in DOES_NOT_EXIST
