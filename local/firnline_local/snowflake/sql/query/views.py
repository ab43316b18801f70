"""What a query may name that is made for it: the views of INFORMATION_SCHEMA (COLUMNS, TABLES, SCHEMATA, of the
database that the name says) and the table function POLICY_REFERENCES (of users; tables have no policies here).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlglot import exp

from firnline_local.snowflake.catalog import Column, Database, DataType, Schema, Table, User
from firnline_local.snowflake.catalog.errors import CompilationFault, DoesNotExist, NotKnown
from firnline_local.snowflake.catalog.names import display, read_name
from firnline_local.snowflake.sql.result import MOMENT, NUMBER, TEXT
from firnline_local.snowflake.sql.scope import NAMED, Context, find_named
from firnline_local.snowflake.sql.show.listings import WIRE_NAMES, retention

INFORMATION_SCHEMA = "INFORMATION_SCHEMA"

Found = TypeVar("Found", Schema, Table)


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
    columns, rows = VIEWS[names[-1]]
    listed = [Column(name=name, type=kind) for name, kind in columns]
    return View(f"v{context.catalog.directory.next_id()}", listed, list(rows(context, database)))


def _schema_rows(context: Context, database: Database) -> Iterable[dict[str, Any]]:
    for schema in _visible(context, database, Schema):
        yield {
            "CATALOG_NAME": database.name,
            "SCHEMA_NAME": schema.name,
            "SCHEMA_OWNER": schema.owner_name,
            "IS_TRANSIENT": _yes(schema.transient),
            "IS_MANAGED_ACCESS": _yes(schema.managed_access),
            "RETENTION_TIME": retention(schema, context),
            "CREATED": schema.created_on,
            "COMMENT": schema.comment or None,
        }


def _table_rows(context: Context, database: Database) -> Iterable[dict[str, Any]]:
    for table in _visible(context, database, Table):
        yield {
            "TABLE_CATALOG": database.name,
            "TABLE_SCHEMA": table.schema.name,
            "TABLE_NAME": table.name,
            "TABLE_OWNER": table.owner_name,
            "TABLE_TYPE": "BASE TABLE",
            "IS_TRANSIENT": _yes(table.transient),
            "CLUSTERING_KEY": f"LINEAR({', '.join(table.cluster_by)})" if table.cluster_by else None,
            "ROW_COUNT": context.catalog.store.count_rows(table),
            "RETENTION_TIME": retention(table, context),
            "CREATED": table.created_on,
            "COMMENT": table.comment or None,
        }


def _column_rows(context: Context, database: Database) -> Iterable[dict[str, Any]]:
    for table in _visible(context, database, Table):
        for position, column in enumerate(table.columns, start=1):
            yield {
                "TABLE_CATALOG": database.name,
                "TABLE_SCHEMA": table.schema.name,
                "TABLE_NAME": table.name,
                "COLUMN_NAME": column.name,
                "ORDINAL_POSITION": position,
                "COLUMN_DEFAULT": column.default.text if column.default and not column.default.is_identity else None,
                "IS_NULLABLE": _yes(column.nullable),
                "DATA_TYPE": {**WIRE_NAMES, "NUMBER": "NUMBER", "FLOAT": "FLOAT"}.get(
                    column.type.family, column.type.family
                ),
                "CHARACTER_MAXIMUM_LENGTH": column.type.size if column.type.family in ("VARCHAR", "BINARY") else None,
                "NUMERIC_PRECISION": column.type.size if column.type.family == "NUMBER" else None,
                "NUMERIC_SCALE": column.type.scale if column.type.family == "NUMBER" else None,
                "DATETIME_PRECISION": column.type.size if column.type.is_timestamp else None,
                "IS_IDENTITY": _yes(bool(column.default and column.default.is_identity)),
                "COMMENT": column.comment or None,
                "SCHEMA_EVOLUTION_RECORD": column.evolution,
            }


Rows = Callable[[Context, Database], Iterable[dict[str, Any]]]


def _typed(*names: str, **types: DataType) -> tuple[tuple[str, DataType], ...]:
    return tuple((name, types.get(name, TEXT)) for name in names)


VIEWS: dict[str, tuple[tuple[tuple[str, DataType], ...], Rows]] = {
    "SCHEMATA": (
        _typed("CATALOG_NAME", "SCHEMA_NAME", "SCHEMA_OWNER", "IS_TRANSIENT", "IS_MANAGED_ACCESS", "RETENTION_TIME",
               "CREATED", "COMMENT", RETENTION_TIME=NUMBER, CREATED=MOMENT),
        _schema_rows,
    ),
    "TABLES": (
        _typed("TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "TABLE_OWNER", "TABLE_TYPE", "IS_TRANSIENT", "CLUSTERING_KEY",
               "ROW_COUNT", "RETENTION_TIME", "CREATED", "COMMENT", ROW_COUNT=NUMBER, RETENTION_TIME=NUMBER, CREATED=MOMENT),
        _table_rows,
    ),
    "COLUMNS": (
        _typed("TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "COLUMN_NAME", "ORDINAL_POSITION", "COLUMN_DEFAULT",
               "IS_NULLABLE", "DATA_TYPE", "CHARACTER_MAXIMUM_LENGTH", "NUMERIC_PRECISION", "NUMERIC_SCALE",
               "DATETIME_PRECISION", "IS_IDENTITY", "COMMENT", "SCHEMA_EVOLUTION_RECORD", ORDINAL_POSITION=NUMBER,
               CHARACTER_MAXIMUM_LENGTH=NUMBER, NUMERIC_PRECISION=NUMBER, NUMERIC_SCALE=NUMBER, DATETIME_PRECISION=NUMBER),
        _column_rows,
    ),
}  # fmt: skip # a paragraph, not a column


def _visible(context: Context, database: Database, kind: type[Found]) -> Iterable[Found]:
    return (found for found in database.walk() if isinstance(found, kind) and context.catalog.sees(context.role, found))


def _yes(value: bool) -> str:
    return "YES" if value else "NO"


POLICY_REFERENCES = "POLICY_REFERENCES"
REFERENCE_COLUMNS = (
    "POLICY_DB", "POLICY_SCHEMA", "POLICY_NAME", "POLICY_KIND", "REF_DATABASE_NAME", "REF_SCHEMA_NAME",
    "REF_ENTITY_NAME", "REF_ENTITY_DOMAIN", "REF_COLUMN_NAME", "REF_ARG_COLUMN_NAMES", "TAG_DATABASE", "TAG_SCHEMA",
    "TAG_NAME", "POLICY_STATUS",
)  # fmt: skip # a paragraph, not a column
DOMAINS = ("USER", "TABLE")


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
    listed = [Column(name=name, type=TEXT) for name in REFERENCE_COLUMNS]
    rows = list(_reference_rows(found)) if isinstance(found, User) else []
    return View(f"v{context.catalog.directory.next_id()}", listed, rows)


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
