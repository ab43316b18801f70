"""A stage and a pipe of an account: the connector puts, `snowflake-ingest` submits and asks, COPY_HISTORY remembers.

Snowflake's own package `snowflake-ingest`, of the extra `files`, is loaded here alone, as it is published. Version 1.0.13 lacks
two things. It imports a function that connector 5 no longer has, and its `__init__` may be another package's
(snowflake/packages.py): its modules are imported by themselves. And it waits for an answer without end, and trusts certificates
by an environment variable alone: its requests are made with a time limit and with the authorities of the configuration.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.dead_letters.file_errors import FilesExtraMissing, FilesNotStaged, FilesRefused, PipeUnusable
from firnline_ingest.dead_letters.file_load import Load, Loading, most_telling, utc_now
from firnline_ingest.errors import SnowflakeError
from firnline_ingest.identifiers import dead_letters_name, quoted, text_literal, written_name
from firnline_ingest.snowflake.errors import SnowflakeUnavailable
from firnline_ingest.snowflake.key import SigningKey, load_key
from firnline_ingest.snowflake.listing import Listing, Statements
from firnline_ingest.snowflake.packages import put_back_parse_account

HISTORY = timedelta(days=13, hours=23)
"""COPY_HISTORY refuses to look further back than 14 days."""
BAD_REQUEST, TOO_OFTEN = 400, 429
IN_SQL = {"loaded": Loading.LOADED, "load failed": Loading.FAILED, "partially loaded": Loading.PARTLY}
REQUEST_TIMEOUT_S = 60
EXTRA = "firnline-ingest[files]"
_ON_ERROR = re.compile(r"ON_ERROR\s*=\s*'?(\w+%?)", re.IGNORECASE)
_WANTED = {
    "a stage named like itself": re.compile(r"FROM\s+'?@", re.IGNORECASE),
    "MATCH_BY_COLUMN_NAME": re.compile(r"MATCH_BY_COLUMN_NAME\s*=\s*'?CASE_", re.IGNORECASE),
    "FILE_FORMAT with BINARY_FORMAT = BASE64": re.compile(r"BINARY_FORMAT\s*=\s*'?BASE64", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class FileTarget:
    """Stored names."""

    database: str
    schema: str
    table: str

    @property
    def name(self) -> str:
        """The name that stage and pipe share."""
        return dead_letters_name(self.table)

    def sql(self, name: str) -> str:
        return ".".join(map(quoted, (self.database, self.schema, name)))

    @property
    def pipe(self) -> str:
        """The pipe's name as the REST path spells it: case-sensitive, quoted only where it has to be."""
        return ".".join(map(written_name, (self.database, self.schema, self.name)))

    @property
    def stage(self) -> str:
        return f"@{self.sql(self.name)}"


def pipe_created(session: Statements, target: FileTarget) -> datetime:
    """Returns when the pipe was created: one that is recreated has forgotten what it loaded.

    Raises PipeUnusable where there is none, or where it would load a part of a file or other values than are streamed.
    """
    found = Listing(session, "PIPES", [(target.database, target.schema, target.name)]).find(
        target.database, target.schema, target.name
    )
    if found is None:
        raise PipeUnusable(target.pipe, "it does not exist, or the role sees nothing of it")
    definition = str(found.get("definition") or "")
    if definition and (problem := _problem(definition)):
        raise PipeUnusable(target.pipe, problem)
    return _moment(found["created_on"])


def _problem(definition: str) -> str | None:
    """The role may see no definition; a file that was loaded in part is reported all the same, and never taken for loaded."""
    on_error = _ON_ERROR.search(definition)
    if on_error and on_error[1].upper() != "SKIP_FILE":
        return f"it goes on after an error (ON_ERROR = {on_error[1]}), so a part of a dead letter could be in the table"
    return next((f"its definition lacks {what}" for what, form in _WANTED.items() if not form.search(definition)), None)


def _moment(value: Any) -> datetime:
    return value if isinstance(value, datetime) else datetime.fromisoformat(str(value))


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
            is_malformed = error.http_error_code == BAD_REQUEST
            raise FilesRefused(self.pipe, call, str(error), is_malformed=is_malformed) from error
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


def ingest_manager(
    *, account: str, user: str, host: str, port: int, pipe: str, key: SigningKey, ca_file: Path | None
) -> Any:
    """A SimpleIngestManager. `pipe` is fully qualified, as the REST path names it. Raises FilesExtraMissing."""
    load_package()
    from snowflake.ingest.simple_ingest_manager import SimpleIngestManager

    manager = SimpleIngestManager(account=account, user=user, pipe=pipe, private_key=key.pem, host=host, port=port)
    manager.restful = _bounded(ca_file)
    return manager


def load_package() -> None:
    """Raises FilesExtraMissing."""
    put_back_parse_account()
    try:
        import snowflake.ingest.simple_ingest_manager  # noqa: F401 - whether it is there
    except ModuleNotFoundError as error:
        raise FilesExtraMissing(EXTRA, str(error)) from error


def _bounded(ca_file: Path | None) -> Any:
    import requests
    from snowflake.ingest.utils.network import SnowflakeRestful

    class Bounded(SnowflakeRestful):  # type: ignore[misc] # the package has no types
        """The package's own retries, each with an end."""

        def _exec_request(self, url: str, method: str, headers: Any = None, json: Any = None) -> Any:
            verify = str(ca_file) if ca_file else None
            return requests.request(method, url, headers=headers, json=json, timeout=REQUEST_TIMEOUT_S, verify=verify)

    return Bounded()
