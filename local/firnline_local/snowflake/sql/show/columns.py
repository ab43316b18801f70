"""SHOW COLUMNS."""

import json

from firnline_local.snowflake.catalog import Column, DataType, Table
from firnline_local.snowflake.sql.result import TEXT, Result, listing
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.show.filter import read_filter
from firnline_local.snowflake.sql.words import Words

NAMES = (
    "table_name", "schema_name", "column_name", "data_type", "null?", "default", "kind", "expression", "comment",
    "database_name", "autoincrement", "schema_evolution_record",
)  # fmt: skip # a paragraph, not a column
WIRE_NAMES = {"NUMBER": "FIXED", "FLOAT": "REAL", "VARCHAR": "TEXT"}


def show_columns(context: Context, words: Words) -> Result:
    chosen = read_filter(context, words, bare=Table)
    rows = [
        _row(table, column)
        for table in chosen.inside.walk()
        if isinstance(table, Table) and context.catalog.sees(context.role, table)
        for column in table.columns
        if chosen.matches(column.name)
    ]
    return listing([(name, TEXT) for name in NAMES], chosen.limited(rows))


def type_json(kind: DataType, *, nullable: bool) -> str:
    """The type as SHOW COLUMNS has it."""
    shown: dict[str, object] = {"type": WIRE_NAMES.get(kind.family, kind.family)}
    if kind.family == "NUMBER":
        shown |= {"precision": kind.size, "scale": kind.scale}
    elif kind.family in ("VARCHAR", "BINARY"):
        shown |= {"length": kind.size, "byteLength": kind.size}
    elif kind.size is not None:
        shown |= {"precision": 0, "scale": kind.size}
    return json.dumps({**shown, "nullable": nullable}, separators=(",", ":"))


def _row(table: Table, column: Column) -> list[str | None]:
    database, schema, name = table.path
    default = column.default
    return [
        name, schema, column.name, type_json(column.type, nullable=column.nullable),
        "true" if column.nullable else "NOT_NULL", default.text if default and not default.is_identity else "", "COLUMN", "",
        column.comment, database, default.text if default and default.is_identity else "", column.evolution,
    ]  # fmt: skip # a paragraph, not a column
