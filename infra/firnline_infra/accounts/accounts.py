"""What commands need of the two accounts."""

from typing import TYPE_CHECKING, Any, Protocol

from firnline_infra.accounts.errors import SnowflakeRefused

if TYPE_CHECKING:
    from snowflake.connector import SnowflakeConnection

Rows = list[dict[str, Any]]


class Accounts(Protocol):
    @property
    def place(self) -> str:
        """For a person: which accounts these are."""

    @property
    def is_embedded(self) -> bool: ...

    def aws(self, service: str) -> Any:
        """A boto3 client."""

    def snowflake(self) -> "SnowflakeConnection":
        """A session of whoever deploys; the caller closes it."""

    def snowflake_as(self, *, user: str, role: str, private_key: str) -> "SnowflakeConnection":
        """A session of a service user, with a key that is in no file."""


def rows(connection: "SnowflakeConnection", statement: str) -> Rows:
    """By lower-cased name of the column. Raises SnowflakeRefused."""
    from snowflake.connector.errors import Error

    from firnline_ingest.snowflake.connection import rows_of

    try:
        return rows_of(connection, statement)
    except Error as error:
        raise SnowflakeRefused(statement, str(error), number=getattr(error, "errno", None)) from error
