"""Tables that are made for a query by the functions POLICY_REFERENCES (of users; tables have no policies here) and COPY_HISTORY.

COPY_HISTORY is what pipes have loaded into a table (`sql-reference/functions/copy_history`). It masks the names of a pipe that
the role may not MONITOR, and leaves out a pipe that was dropped or made again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlglot import exp

from firnline_local.snowflake.catalog import AuthenticationPolicy, Column, DataType, Pipe, Table, User
from firnline_local.snowflake.catalog.errors import CompilationFault, NotKnown
from firnline_local.snowflake.catalog.names import read_name
from firnline_local.snowflake.catalog.storage import MEMORY, FileLoad
from firnline_local.snowflake.sql.result import TEXT
from firnline_local.snowflake.sql.scope import NAMED, Context, find_named

POLICY_REFERENCES = "POLICY_REFERENCES"
APPLY = "APPLY AUTHENTICATION POLICY"
REFERENCE_COLUMNS = (
    "POLICY_DB", "POLICY_SCHEMA", "POLICY_NAME", "POLICY_KIND", "REF_DATABASE_NAME", "REF_SCHEMA_NAME",
    "REF_ENTITY_NAME", "REF_ENTITY_DOMAIN", "REF_COLUMN_NAME", "REF_ARG_COLUMN_NAMES", "TAG_DATABASE", "TAG_SCHEMA",
    "TAG_NAME", "POLICY_STATUS",
)  # fmt: skip # a paragraph, not a column
DOMAINS = ("USER", "TABLE")


@dataclass(frozen=True)
class FunctionRows:
    """A function's rows, to be put into a temporary table of this name."""

    name: str
    columns: Sequence[Column]
    rows: Sequence[dict[str, Any]]


def _answered(context: Context, columns: Sequence[Column], rows: Sequence[dict[str, Any]]) -> FunctionRows:
    return FunctionRows(f"f{context.catalog.directory.next_id()}", columns, rows)


def policy_references(context: Context, function: exp.Anonymous) -> FunctionRows:
    """Raises DoesNotExist, as the real one does, for an entity that isn't there."""
    given = {each.this.name.upper(): each.expression.name for each in function.find_all(exp.Kwarg)}
    if set(given) != {"REF_ENTITY_NAME", "REF_ENTITY_DOMAIN"}:
        raise CompilationFault(f"{POLICY_REFERENCES} takes REF_ENTITY_NAME and REF_ENTITY_DOMAIN.")
    domain = given["REF_ENTITY_DOMAIN"].upper()
    if domain not in DOMAINS:
        raise NotKnown(f"{POLICY_REFERENCES} of a {domain}")
    found = find_named(context, domain, read_name(given["REF_ENTITY_NAME"]))
    assert type(found) is NAMED[domain]
    rows = list(_reference_rows(context, found)) if isinstance(found, User) else []
    return _answered(context, [Column(name=name, type=TEXT) for name in REFERENCE_COLUMNS], rows)


def _reference_rows(context: Context, user: User) -> Iterator[dict[str, Any]]:
    """The user's policy, to a role that owns or applies it: others get no row (`sql-reference/functions/policy_references`)."""
    policy = user.authentication_policy
    if policy is not None and policy.is_live and _applies(context, policy, user):
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


def _applies(context: Context, policy: AuthenticationPolicy, user: User) -> bool:
    return context.may("OWNERSHIP", policy) or any(context.may(APPLY, on) for on in (context.catalog.account, user))


COPY_HISTORY = "COPY_HISTORY"
STATUS = {"LOADED": "Loaded", "LOAD_FAILED": "Load failed"}
TYPES = {
    "FILE_NAME": "VARCHAR", "STAGE_LOCATION": "VARCHAR", "LAST_LOAD_TIME": "TIMESTAMP_LTZ", "ROW_COUNT": "NUMBER",
    "ROW_PARSED": "NUMBER", "FILE_SIZE": "NUMBER", "FIRST_ERROR_MESSAGE": "VARCHAR", "FIRST_ERROR_LINE_NUMBER": "NUMBER",
    "FIRST_ERROR_CHARACTER_POS": "NUMBER", "FIRST_ERROR_COLUMN_NAME": "VARCHAR", "ERROR_COUNT": "NUMBER",
    "ERROR_LIMIT": "NUMBER", "STATUS": "VARCHAR", "TABLE_CATALOG_NAME": "VARCHAR", "TABLE_SCHEMA_NAME": "VARCHAR",
    "TABLE_NAME": "VARCHAR", "PIPE_CATALOG_NAME": "VARCHAR", "PIPE_SCHEMA_NAME": "VARCHAR", "PIPE_NAME": "VARCHAR",
    "PIPE_RECEIVED_TIME": "TIMESTAMP_LTZ", "BYTES_BILLED": "NUMBER",
}  # fmt: skip # a paragraph, not a column


def copy_history(context: Context, function: exp.Anonymous) -> FunctionRows:
    given = {each.this.name.upper(): each.expression for each in function.find_all(exp.Kwarg)}
    if set(given) != {"TABLE_NAME", "START_TIME"}:
        raise NotKnown(f"{COPY_HISTORY} with {', '.join(sorted(given))}: only TABLE_NAME and START_TIME")
    table = context.find(Table, read_name(given["TABLE_NAME"].name))
    start = _start(given["START_TIME"], context)
    columns = [Column(name=name, type=DataType.parse(kind)) for name, kind in TYPES.items()]
    return _answered(context, columns, list(_rows(context, table, start)))


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
