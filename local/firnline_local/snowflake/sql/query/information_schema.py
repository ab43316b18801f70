"""The views of INFORMATION_SCHEMA that are known: COLUMNS, TABLES, SCHEMATA, of the database that the name says."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from firnline_local.snowflake.catalog import Column, Database, DataType, Schema, Table
from firnline_local.snowflake.catalog.errors import DoesNotExist, NotKnown
from firnline_local.snowflake.catalog.names import display
from firnline_local.snowflake.sql.result import MOMENT, NUMBER, TEXT
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.show.columns import WIRE_NAMES
from firnline_local.snowflake.sql.show.listings import retention

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


def _schemata(context: Context, database: Database) -> Iterable[dict[str, Any]]:
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


def _tables(context: Context, database: Database) -> Iterable[dict[str, Any]]:
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


def _columns(context: Context, database: Database) -> Iterable[dict[str, Any]]:
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
        _schemata,
    ),
    "TABLES": (
        _typed("TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "TABLE_OWNER", "TABLE_TYPE", "IS_TRANSIENT", "CLUSTERING_KEY",
               "ROW_COUNT", "RETENTION_TIME", "CREATED", "COMMENT", ROW_COUNT=NUMBER, RETENTION_TIME=NUMBER, CREATED=MOMENT),
        _tables,
    ),
    "COLUMNS": (
        _typed("TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "COLUMN_NAME", "ORDINAL_POSITION", "COLUMN_DEFAULT",
               "IS_NULLABLE", "DATA_TYPE", "CHARACTER_MAXIMUM_LENGTH", "NUMERIC_PRECISION", "NUMERIC_SCALE",
               "DATETIME_PRECISION", "IS_IDENTITY", "COMMENT", "SCHEMA_EVOLUTION_RECORD", ORDINAL_POSITION=NUMBER,
               CHARACTER_MAXIMUM_LENGTH=NUMBER, NUMERIC_PRECISION=NUMBER, NUMERIC_SCALE=NUMBER, DATETIME_PRECISION=NUMBER),
        _columns,
    ),
}  # fmt: skip # a paragraph, not a column


def _visible(context: Context, database: Database, kind: type[Found]) -> Iterable[Found]:
    return (found for found in database.walk() if isinstance(found, kind) and context.catalog.sees(context.role, found))


def _yes(value: bool) -> str:
    return "YES" if value else "NO"
