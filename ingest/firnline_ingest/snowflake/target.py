"""What the driver asks Snowflake in SQL: which table and pipe a pipeline writes to, as they are now.

A table or pipe that was made again under its name has another creation time; that is how a replacement is seen. The
ingest role's own rights suffice: SHOW lists what a role has any privilege on.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from firnline_ingest.config.model import EngineConfig, PipelineConfig, Tolerance
from firnline_ingest.errors import FirnlineError
from firnline_ingest.identifiers import default_pipe, like_pattern, quoted, stored_name, table_name, written_name
from firnline_ingest.permissions.snowflake import PRIVILEGES, Need, required_privileges
from firnline_ingest.snowflake.connection import DOES_NOT_EXIST, connect, rows_of
from firnline_ingest.snowflake.errors import (
    ErrorLoggingOff,
    GrantMissing,
    PipeMissing,
    SnowflakeUnavailable,
    TableMissing,
)
from firnline_ingest.snowflake.grants import RoleGrants, WantedPrivilege
from firnline_ingest.snowflake.key import load_key
from firnline_ingest.snowflake.preflight import check_connection
from firnline_ingest.values import TargetTable

if TYPE_CHECKING:
    from snowflake.connector import SnowflakeConnection

ON = ("ON", "Y", "true", True)
NOT_ALLOWED = 3001
OWN_STORAGE = "SNOWFLAKE_MANAGED"
"""What is written where an external volume would be named (user guide, Iceberg tables, Snowflake storage)."""


@dataclass(frozen=True, slots=True)
class TargetState:
    """A pipeline's table and pipe, and what the engine has to know of them."""

    target: TargetTable
    columns: tuple[str, ...]
    evolves: bool
    logs_errors: bool


class TargetCatalog:
    """One session, opened when first needed and again after it broke."""

    def __init__(self, config: EngineConfig) -> None:
        self._config = config
        self._connection: SnowflakeConnection | None = None
        self._allowed: set[TargetTable] = set()

    def states(self, pipelines: Iterable[PipelineConfig]) -> dict[str, TargetState | FirnlineError]:
        """Of each pipeline, by its stream; the error where it is that pipeline's own. Raises SessionRefused, KeyRefused or
        SnowflakeUnavailable, which are everybody's.
        """
        return {pipeline.stream: self._state_or_error(pipeline) for pipeline in pipelines}

    def _state_or_error(self, pipeline: PipelineConfig) -> TargetState | FirnlineError:
        try:
            return self.state_of(pipeline)
        except (TableMissing, PipeMissing, GrantMissing, ErrorLoggingOff) as error:
            return error

    def state_of(self, pipeline: PipelineConfig) -> TargetState:
        """Raises TableMissing, PipeMissing, GrantMissing, ErrorLoggingOff, SessionRefused, KeyRefused or
        SnowflakeUnavailable.
        """
        database, schema = stored_name(pipeline.database), stored_name(pipeline.schema_)
        table = stored_name(pipeline.table) if pipeline.table else table_name(pipeline.stream)
        where = f"{quoted(database)}.{quoted(schema)}"
        found = self._find("TABLES", table, where)
        if found is None:
            missing = self._lacking(_wanted((database, schema, table)))
            raise TableMissing(f"{where}.{quoted(table)}", self._config.snowflake.role, missing)
        pipe, pipe_created_on = self._pipe(pipeline, where, table)
        target = TargetTable(database, schema, table, _timestamp(found["created_on"]), pipe, pipe_created_on)
        self._check_grants(target, found)
        logs_errors = found.get("error_logging") in ON
        if pipeline.tolerance is Tolerance.ALL and not logs_errors:
            raise ErrorLoggingOff(str(target))
        columns = tuple(str(row["name"]) for row in self._rows(f"DESCRIBE TABLE {where}.{quoted(table)}"))
        return TargetState(target, columns, evolves=found.get("enable_schema_evolution") in ON, logs_errors=logs_errors)

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _session(self) -> "SnowflakeConnection":
        if self._connection is None:
            snowflake = self._config.snowflake
            key = load_key(self._config)
            check_connection(snowflake, key)
            self._connection = connect(
                account=snowflake.account,
                user=snowflake.user,
                role=snowflake.role,
                url=snowflake.base_url,
                key=key,
                ca_file=snowflake.ca_file,
            )
        return self._connection

    def _pipe(self, pipeline: PipelineConfig, where: str, table: str) -> tuple[str, str]:
        """The pipe that was named; else the one with the table's name; else the table's default pipe."""
        wanted = stored_name(pipeline.pipe) if pipeline.pipe else table
        found = self._find("PIPES", wanted, where)
        if found is not None:
            return written_name(wanted), _timestamp(found["created_on"])
        if pipeline.pipe:
            name = (stored_name(pipeline.database), stored_name(pipeline.schema_), wanted)
            missing = self._lacking([WantedPrivilege("OPERATE", "PIPE", name)])
            raise PipeMissing(f"{where}.{quoted(wanted)}", self._config.snowflake.role, missing)
        return default_pipe(table), ""

    def _check_grants(self, target: TargetTable, found: Mapping[str, Any]) -> None:
        """Once for each target: what is taken away later is refused by the service, at the next append."""
        if target in self._allowed:
            return
        table = (target.database, target.schema, target.table)
        evolves, is_iceberg = (found.get(flag) in ON for flag in ("enable_schema_evolution", "is_iceberg"))
        wanted = _wanted(table, *([Need.EVOLUTION] if evolves else []), kind="ICEBERG TABLE" if is_iceberg else "TABLE")
        wanted += self._on_volume(table) if is_iceberg else []
        grants = self._role_grants()
        if grants and grants.mentions(*table) and (missing := grants.lacking(wanted)):
            raise GrantMissing(str(target), self._config.snowflake.role, missing)
        self._allowed.add(target)

    def _on_volume(self, table: tuple[str, str, str]) -> list[WantedPrivilege]:
        """What an Iceberg table's files need, where they are not in Snowflake's own storage."""
        database, schema, name = table
        found = self._find("ICEBERG TABLES", name, f"{quoted(database)}.{quoted(schema)}") or {}
        volume = found.get("external_volume_name")
        needed = (one for one in PRIVILEGES if one.need is Need.ICEBERG)
        return [WantedPrivilege.of(one, str(volume)) for one in needed] if volume not in (None, "", OWN_STORAGE) else []

    def _lacking(self, wanted: Iterable[WantedPrivilege]) -> list[WantedPrivilege]:
        """Empty, too, where the role's grants don't tell."""
        grants = self._role_grants()
        return grants.lacking(wanted) if grants else []

    def _role_grants(self) -> RoleGrants | None:
        role = quoted(stored_name(self._config.snowflake.role))
        return RoleGrants.read(self._rows(f"SHOW GRANTS TO ROLE {role}", empty={*DOES_NOT_EXIST, NOT_ALLOWED}))

    def _find(self, kind: str, name: str, where: str) -> Mapping[str, Any] | None:
        """LIKE is a pattern and ignores case: only the exact name counts."""
        rows = self._rows(f"SHOW {kind} LIKE {like_pattern(name)} IN SCHEMA {where}")
        return next((row for row in rows if row["name"] == name), None)

    def _rows(self, statement: str, empty: Collection[int] = DOES_NOT_EXIST) -> list[dict[str, Any]]:
        """None, too, where the refusal is one of `empty`."""
        from snowflake.connector.errors import Error, ProgrammingError

        try:
            return rows_of(self._session(), statement)
        except ProgrammingError as error:
            if error.errno in empty:
                return []
            raise SnowflakeUnavailable(f"answer {statement!r}", str(error)) from error
        except Error as error:
            self.close()
            raise SnowflakeUnavailable(f"answer {statement!r}", str(error)) from error


def _wanted(table: tuple[str, str, str], *needs: Need, kind: str = "TABLE") -> list[WantedPrivilege]:
    """On the database, the schema and the table; what a pipe needs is asked for where it is looked up."""
    places = {"DATABASE": ("DATABASE", 1), "SCHEMA": ("SCHEMA", 2), "TABLE": (kind, 3)}
    declared = ((one, *places[one.on]) for one in required_privileges(*needs))
    return [WantedPrivilege.of(one, *table[:depth], kind=spelled) for one, spelled, depth in declared]


def _timestamp(value: object) -> str:
    """ISO 8601 in UTC with milliseconds, whichever type the connector gave."""
    return value.astimezone(UTC).isoformat(timespec="milliseconds") if isinstance(value, datetime) else str(value)
