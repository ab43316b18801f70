"""The accounts of a running embedded environment. Its administrator deploys, in the role that would deploy elsewhere."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from firnline_local.running import RunningEnvironment

if TYPE_CHECKING:
    from snowflake.connector import SnowflakeConnection


@dataclass(frozen=True)
class EmbeddedAccounts:
    environment: RunningEnvironment
    deploy_role: str | None = None
    """The administrator's own where absent."""

    @property
    def place(self) -> str:
        return f"the EMBEDDED environment in {self.environment.folder.path}"

    @property
    def is_embedded(self) -> bool:
        return True

    def aws(self, service: str) -> Any:
        return self.environment.client(service)

    def snowflake(self) -> "SnowflakeConnection":
        from firnline_local.endpoints import sql_session

        login = self.environment.logins["admin"]
        return sql_session(self.environment.endpoints, replace(login, role=self.deploy_role or login.role))

    def snowflake_as(self, *, user: str, role: str, private_key: str) -> "SnowflakeConnection":
        from firnline_ingest.snowflake.connection import connect
        from firnline_ingest.snowflake.key import SigningKey

        endpoints = self.environment.endpoints
        return connect(
            account=endpoints.snowflake_account,
            user=user,
            role=role,
            url=endpoints.snowflake,
            key=SigningKey(private_key, f"key of {user}"),
            ca_file=endpoints.ca_file,
        )
