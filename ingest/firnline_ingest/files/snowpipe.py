"""A stage and a pipe of an account: the connector puts, `snowflake-ingest` submits and asks, COPY_HISTORY remembers."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import SnowflakeError
from firnline_ingest.files.errors import FilesNotStaged, FilesRefused
from firnline_ingest.files.loads import Load, Loading, most_telling, utc_now
from firnline_ingest.files.package import ingest_manager
from firnline_ingest.files.target import FileTarget
from firnline_ingest.identifiers import quoted, text_literal
from firnline_ingest.snowflake.errors import SnowflakeUnavailable
from firnline_ingest.snowflake.key import load_key
from firnline_ingest.snowflake.listing import Statements

HISTORY = timedelta(days=13, hours=23)
"""COPY_HISTORY refuses to look further back than 14 days."""
TOO_OFTEN = 429
IN_SQL = {"loaded": Loading.LOADED, "load failed": Loading.FAILED, "partially loaded": Loading.PARTLY}


class AccountSnowpipe:
    """A Snowpipe (loads.py)."""

    def __init__(
        self, target: FileTarget, session: Statements, manager: Any, *, now: Callable[[], datetime] = utc_now
    ) -> None:
        """`manager` is a SimpleIngestManager of the target's pipe."""
        self.pipe = target.pipe
        self._target = target
        self._session = session
        self._manager = manager
        self._now = now
        self._reported: tuple[str, list[Load]] = ("", [])
        """Of the path that is waited for: the report tells nothing twice."""

    def history(self, path: str, since: datetime) -> Load | None:
        table = text_literal(self._target.sql(self._target.table))
        start = max(since - timedelta(hours=1), self._now() - HISTORY).astimezone(UTC).isoformat(timespec="seconds")
        function = f"{quoted(self._target.database)}.INFORMATION_SCHEMA.COPY_HISTORY"
        rows = self._session.rows(
            "SELECT STATUS, ROW_COUNT, FIRST_ERROR_MESSAGE, PIPE_NAME FROM TABLE("
            f"{function}(TABLE_NAME => {table}, START_TIME => {text_literal(start)}::TIMESTAMP_LTZ)) "
            f"WHERE FILE_NAME = {text_literal(path)} ORDER BY LAST_LOAD_TIME",
            empty=(),
        )
        return most_telling(_of_sql(row) for row in rows if row["pipe_name"] == self._target.name)

    def put(self, file: Path, folder: str) -> None:
        where = text_literal(f"{self._target.stage}/{folder}")
        options = "AUTO_COMPRESS = FALSE SOURCE_COMPRESSION = GZIP OVERWRITE = TRUE"
        try:
            rows = self._session.rows(f"PUT {text_literal(f'file://{file}')} {where} {options}")
        except SnowflakeUnavailable:
            raise
        except SnowflakeError as error:
            raise FilesNotStaged(self._target.stage, error.what) from error
        if not rows:
            raise FilesNotStaged(self._target.stage, "it does not exist, or the role may not see it")
        if (status := str(rows[0]["status"]).upper()) not in ("UPLOADED", "SKIPPED"):
            raise FilesNotStaged(self._target.stage, f"{status} {rows[0].get('message') or ''}".strip())

    def submit(self, path: str, size: int) -> None:
        from snowflake.ingest.simple_ingest_manager import StagedFile

        self._asked("insertFiles", lambda: self._manager.ingest_files([StagedFile(path, size)]))

    def report(self, path: str) -> Load | None:
        told = self._asked("insertReport", self._manager.get_history)
        if self._reported[0] != path:
            self._reported = (path, [])
        known = self._reported[1]
        known += [_of_report(file) for file in told["files"] if file["path"] == path]
        return most_telling(known)

    def scan(self, path: str, since: datetime) -> Load | None:
        start = (since - timedelta(minutes=5)).astimezone(UTC).isoformat(timespec="milliseconds")
        with suppress(_TooOften):
            told = self._asked("loadHistoryScan", lambda: self._manager.get_history_range(start))
            return most_telling(_of_report(file) for file in told["files"] if file["path"] == path)
        return None

    def remove(self, path: str) -> None:
        self._session.rows(f"REMOVE {text_literal(f'{self._target.stage}/{path}')}")

    def _asked(self, call: str, ask: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
        """The package repeats 408, 5xx and lost connections for a minute by itself."""
        from requests.exceptions import RequestException
        from snowflake.ingest.error import IngestResponseError

        try:
            return ask()
        except IngestResponseError as error:
            if error.http_error_code == TOO_OFTEN:
                raise _TooOften(self.pipe, call, str(error)) from error
            if error.http_error_code >= 500:
                raise SnowflakeUnavailable(f"answer {call}", str(error)) from error
            raise FilesRefused(self.pipe, call, str(error)) from error
        except RequestException as error:
            raise SnowflakeUnavailable(f"answer {call}", str(error)) from error


class _TooOften(FilesRefused):
    """429, which the package does not repeat."""


def account_snowpipe(config: EngineConfig, target: FileTarget, session: Statements) -> AccountSnowpipe:
    """Raises FilesExtraMissing, and what reading the key raises."""
    snowflake = config.snowflake
    where = urlsplit(snowflake.base_url)
    manager = ingest_manager(
        account=snowflake.account,
        user=snowflake.user,
        host=where.hostname or "",
        port=where.port or 443,
        pipe=target.pipe,
        key=load_key(config),
        ca_file=snowflake.ca_file,
    )
    return AccountSnowpipe(target, session, manager)


def _of_report(told: Mapping[str, Any]) -> Load:
    message = told.get("firstError") or told.get("systemError") or ""
    return Load(Loading(told["status"]), int(told["rowsInserted"]), str(message))


def _of_sql(row: Mapping[str, Any]) -> Load:
    status = IN_SQL.get(str(row["status"]).lower(), Loading.RUNNING)
    return Load(status, int(row["row_count"] or 0), str(row["first_error_message"] or ""))
