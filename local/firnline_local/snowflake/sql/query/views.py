"""Tables that are made for a query: the views of INFORMATION_SCHEMA (COLUMNS and TABLES, of the database in
their name) and the table functions POLICY_REFERENCES (of users; tables have no policies here) and COPY_HISTORY.

COPY_HISTORY is what pipes have loaded into a table (`sql-reference/functions/copy_history`). It masks the names of a pipe that
the role may not MONITOR, and leaves out a pipe that was dropped or made again.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlglot import exp

from firnline_local.snowflake.catalog import CatalogObject, Column, Database, DataType, Pipe, Table, User
from firnline_local.snowflake.catalog.errors import CompilationFault, DoesNotExist, NotKnown
from firnline_local.snowflake.catalog.names import display, read_name
from firnline_local.snowflake.catalog.storage import MEMORY, FileLoad
from firnline_local.snowflake.sql.result import MOMENT, NUMBER, TEXT
from firnline_local.snowflake.sql.scope import NAMED, Context, find_named
from firnline_local.snowflake.sql.show.listings import Listed, Value, attribute, cluster_by, constant, retention

INFORMATION_SCHEMA = "INFORMATION_SCHEMA"
POLICY_REFERENCES = "POLICY_REFERENCES"
REFERENCE_COLUMNS = (
    "POLICY_DB", "POLICY_SCHEMA", "POLICY_NAME", "POLICY_KIND", "REF_DATABASE_NAME", "REF_SCHEMA_NAME",
    "REF_ENTITY_NAME", "REF_ENTITY_DOMAIN", "REF_COLUMN_NAME", "REF_ARG_COLUMN_NAMES", "TAG_DATABASE", "TAG_SCHEMA",
    "TAG_NAME", "POLICY_STATUS",
)  # fmt: skip # a paragraph, not a column
DOMAINS = ("USER", "TABLE")


@dataclass(frozen=True)
class View:
    """A view's rows, to be put into a temporary table of this name."""

    name: str
    columns: Sequence[Column]
    rows: Sequence[dict[str, Any]]


def view(context: Context, names: Sequence[str]) -> View:
    """`[db.]INFORMATION_SCHEMA.name`, with what the role sees."""
    if names[-1] not in VIEWS:
        raise NotKnown(f"INFORMATION_SCHEMA.{names[-1]}")
    database = context.find(Database, names[:1]) if len(names) > 2 else context.session.database
    if database is None:
        raise DoesNotExist("schema", display(*names[:-1]))
    columns, found_in = VIEWS[names[-1]]
    visible = (found for found in database.walk() if context.catalog.sees(context.role, found))
    rows = [{column.name: column.value(row, context) for column in columns} for row in found_in(visible)]
    return _view(context, [Column(name=column.name, type=column.type) for column in columns], rows)


def _view(context: Context, columns: Sequence[Column], rows: Sequence[dict[str, Any]]) -> View:
    return View(f"v{context.catalog.directory.next_id()}", columns, rows)


def _tables(visible: Iterable[CatalogObject]) -> Iterable[Table]:
    return (found for found in visible if isinstance(found, Table))


def _columns(visible: Iterable[CatalogObject]) -> Iterable[tuple[Table, int, Column]]:
    """Each with its table and its position."""
    return ((table, at, column) for table in _tables(visible) for at, column in enumerate(table.columns, start=1))


def _yes(name: str) -> Value:
    return lambda found, _: "YES" if getattr(found, name) else "NO"


def _of_column(value: Callable[[Column], Any]) -> Value:
    return lambda row, _: value(row[2])


def _of_type(value: Callable[[DataType], Any]) -> Value:
    return lambda row, _: value(row[2].type)


def _default(column: Column) -> str | None:
    return column.default.text if column.default and not column.default.is_identity else None


COMMENT = Listed("COMMENT", lambda found, _: found.comment or None)
CREATED = Listed("CREATED", attribute("created_on"), MOMENT)
RETENTION_TIME = Listed("RETENTION_TIME", retention, NUMBER)
SIZED = ("VARCHAR", "BINARY")
TYPE_NAMES = {"VARCHAR": "TEXT"}
"""Types that DATA_TYPE calls by another name."""

TABLES = (
    Listed("TABLE_CATALOG", lambda found, _: found.path[0]), Listed("TABLE_SCHEMA", lambda found, _: found.path[1]),
    Listed("TABLE_NAME", attribute("name")), Listed("TABLE_OWNER", attribute("owner_name")),
    Listed("TABLE_TYPE", constant("BASE TABLE")), Listed("IS_TRANSIENT", _yes("transient")),
    Listed("CLUSTERING_KEY", lambda found, context: cluster_by(found, context) or None),
    Listed("ROW_COUNT", lambda found, context: context.catalog.store.count_rows(found), NUMBER), RETENTION_TIME, CREATED, COMMENT,
)  # fmt: skip # a paragraph, not a column
COLUMNS = (
    Listed("TABLE_CATALOG", lambda row, _: row[0].path[0]), Listed("TABLE_SCHEMA", lambda row, _: row[0].path[1]),
    Listed("TABLE_NAME", lambda row, _: row[0].name), Listed("COLUMN_NAME", _of_column(lambda column: column.name)),
    Listed("ORDINAL_POSITION", lambda row, _: row[1], NUMBER), Listed("COLUMN_DEFAULT", _of_column(_default)),
    Listed("IS_NULLABLE", _of_column(lambda column: "YES" if column.nullable else "NO")),
    Listed("DATA_TYPE", _of_type(lambda kind: TYPE_NAMES.get(kind.family, kind.family))),
    Listed("CHARACTER_MAXIMUM_LENGTH", _of_type(lambda kind: kind.size if kind.family in SIZED else None), NUMBER),
    Listed("NUMERIC_PRECISION", _of_type(lambda kind: kind.size if kind.family == "NUMBER" else None), NUMBER),
    Listed("NUMERIC_SCALE", _of_type(lambda kind: kind.scale if kind.family == "NUMBER" else None), NUMBER),
    Listed("DATETIME_PRECISION", _of_type(lambda kind: kind.size if kind.is_timestamp else None), NUMBER),
    Listed("IS_IDENTITY", _of_column(lambda column: "YES" if column.default and column.default.is_identity else "NO")),
    Listed("COMMENT", _of_column(lambda column: column.comment or None)),
    Listed("SCHEMA_EVOLUTION_RECORD", _of_column(lambda column: column.evolution)),
)  # fmt: skip # a paragraph, not a column
VIEWS: dict[str, tuple[Sequence[Listed], Callable[[Iterable[CatalogObject]], Iterable[Any]]]] = {
    "TABLES": (TABLES, _tables),
    "COLUMNS": (COLUMNS, _columns),
}


def policy_references(context: Context, function: exp.Anonymous) -> View:
    """Raises DoesNotExist, as the real one does, for an entity that isn't there."""
    given = {each.this.name.upper(): each.expression.name for each in function.find_all(exp.Kwarg)}
    if set(given) != {"REF_ENTITY_NAME", "REF_ENTITY_DOMAIN"}:
        raise CompilationFault(f"{POLICY_REFERENCES} takes REF_ENTITY_NAME and REF_ENTITY_DOMAIN.")
    domain = given["REF_ENTITY_DOMAIN"].upper()
    if domain not in DOMAINS:
        raise NotKnown(f"{POLICY_REFERENCES} of a {domain}")
    found = find_named(context, domain, read_name(given["REF_ENTITY_NAME"]))
    assert type(found) is NAMED[domain]
    rows = list(_reference_rows(found)) if isinstance(found, User) else []
    return _view(context, [Column(name=name, type=TEXT) for name in REFERENCE_COLUMNS], rows)


def _reference_rows(user: User) -> Iterator[dict[str, Any]]:
    policy = user.authentication_policy
    if policy is not None and policy.is_live:
        database, schema, name = policy.path
        yield {
            **dict.fromkeys(REFERENCE_COLUMNS),
            "POLICY_DB": database,
            "POLICY_SCHEMA": schema,
            "POLICY_NAME": name,
            "POLICY_KIND": "AUTHENTICATION_POLICY",
            "REF_ENTITY_NAME": user.name,
            "REF_ENTITY_DOMAIN": "USER",
            "POLICY_STATUS": "ACTIVE",
        }


COPY_HISTORY = "COPY_HISTORY"
STATUS = {"LOADED": "Loaded", "LOAD_FAILED": "Load failed", "PARTIALLY_LOADED": "Partially loaded"}
TYPES = {
    "FILE_NAME": "VARCHAR", "STAGE_LOCATION": "VARCHAR", "LAST_LOAD_TIME": "TIMESTAMP_LTZ", "ROW_COUNT": "NUMBER",
    "ROW_PARSED": "NUMBER", "FILE_SIZE": "NUMBER", "FIRST_ERROR_MESSAGE": "VARCHAR", "FIRST_ERROR_LINE_NUMBER": "NUMBER",
    "FIRST_ERROR_CHARACTER_POS": "NUMBER", "FIRST_ERROR_COLUMN_NAME": "VARCHAR", "ERROR_COUNT": "NUMBER",
    "ERROR_LIMIT": "NUMBER", "STATUS": "VARCHAR", "TABLE_CATALOG_NAME": "VARCHAR", "TABLE_SCHEMA_NAME": "VARCHAR",
    "TABLE_NAME": "VARCHAR", "PIPE_CATALOG_NAME": "VARCHAR", "PIPE_SCHEMA_NAME": "VARCHAR", "PIPE_NAME": "VARCHAR",
    "PIPE_RECEIVED_TIME": "TIMESTAMP_LTZ", "BYTES_BILLED": "NUMBER",
}  # fmt: skip # a paragraph, not a column


def copy_history(context: Context, function: exp.Anonymous) -> View:
    given = {each.this.name.upper(): each.expression for each in function.find_all(exp.Kwarg)}
    if set(given) != {"TABLE_NAME", "START_TIME"}:
        raise NotKnown(f"{COPY_HISTORY} with {', '.join(sorted(given))}: only TABLE_NAME and START_TIME")
    table = context.find(Table, read_name(given["TABLE_NAME"].name))
    start = _start(given["START_TIME"], context)
    columns = [Column(name=name, type=DataType.parse(kind)) for name, kind in TYPES.items()]
    return View(f"v{context.catalog.directory.next_id()}", columns, list(_rows(context, table, start)))


def _start(written: exp.Expr, context: Context) -> datetime:
    """A literal, cast or not."""
    literal = written.this if isinstance(written, exp.Cast) else written
    try:
        start = datetime.fromisoformat(literal.name)
    except ValueError:
        raise NotKnown(f"{written.sql('snowflake')[:60]} as START_TIME: only a literal in ISO 8601") from None
    start = start if start.tzinfo else start.replace(tzinfo=UTC)
    if start < context.now - MEMORY:
        raise CompilationFault("Cannot retrieve data from more than 14 days ago.")
    return start


def _rows(context: Context, table: Table, start: datetime) -> Iterator[dict[str, Any]]:
    pipes = (found for found in context.account.walk() if isinstance(found, Pipe) and found.table is table)
    for pipe in pipes:
        for load in pipe.loads.since(context.now):
            if load.loaded_at >= start:
                yield _row(pipe, load, shown=context.may("MONITOR", pipe))


def _row(pipe: Pipe, load: FileLoad, *, shown: bool) -> dict[str, Any]:
    assert pipe.source is not None
    where = dict(zip(("TABLE_CATALOG_NAME", "TABLE_SCHEMA_NAME", "TABLE_NAME"), pipe.table.path, strict=True))
    by = dict(zip(("PIPE_CATALOG_NAME", "PIPE_SCHEMA_NAME", "PIPE_NAME"), pipe.path, strict=True)) if shown else {}
    first = load.first_error
    return {
        **dict.fromkeys(TYPES),
        **where,
        **by,
        "FILE_NAME": load.path,
        "STAGE_LOCATION": f"stages/{pipe.source.stage.id}/{pipe.source.path}",
        "LAST_LOAD_TIME": load.loaded_at,
        "ROW_COUNT": load.rows_inserted,
        "ROW_PARSED": load.rows_parsed,
        "FILE_SIZE": load.size,
        "FIRST_ERROR_MESSAGE": first.message if first else load.system_error or None,
        "FIRST_ERROR_LINE_NUMBER": first.line if first else None,
        "FIRST_ERROR_COLUMN_NAME": first.column if first else None,
        "ERROR_COUNT": load.errors,
        "ERROR_LIMIT": 1,
        "STATUS": STATUS[load.status],
        "PIPE_RECEIVED_TIME": load.received_at,
    }
