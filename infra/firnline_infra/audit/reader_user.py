"""The Snowflake user an audit connects as: read-only, with its own key."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from firnline_infra.audit.errors import WarehouseUnusable
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.identifiers import quoted, stored_name

if TYPE_CHECKING:
    from snowflake.connector import SnowflakeConnection

    from firnline_ingest.snowflake.key import SigningKey


@dataclass(frozen=True, kw_only=True)
class ReaderUser:
    """The Snowflake user that an audit logs in as, with its key; it selects, and changes nothing."""

    user: str
    role: str
    """Needs USAGE on the database and the schema, SELECT and, where the table keeps rejected rows, SELECT ERROR TABLE."""
    key_file: Path | None = None
    """An unencrypted private key."""
    secret_arn: str | None = None
    """The Secrets Manager secret that holds the key, where no file does."""
    warehouse: str | None = None
    """The user's default one by default."""

    def connect(self, config: EngineConfig) -> "SnowflakeConnection":
        """Raises WarehouseUnusable, what `load_key` raises, or the errors of firnline_ingest.snowflake.connection."""
        from firnline_ingest.snowflake.connection import connect
        from firnline_ingest.snowflake.preflight import check_connection

        key = self._key(config)
        snowflake = config.snowflake
        check_connection(snowflake.model_copy(update={"user": self.user, "role": self.role}), key)
        connection = connect(
            account=snowflake.account,
            user=self.user,
            role=self.role,
            url=snowflake.base_url,
            key=key,
            ca_file=snowflake.ca_file,
        )
        if self.warehouse is not None:
            self._use_warehouse(connection, self.warehouse)
        return connection

    def _key(self, config: EngineConfig) -> "SigningKey":
        from firnline_ingest.config.login import PrivateKey
        from firnline_ingest.snowflake.key import load_key

        where = PrivateKey(file=self.key_file, secret_arn=None if self.key_file else self.secret_arn)
        return load_key(
            config.model_copy(update={"snowflake": config.snowflake.model_copy(update={"private_key": where})})
        )

    def _use_warehouse(self, connection: "SnowflakeConnection", warehouse: str) -> None:
        from snowflake.connector.errors import Error

        try:
            with closing(connection.cursor()) as cursor:
                cursor.execute(f"USE WAREHOUSE {quoted(stored_name(warehouse))}")
        except Error as error:
            connection.close()
            raise WarehouseUnusable(warehouse, self.role, str(error)) from error
