"""The driver's SQL session: opened when first needed, and again after it broke.

A session ends for many reasons that no statement can be blamed for: the server restarted, it was aborted, the machine
slept for longer than its master token lives. So every error but an expected refusal drops it, and the statement is tried
again in a new one. Only what reads is run here: a statement may run twice.
"""

from collections.abc import Collection
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.snowflake.connection import DOES_NOT_EXIST, connect, rows_of
from firnline_ingest.snowflake.errors import HostUnknown, KeyUnusable, SnowflakeUnavailable, StatementRefused
from firnline_ingest.snowflake.key import load_key
from firnline_ingest.snowflake.preflight import check_connection

if TYPE_CHECKING:
    from snowflake.connector import SnowflakeConnection

STATEMENT_TIMEOUT_S = 60


class SqlSession:
    """One session of the engine's user at a time; not thread-safe."""

    def __init__(self, config: EngineConfig) -> None:
        self._config = config
        self._connection: SnowflakeConnection | None = None
        self._has_worked = False

    def rows(self, statement: str, empty: Collection[int] = DOES_NOT_EXIST) -> list[dict[str, Any]]:
        """The rows by lower-cased column name; none if the refusal is one of `empty`.

        Raises StatementRefused for another answer of a session that works; KeyUnusable, KeyRefused, SessionRefused or
        SnowflakeUnavailable where there is none.
        """
        from snowflake.connector.errors import Error, ProgrammingError

        while True:
            was_open = self._connection is not None
            connection = self._opened()
            try:
                return rows_of(connection, statement)
            except Error as error:
                is_answer = isinstance(error, ProgrammingError)
                if is_answer and error.errno in empty:
                    return []
                self.close()
                if not was_open:
                    refusal = StatementRefused if is_answer else SnowflakeUnavailable
                    raise refusal(f"answer {statement!r}", str(error)) from error

    def close(self) -> None:
        """A session that is gone has nothing to say to it."""
        from snowflake.connector.errors import Error

        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Error):
                connection.close()

    def _opened(self) -> "SnowflakeConnection":
        """Opens a session. What keeps the first one from opening needs a person; later it may be gone for a moment."""
        if self._connection is None:
            try:
                self._connection = self._open()
            except (HostUnknown, KeyUnusable) as error:
                if not self._has_worked:
                    raise
                raise SnowflakeUnavailable("give another session", error.what) from error
            self._has_worked = True
        return self._connection

    def _open(self) -> "SnowflakeConnection":
        snowflake = self._config.snowflake
        key = load_key(self._config)
        check_connection(snowflake, key)
        return connect(
            account=snowflake.account,
            user=snowflake.user,
            role=snowflake.role,
            url=snowflake.base_url,
            key=key,
            ca_file=snowflake.ca_file,
            statement_timeout_s=STATEMENT_TIMEOUT_S,
        )
