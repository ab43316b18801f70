"""One database of the embedded Redshift: its schemas and views, who owns and may read them, and DuckDB underneath.

A refresh is one transaction: the records that came since the last one, or, where one of them fails the view's SELECT, none; then
the view stays where it is until an operator acts. A view with AUTO REFRESH YES is refreshed after a statement was answered, never
before: who reads has to ask again, as with the service.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import duckdb
from botocore.exceptions import ClientError

from firnline_local.runtimes.redshift.catalog import ADMIN, DatabaseCatalog, StoredView, StreamSchema
from firnline_local.runtimes.redshift.ingestion import Client, ScannedRecord, StreamReader, check_access, scan
from firnline_local.runtimes.redshift.lowering import BATCH, RECORD, of_batch, of_query
from firnline_local.runtimes.redshift.statements import (
    CHARACTERS,
    MV,
    NAME,
    PATH,
    Path,
    RedshiftStatement,
    StatementError,
    form,
    understood,
    unquoted,
)
from firnline_local.runtimes.redshift.system_views import SYSTEM_VIEWS, rows_of

AUTO_REFRESH_S = 0.5
USERS = "CREATE OR REPLACE TEMP MACRO pg_get_userbyid(id) AS ([{users}])[id + 1]"
UPDATED, UNCHANGED = "Refresh successfully updated MV incrementally", "MV was already updated"
FAILED = "Refresh failed due to an internal error"
"""Statuses of AWS's page on SVL_MV_REFRESH_STATUS."""
BATCH_COLUMNS = (
    "approximate_arrival_timestamp TIMESTAMP, partition_key VARCHAR, shard_id VARCHAR, sequence_number VARCHAR, "
    f"refresh_time TIMESTAMP, {RECORD} BLOB, record_text VARCHAR, is_json BOOLEAN"
)
SourceOf = Callable[[str, str], StreamReader]
"""Of a role and the database user that reads as it."""
"""Of an IAM_ROLE: an ARN, or default. Raises StatementError for one that is not attached."""


@dataclass(frozen=True)
class ResultSet:
    columns: list[tuple[str, str]] = field(default_factory=list)
    """Names and types."""
    rows: list[tuple[Any, ...]] = field(default_factory=list)


class RedshiftDatabase(DatabaseCatalog):
    """`execute` may be called by one thread at a time."""

    def __init__(self, database: str, *, case_sensitive: Callable[[], bool], source: SourceOf, client: Client) -> None:
        super().__init__(database)
        self._case_sensitive, self._source, self._client = case_sensitive, source, client
        self._refreshed_at = float("-inf")
        self._duck = duckdb.connect(":memory:")
        self._duck.execute('CREATE SCHEMA IF NOT EXISTS "public"; CREATE SCHEMA sys')

    def execute(self, text: str, user: str) -> ResultSet:
        """Raises StatementError. Views that refresh themselves do so when it was answered (`refresh_automatic`)."""
        carry, statement = understood(text)
        try:
            answer: ResultSet | None = carry(self, statement, user)
        except duckdb.Error as error:
            raise StatementError(str(error).splitlines()[0]) from error
        return answer or ResultSet()

    def refresh_automatic(self) -> None:
        """Refreshes what refreshes by itself, but not again within AUTO_REFRESH_S: a shard gives five reads a second to all
        of its readers."""
        now = time.monotonic()
        if now - self._refreshed_at < AUTO_REFRESH_S:
            return
        self._refreshed_at = now
        for view in [each for each in self.views.values() if each.auto_refresh]:
            self._refresh(view, "Auto")

    @form(
        rf"CREATE EXTERNAL SCHEMA(?P<lenient> IF NOT EXISTS)? (?P<name>{NAME}) FROM KINESIS"
        rf"(?: REGION '(?P<region>{CHARACTERS})')? IAM_ROLE (?:default|'(?P<role>{CHARACTERS})')"
    )
    def _create_schema(self, it: RedshiftStatement, user: str) -> None:
        self._may("CREATE", "DATABASE", self.database, user)
        name, role = self._folded(unquoted(it["name"])), it["role"] or "default"
        if name in self.schemas and not it["lenient"]:
            raise StatementError(f'StreamSchema "{name}" already exists')
        self._source(role, user)
        self.schemas.setdefault(name, StreamSchema(name, it["region"] or None, role, user))

    @form(rf"CREATE {MV} {PATH}(?: AUTO REFRESH (?P<auto>YES|NO))? AS (?P<select>SELECT .+)")
    def _create_materialized_view(self, it: RedshiftStatement, user: str) -> None:
        path = self._new(it.path, user)
        view = StoredView(path, user, it.text, materialized=True, auto_refresh=it.auto_refresh)
        if self._names_stream(it["select"]):
            stream, view.over_batch, view.is_aggregated = of_batch(it["select"], refreshes_itself=it.auto_refresh)
            view.schema, view.stream = self.schemas[self._folded(stream.schema)], self._folded(stream.name)
            self._check(view)
            self._with_batch((), datetime.now(UTC))
            self._duck.execute(f"CREATE TABLE {_quoted(path)} AS {view.over_batch} LIMIT 0")
        else:
            view.over_batch = self._lowered(it["select"], user)
            self._duck.execute(f"CREATE TABLE {_quoted(path)} AS {view.over_batch}")
        self.views[path] = view

    @form(rf"CREATE VIEW {PATH} AS (?P<select>SELECT .+?)(?: WITH NO SCHEMA BINDING)?")
    def _create_view(self, it: RedshiftStatement, user: str) -> None:
        path = self._new(it.path, user)
        self._duck.execute(f"CREATE VIEW {_quoted(path)} AS {self._lowered(it['select'], user)}")
        self.views[path] = StoredView(path, user, it.text, materialized=False)

    @form(rf"ALTER {MV} {PATH} AUTO REFRESH (?P<auto>YES|NO)")
    def _alter_refresh(self, it: RedshiftStatement, user: str) -> None:
        self._own(it.path, user, materialized=True).auto_refresh = it.auto_refresh

    @form(rf"ALTER TABLE {PATH} OWNER TO (?P<owner>{NAME})")
    def _alter_owner(self, it: RedshiftStatement, user: str) -> None:
        self._own(it.path, user).owner = unquoted(it["owner"])

    @form(rf"ALTER SCHEMA (?P<name>{NAME}) OWNER TO (?P<owner>{NAME})")
    def _alter_owner_of_schema(self, it: RedshiftStatement, user: str) -> None:
        self._own_schema(self._folded(unquoted(it["name"])), user).owner = unquoted(it["owner"])

    @form(rf"REFRESH {MV} {PATH}")
    def _refresh_by_hand(self, it: RedshiftStatement, user: str) -> None:
        if problem := self._refresh(self._own(it.path, user, materialized=True), "Manual"):
            raise StatementError(problem)

    @form(rf"DROP (?P<materialized>MATERIALIZED\s+)?VIEW(?P<lenient> IF EXISTS)? {PATH}")
    def _drop_view(self, it: RedshiftStatement, user: str) -> None:
        path = self._path(it.path)
        if path not in self.views and it["lenient"]:
            return
        view = self._own(path, user, materialized=bool(it["materialized"]))
        above = [each for each in self.views.values() if each.materialized and str(path) in _references(each)]
        if [each for each in above if each is not view]:
            raise StatementError(f"cannot drop materialized view {path.name} because other objects depend on it")
        self._duck.execute(f"DROP {'TABLE' if view.materialized else 'VIEW'} {_quoted(path)}")
        del self.views[path]
        self.grants = {each for each in self.grants if each[1:3] != ("TABLE", str(path))}

    @form(rf"DROP SCHEMA(?P<lenient> IF EXISTS)? (?P<name>{NAME})")
    def _drop_schema(self, it: RedshiftStatement, user: str) -> None:
        name = self._folded(unquoted(it["name"]))
        if name not in self.schemas and it["lenient"]:
            return
        schema = self._own_schema(name, user)
        if any(view.schema is schema for view in self.views.values()):
            raise StatementError(f"cannot drop schema {name} because other objects depend on it")
        del self.schemas[name]

    @form(
        rf"GRANT (?P<privilege>USAGE|SELECT|CREATE) ON (?:(?P<kind>SCHEMA|TABLE|DATABASE) )?{PATH} "
        rf"TO (?P<role>ROLE )?(?P<grantee>{NAME})"
    )
    def _grant(self, it: RedshiftStatement, user: str) -> None:
        kind, grantee = it["kind"].upper() or "TABLE", unquoted(it["grantee"])
        name = self._folded(unquoted(it["path"])) if kind != "TABLE" else str(self._path(it.path))
        if it["role"] and grantee not in self.roles:
            raise StatementError(f'role "{grantee}" does not exist')
        if kind == "TABLE":
            self._own(it.path, user)
        elif user != ADMIN:
            raise StatementError(f"permission denied for {kind.lower()} {name}")
        self.grants.add((it["privilege"].upper(), kind, name, grantee))

    @form(rf"CREATE ROLE (?P<name>{NAME})")
    def _create_role(self, it: RedshiftStatement, user: str) -> None:
        if user != ADMIN:
            raise StatementError("permission denied to create role")
        self.roles.add(unquoted(it["name"]))

    @form(rf"SHOW VIEW {PATH}")
    def _show_view(self, it: RedshiftStatement, user: str) -> ResultSet:
        return ResultSet([("Show View DDL statement", "varchar")], [(self._readable(it.path, user).text,)])

    @form(r"SHOW (?P<setting>\w+)")
    def _show_setting(self, it: RedshiftStatement, _: str) -> ResultSet:
        name = it["setting"].lower()
        if name != "enable_case_sensitive_identifier":
            raise StatementError(f'unrecognized configuration parameter "{name}"')
        return ResultSet([(name, "unknown")], [("on" if self._case_sensitive() else "off",)])

    @form(r"(?:SELECT|WITH) .+")
    def _select(self, it: RedshiftStatement, user: str) -> ResultSet:
        found = self._duck.execute(self._lowered(it.text, user))
        columns = [(str(each[0]), str(each[1]).lower()) for each in found.description or ()]
        return ResultSet(columns, found.fetchall())

    def _refresh(self, view: StoredView, how: str) -> str | None:
        """Returns why it failed; None where it did not."""
        now, problem, scanned = datetime.now(UTC), None, list[ScannedRecord]()
        try:
            if view.schema is not None:
                self._check(view)
                scanned = list(scan(view.stream, view.positions, self._client))
                self._with_batch((*view.records, *scanned), now)
                self._duck.execute(f"CREATE OR REPLACE TEMP TABLE fresh AS {view.over_batch}")
                if view.is_aggregated:
                    view.records += scanned
                    self._duck.execute(f"DELETE FROM {_quoted(view.path)}")
                self._duck.execute(f"INSERT INTO {_quoted(view.path)} FROM fresh")
                view.positions |= {each.shard_id: each.sequence_number for each in scanned}
            else:
                self._duck.execute(f"DELETE FROM {_quoted(view.path)}")
                self._duck.execute(f"INSERT INTO {_quoted(view.path)} {view.over_batch}")
        except (duckdb.Error, StatementError, ClientError) as error:  # ClientError: others read the shard too fast
            problem = str(error).splitlines()[0]
        status = FAILED if problem else UPDATED if scanned or view.schema is None else UNCHANGED
        last = next((each for each in reversed(self.refreshes) if each["mv_name"] == view.path.name), None)
        if how == "Manual" or status != UNCHANGED or (last is not None and last["status"] == FAILED):
            self._remember(view, how, status=status, problem=problem, scanned=scanned, now=now)
        return problem

    def _remember(
        self,
        view: StoredView,
        how: str,
        *,
        status: str,
        problem: str | None,
        scanned: list[ScannedRecord],
        now: datetime,
    ) -> None:
        whose = {"schema_name": view.path.schema, "mv_name": view.path.name}
        row = {**whose, "refresh_type": how, "status": status, "start_time": now.replace(tzinfo=None)}
        self.refreshes.append(row)
        external = view.schema.name if view.schema else ""
        about = {"external_schema_name": external, "stream_name": view.stream, "mv_name": view.path.name}
        at = {**about, "record_time": now.replace(tzinfo=None)}
        if problem:
            where = {"partition_id": scanned[0].shard_id, "position": scanned[0].sequence_number} if scanned else {}
            self.errors.append({**at, **where, "error_code": 0, "error_reason": problem})
            return
        for shard in dict.fromkeys(each.shard_id for each in scanned):
            of_shard = [each for each in scanned if each.shard_id == shard]
            self.scans.append(
                {
                    **at,
                    "partition_id": shard,
                    "latest_position": of_shard[-1].sequence_number,
                    "scanned_rows": len(of_shard),
                    "skipped_rows": 0,
                    "scanned_bytes": sum(len(each.data) for each in of_shard),
                    "stream_record_time_min": min(each.arrived for each in of_shard),
                    "stream_record_time_max": max(each.arrived for each in of_shard),
                }
            )

    def _with_batch(self, records: Iterable[ScannedRecord], now: datetime) -> None:
        self._duck.execute(f"CREATE OR REPLACE TEMP TABLE {BATCH} ({BATCH_COLUMNS})")
        at = now.replace(tzinfo=None)
        rows = [
            (it.arrived, it.partition_key, it.shard_id, it.sequence_number, at, it.data, it.text, it.is_json)
            for it in records
        ]
        if rows:
            self._duck.executemany(f"INSERT INTO {BATCH} VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def _check(self, view: StoredView) -> None:
        assert view.schema is not None
        source = self._source(view.schema.role, view.owner)
        if view.schema.region not in (None, source.region):
            raise StatementError(
                f"The embedded Kinesis has no region but {source.region}; the schema says {view.schema.region}."
            )
        check_access(source, view.stream, self._client)

    def _names_stream(self, select: str) -> bool:
        return any(self._folded(schema) in self.schemas for schema in _schemas_in(select))

    def _lowered(self, select: str, user: str) -> str:
        def relation(path: Path) -> str:
            if path.schema in ("", "pg_catalog") and path.name.lower() in SYSTEM_VIEWS:
                return self._system(path.name.lower(), user)
            found = self._path(path if path.schema else Path("public", path.name))
            if found.schema in self.schemas:
                raise StatementError("Kinesis streams can be read by a materialized view alone")
            return _quoted(self._readable(found, user).path)

        self._duck.execute(USERS.format(users=", ".join(map(_text, self.users))))
        return of_query(select, relation, {RECORD: "SUPER"}, user)

    def _system(self, name: str, user: str) -> str:
        columns = SYSTEM_VIEWS[name]
        self._duck.execute(
            f"CREATE OR REPLACE TABLE sys.{name} ({', '.join(f'{each} {type_}' for each, type_ in columns.items())})"
        )
        rows = [tuple(row.get(each) for each in columns) for row in rows_of(self, name, user)]
        if rows:
            self._duck.executemany(f"INSERT INTO sys.{name} VALUES ({', '.join('?' for _ in columns)})", rows)
        return f"sys.{name}"

    def _new(self, path: Path, user: str) -> Path:
        found = self._path(path)
        if found.schema != "public":
            raise StatementError(f'schema "{found.schema}" does not exist')
        self._may("CREATE", "SCHEMA", found.schema, user)
        if found in self.views:
            raise StatementError(f'relation "{found.name}" already exists')
        return found

    def _readable(self, path: Path, user: str) -> StoredView:
        view = self._found(path)
        if user not in (ADMIN, view.owner):
            self._may("SELECT", "TABLE", str(view.path), user)
        return view

    def _own(self, path: Path, user: str, *, materialized: bool | None = None) -> StoredView:
        view = self._found(path)
        if materialized is not None and view.materialized is not materialized:
            raise StatementError(f'"{view.path.name}" is not a {"materialized view" if materialized else "view"}')
        if user not in (ADMIN, view.owner):
            raise StatementError(f"must be owner of relation {view.path.name}")
        return view

    def _own_schema(self, name: str, user: str) -> StreamSchema:
        if name not in self.schemas:
            raise StatementError(f'schema "{name}" does not exist')
        if user not in (ADMIN, self.schemas[name].owner):
            raise StatementError(f"must be owner of schema {name}")
        return self.schemas[name]

    def _found(self, path: Path) -> StoredView:
        found = self._path(path)
        if found not in self.views:
            raise StatementError(f'relation "{found}" does not exist')
        return self.views[found]

    def _may(self, privilege: str, kind: str, name: str, user: str) -> None:
        """Everybody may make something in the schema public, until that is taken from them."""
        if user == ADMIN or (privilege, kind, name, user) in self.grants or (kind, name) == ("SCHEMA", "public"):
            return
        raise StatementError(f"permission denied for {'relation' if kind == 'TABLE' else kind.lower()} {name}")

    def _path(self, path: Path) -> Path:
        return Path(self._folded(path.schema), self._folded(path.name))

    def _folded(self, name: str) -> str:
        return name if self._case_sensitive() else name.lower()


def _quoted(path: Path) -> str:
    return ".".join('"' + each.replace('"', '""') + '"' for each in (path.schema, path.name))


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _references(view: StoredView) -> str:
    return view.over_batch.replace('"', "")


def _schemas_in(select: str) -> Iterable[str]:
    from sqlglot import exp, parse_one
    from sqlglot.errors import SqlglotError

    try:
        return {table.db for table in parse_one(select, read="redshift").find_all(exp.Table) if table.db}
    except SqlglotError as error:
        raise StatementError(f"syntax error: {str(error).splitlines()[0]}") from error
