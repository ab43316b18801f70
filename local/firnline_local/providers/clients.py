"""Clients that the files of this folder work with: those of the embedded AWS, and an administrator's session of Snowflake."""

from contextlib import closing
from functools import cached_property
from typing import TYPE_CHECKING, Any

from firnline_infra.specification.identifier import Identifier
from firnline_ingest.snowflake.connection import DOES_NOT_EXIST, rows_of
from firnline_local.endpoints import Endpoints, Login, aws_client, sql_session

if TYPE_CHECKING:
    from snowflake.connector import SnowflakeConnection


ATTEMPTS = 25
"""Of a request that is throttled: `max_retries` of the stock provider, where its configuration has none.

https://registry.terraform.io/providers/hashicorp/aws/latest/docs#max_retries
"""


class Clients:
    """Each client is made when it is first needed."""

    def __init__(self, endpoints: Endpoints, administrator: Login, *, warehouse: str | None = None) -> None:
        """`warehouse` as the provider's configuration writes it; the user's own by default."""
        self._endpoints = endpoints
        self._warehouse = warehouse
        self._administrator = administrator
        self._aws: dict[str, Any] = {}

    @property
    def region(self) -> str:
        return self._endpoints.region

    @property
    def account(self) -> str:
        """The account of AWS."""
        return self._endpoints.aws_account

    def aws(self, service: str) -> Any:
        """The boto3 client of a service: clients.aws("s3")."""
        if service not in self._aws:
            self._aws[service] = aws_client(self._endpoints, service, attempts=ATTEMPTS)
        return self._aws[service]

    @cached_property
    def snowflake(self) -> "SnowflakeConnection":
        session = sql_session(self._endpoints, self._administrator)
        if self._warehouse is not None:
            with closing(session.cursor()) as cursor:
                cursor.execute(f"USE WAREHOUSE {Identifier.parse(self._warehouse).sql}")
        return session

    def execute(self, *statements: str | None) -> None:
        """Runs each that there is."""
        with closing(self.snowflake.cursor()) as cursor:
            for statement in statements:
                if statement is not None:
                    cursor.execute(statement)

    def rows(self, statement: str) -> list[dict[str, Any]]:
        """The rows by lower-cased column name; none if the object that is asked about does not exist."""
        return self.rows_or_none(statement) or []

    def rows_or_none(self, statement: str) -> list[dict[str, Any]] | None:
        """The rows, as `rows`, but None if the object that is asked about does not exist."""
        from snowflake.connector.errors import ProgrammingError

        try:
            return rows_of(self.snowflake, statement)
        except ProgrammingError as error:
            if error.errno in DOES_NOT_EXIST:
                return None
            raise

    def close(self) -> None:
        if "snowflake" in self.__dict__:
            self.snowflake.close()
