"""The table and the pipe that a pipeline writes to, as they are now; the driver asks Snowflake in SQL.

A table or pipe that was recreated under its name has another creation time; that is how a replacement is seen. The
ingest role's own rights suffice: SHOW lists what a role has any privilege on.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.config.rows import PipeRows, Tolerance
from firnline_ingest.errors import FirnlineError, SnowflakeError
from firnline_ingest.identifiers import default_pipe, quoted, stored_name, table_name, written_name
from firnline_ingest.permissions.snowflake import PRIVILEGES, Need, required_privileges
from firnline_ingest.snowflake.connection import DOES_NOT_EXIST
from firnline_ingest.snowflake.errors import StatementRefused
from firnline_ingest.snowflake.grants import RoleGrants, WantedPrivilege
from firnline_ingest.snowflake.listing import LIMIT, Listing, Row, Statements
from firnline_ingest.snowflake.logins import PerLogin
from firnline_ingest.snowflake.pipe import check_columns, check_pipe, loads_files, matches_by_name
from firnline_ingest.snowflake.sql_session import SqlSession
from firnline_ingest.snowflake.table_columns import TableColumn, read_columns, show_columns
from firnline_ingest.snowflake.target_errors import (
    ErrorLoggingOff,
    GrantMissing,
    PipeFilters,
    PipeLeadsElsewhere,
    PipeMissing,
    PipeReadsFiles,
    PositionColumnMissing,
    PositionLost,
    TableMissing,
    TableRenamed,
)
from firnline_ingest.values import TargetTable

ON = ("ON", "Y", "true", True)
NOT_ALLOWED = 3001
FORMAT_VERSION, WITHOUT_VARIANT = "iceberg_table_format_version", ("1", "2")
"""A column of SHOW ICEBERG TABLES, and its values for tables without VARIANT."""
VARIANT = "VARIANT"
OWN_STORAGE = "SNOWFLAKE_MANAGED"
"""What is written where an external volume would be named (user guide, Iceberg tables, Snowflake storage)."""
GRANTS_EVERY_S = 60.0
"""How often a table's grants are looked at: of most that is taken away no append tells."""
PIPELINES_OWN = (
    *(TableMissing, TableRenamed, PipeMissing, PipeReadsFiles, PipeLeadsElsewhere, PipeFilters, PositionLost),
    *(PositionColumnMissing, GrantMissing, ErrorLoggingOff, StatementRefused),
)


@dataclass(frozen=True, slots=True)
class TargetState:
    """A pipeline's table and pipe, and what the engine has to know of them."""

    target: TargetTable
    evolves: bool
    logs_errors: bool
    is_iceberg: bool = False
    has_variant: bool = True
    """True if its format knows VARIANT: every table but an Iceberg one of version 2."""
    adds_columns: bool = False
    """True if the engine adds columns for keys that have none."""
    matches_by_name: bool = True
    """True if keys are columns by their names, and no SELECT says which value goes where."""
    counts_rows: bool = True
    """True if Snowflake's counters rise by each row that is sent: not behind a pipe that drops or multiplies rows."""
    beside: "tuple[TargetState, ...]" = ()
    """The tables that the pipeline's routes lead to."""

    @property
    def routed(self) -> tuple[tuple[str, TargetTable], ...]:
        """The states of the routed tables, by their stored names."""
        return tuple((state.target.table, state.target) for state in self.beside)


def add_columns(state: TargetState, columns: str) -> str:
    """The statement by which the table's owner adds `columns`."""
    kind = "ICEBERG TABLE" if state.is_iceberg else "TABLE"
    where = ".".join(map(quoted, (state.target.database, state.target.schema, state.target.table)))
    return f"ALTER {kind} {where} ADD COLUMN {columns}"


class TargetCatalog:
    """Asks in one session (sql_session.py) for each service user; `session` takes the place of all of them."""

    def __init__(
        self,
        config: EngineConfig,
        session: Statements | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._config = config
        self._sessions = PerLogin[Statements](config, SqlSession if session is None else lambda _: session)
        self._session_of: dict[tuple[str, str, str], Statements] = {}
        """By which each table was seen."""
        self._known = _Known(clock)

    def states(self, pipelines: Sequence[PipelineConfig]) -> dict[str, TargetState | FirnlineError]:
        """The state of each pipeline's table, by stream; an error of the pipeline's own (PIPELINES_OWN) stands in its
        place.

        Raises KeyUnusable, KeyRefused, SessionRefused or SnowflakeUnavailable, which concern all pipelines. For a pipeline
        with a user of its own they are its own, too.
        """
        self._known.columns.clear()
        found: dict[str, TargetState | FirnlineError] = {}
        for login in dict.fromkeys(each.login for each in pipelines):
            group = [each for each in pipelines if each.login == login]
            try:
                look = self._look(group)
                found |= {each.stream: look.state_or_error(each) for each in group}
            except SnowflakeError as error:
                if login is None:
                    raise
                found |= dict.fromkeys((each.stream for each in group), error)
        return found

    def state_of(self, pipeline: PipelineConfig) -> TargetState:
        """Raises what `states` gives and raises."""
        return self._look([pipeline]).routed_state(pipeline)

    def _look(self, pipelines: Sequence[PipelineConfig]) -> "_Look":
        """Looks at the tables of pipelines that share one user."""
        session = self._sessions.of(pipelines[0])
        everywhere = (each for pipeline in pipelines for each in (pipeline, *pipeline.routed.values()))
        self._session_of |= {_table(each): session for each in everywhere}
        role = self._config.logged_in_for(pipelines[0]).snowflake.role
        return _Look(role, session, pipelines, self._known)

    def _session(self, target: TargetTable) -> Statements:
        """The session that saw the table; tables are asked about once they have a state."""
        return self._session_of[target.database, target.schema, target.table]

    def columns_of(self, target: TargetTable) -> dict[str, bool]:
        """Returns whether each column takes NULL, by name. As `described`."""
        return {name: column.takes_null for name, column in self.described(target).items()}

    def described(self, target: TargetTable) -> Mapping[str, TableColumn]:
        """The table's columns by name, asked for once between two looks at all tables; none where the table is gone. Raises
        as `states` does, and StatementRefused.
        """
        return self._known.described(target, self._session(target))

    def add_columns(self, state: TargetState, columns: Sequence[str]) -> None:
        """Adds columns, each as ADD COLUMN has it, by one statement; a single one of a name that is there already stays as it
        is. Raises as `described`."""
        (first, *others) = columns
        wanted = ", ".join(columns) if others else f"IF NOT EXISTS {first}"
        self._known.columns.pop(state.target, None)
        self._session(state.target).rows(add_columns(state, wanted), empty=())

    def now_called(self, target: TargetTable) -> str | None:
        """The name, in its schema, of a table that was renamed or swapped, as it is written in SQL. Raises as `described`."""
        return now_called(
            self._session(target), (target.database, target.schema, target.table), target.table_created_on
        )

    def close(self) -> None:
        for session in self._sessions.all():
            session.close()


@dataclass(slots=True)
class _Known:
    """State that one look leaves to the next."""

    clock: Callable[[], float]
    made: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """The time at which the table was made that was seen under a name last."""
    columns: dict[TargetTable, Mapping[str, TableColumn]] = field(default_factory=dict)
    has_variant: dict[TargetTable, bool] = field(default_factory=dict)
    checked: set[tuple[str, TargetTable]] = field(default_factory=set)
    """Streams and tables whose columns and own pipe were held against them, once: neither changes without a person's ALTER."""
    _allowed_s: dict[TargetTable, float] = field(default_factory=dict)

    def described(self, target: TargetTable, session: Statements) -> Mapping[str, TableColumn]:
        if target not in self.columns:
            where = ".".join(map(quoted, (target.database, target.schema, target.table)))
            self.columns[target] = read_columns(session.rows(show_columns(where)))
        return self.columns[target]

    def is_allowed(self, target: TargetTable) -> bool:
        """Returns whether its grants were complete a moment ago."""
        return self.clock() - self._allowed_s.get(target, -GRANTS_EVERY_S) < GRANTS_EVERY_S

    def allowed(self, target: TargetTable) -> None:
        self._allowed_s[target] = self.clock()


class _Look:
    """One look at several tables: what they have in common is asked for once."""

    def __init__(
        self,
        role: str,
        session: Statements,
        pipelines: Sequence[PipelineConfig],
        known: _Known,
    ) -> None:
        self._role = role
        self._session = session
        self._known = known
        everywhere = [each for pipeline in pipelines for each in (pipeline, *pipeline.routed.values())]
        self._tables = Listing(session, "TABLES", map(_table, everywhere))
        self._pipes = Listing(session, "PIPES", map(_wanted_pipe, everywhere))
        self._grants: list[RoleGrants | None] = []

    def state_or_error(self, pipeline: PipelineConfig) -> TargetState | FirnlineError:
        try:
            return self.routed_state(pipeline)
        except PIPELINES_OWN as error:
            return error

    def routed_state(self, pipeline: PipelineConfig) -> TargetState:
        """The state with the tables that the pipeline's routes lead to, each of which has to exist as its own has."""
        return replace(self.state(pipeline), beside=tuple(map(self.state, pipeline.routed.values())))

    def state(self, pipeline: PipelineConfig) -> TargetState:
        table = _table(pipeline)
        found = self._tables.find(*table)
        if found is None:
            if now := now_called(self._session, table, self._known.made.get(table, "")):
                raise TableRenamed(".".join(map(quoted, table)), now)
            raise TableMissing(".".join(map(quoted, table)), self._role, self._lacking(_wanted(table)))
        pipe = self._pipe(pipeline)
        target = TargetTable(*table, made_text(found["created_on"]), *_name_and_time(pipe, table))
        self._known.made[table] = target.table_created_on
        self._check_grants(target, found)
        logs_errors = found.get("error_logging") in ON
        if pipeline.tolerance is Tolerance.ALL and not logs_errors:
            raise ErrorLoggingOff(str(target))
        evolves, is_iceberg = (found.get(flag) in ON for flag in ("enable_schema_evolution", "is_iceberg"))
        by_name = matches_by_name(pipe, pipeline)
        if (pipeline.stream, target) not in self._known.checked:
            if pipe is not None:
                check_pipe(pipe, pipeline, table, lambda: list(self._known.described(target, self._session)))
            if by_name and pipeline.audit and not (evolves or pipeline.adds_columns):
                check_columns(pipeline, table, self._known.described(target, self._session))
            self._known.checked.add((pipeline.stream, target))
        return TargetState(
            target,
            evolves=evolves and by_name,
            logs_errors=logs_errors,
            is_iceberg=is_iceberg,
            has_variant=not is_iceberg or self._has_variant(target),
            adds_columns=pipeline.adds_columns and by_name and not evolves,
            matches_by_name=by_name,
            counts_rows=pipeline.pipe_rows is PipeRows.ONE,
        )

    def _has_variant(self, target: TargetTable) -> bool:
        """True if the Iceberg table's version has VARIANT; the version never changes, so it is asked for once. Where it is
        hidden (SHOW ICEBERG TABLES asks for SELECT), a column of that type says so, and without one a person is asked.
        """
        if target not in self._known.has_variant:
            name = (target.database, target.schema, target.table)
            found = Listing(self._session, "ICEBERG TABLES", [name]).find(*name)
            if found is None:
                columns = self._known.described(target, self._session).values()
                self._known.has_variant[target] = any(each.type == VARIANT for each in columns)
            else:
                self._known.has_variant[target] = str(found.get(FORMAT_VERSION)) not in WITHOUT_VARIANT
        return self._known.has_variant[target]

    def _pipe(self, pipeline: PipelineConfig) -> Row | None:
        """The pipe that was named; else a streaming one with the table's name; None for the table's default pipe."""
        wanted = _wanted_pipe(pipeline)
        found = self._pipes.find(*wanted)
        if found is None and pipeline.pipe:
            missing = self._lacking([WantedPrivilege("OPERATE", "PIPE", wanted)])
            raise PipeMissing(".".join(map(quoted, wanted)), self._role, missing)
        return None if found is None or (not pipeline.pipe and loads_files(found)) else found

    def _check_grants(self, target: TargetTable, found: Mapping[str, Any]) -> None:
        """Now and then: without EVOLVE SCHEMA appends go on, and lose what has no column yet."""
        if self._known.is_allowed(target):
            return
        table = (target.database, target.schema, target.table)
        evolves, is_iceberg = (found.get(flag) in ON for flag in ("enable_schema_evolution", "is_iceberg"))
        wanted = _wanted(table, *([Need.EVOLUTION] if evolves else []), kind="ICEBERG TABLE" if is_iceberg else "TABLE")
        wanted += on_volume(self._session, table) if is_iceberg else []
        grants = self._role_grants()
        if grants and grants.mentions(*table) and (missing := grants.lacking(wanted)):
            raise GrantMissing(str(target), self._role, missing)
        self._known.allowed(target)

    def _lacking(self, wanted: Iterable[WantedPrivilege]) -> list[WantedPrivilege]:
        """Empty, too, where the role's grants don't tell."""
        grants = self._role_grants()
        return grants.lacking(wanted) if grants else []

    def _role_grants(self) -> RoleGrants | None:
        if not self._grants:
            show = f"SHOW GRANTS TO ROLE {quoted(stored_name(self._role))}"
            self._grants.append(RoleGrants.read(self._session.rows(show, empty={*DOES_NOT_EXIST, NOT_ALLOWED})))
        return self._grants[0]


def now_called(session: Statements, table: tuple[str, str, str], made: str) -> str | None:
    """The name of another table of the schema that was made at that very time: the one that had this name. Raises what the
    session raises.
    """
    if not made:
        return None
    database, schema, _ = table
    rows = session.rows(f"SHOW TABLES IN SCHEMA {quoted(database)}.{quoted(schema)}{LIMIT}")
    names = [row["name"] for row in rows if row["name"] != table[-1] and made_text(row["created_on"]) == made]
    return ".".join(map(written_name, (database, schema, names[0]))) if len(names) == 1 else None


def on_volume(session: Statements, table: tuple[str, str, str]) -> list[WantedPrivilege]:
    """Returns what an Iceberg table's files need, where they are not in Snowflake's own storage; nothing where that is hidden."""
    found = Listing(session, "ICEBERG TABLES", [table]).find(*table)
    volume = _volume_parameter(session, table) if found is None else found.get("external_volume_name")
    needed = (one for one in PRIVILEGES if one.need is Need.ICEBERG)
    return [WantedPrivilege.of(one, str(volume)) for one in needed] if volume not in (None, "", OWN_STORAGE) else []


def _volume_parameter(session: Statements, table: tuple[str, str, str]) -> str:
    """The volume of a table that SHOW ICEBERG TABLES hides; empty where its parameters are hidden too."""
    statement = f"SHOW PARAMETERS LIKE 'EXTERNAL_VOLUME' IN TABLE {'.'.join(map(quoted, table))}"
    rows = session.rows(statement, empty={*DOES_NOT_EXIST, NOT_ALLOWED})
    return next((str(row["value"]) for row in rows if row.get("level") == "TABLE"), "")


def _name_and_time(pipe: Row | None, table: tuple[str, str, str]) -> tuple[str, str]:
    if pipe is None:
        return default_pipe(table[-1]), ""
    return written_name(str(pipe["name"])), made_text(pipe["created_on"])


def _table(pipeline: PipelineConfig) -> tuple[str, str, str]:
    """The stored names of database, schema and table."""
    table = stored_name(pipeline.table) if pipeline.table else table_name(pipeline.stream)
    return stored_name(pipeline.database), stored_name(pipeline.schema_), table


def _wanted_pipe(pipeline: PipelineConfig) -> tuple[str, str, str]:
    database, schema, table = _table(pipeline)
    return database, schema, stored_name(pipeline.pipe) if pipeline.pipe else table


def _wanted(table: tuple[str, str, str], *needs: Need, kind: str = "TABLE") -> list[WantedPrivilege]:
    """The privileges on database, schema and table; a pipe's are asked for where the pipe is looked up."""
    places = {"DATABASE": ("DATABASE", 1), "SCHEMA": ("SCHEMA", 2), "TABLE": (kind, 3)}
    declared = ((one, *places[one.on]) for one in required_privileges(*needs))
    return [WantedPrivilege.of(one, *table[:depth], kind=spelled) for one, spelled, depth in declared]


def made_text(value: object) -> str:
    """ISO 8601 in UTC with milliseconds, whichever type the connector gave."""
    return value.astimezone(UTC).isoformat(timespec="milliseconds") if isinstance(value, datetime) else str(value)
