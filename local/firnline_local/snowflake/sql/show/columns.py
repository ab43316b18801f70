"""SHOW COLUMNS: a row for each column, whose type is JSON (`sql-reference/sql/show-columns`, 2026-11-28)."""

import json
from typing import Any

from firnline_local.snowflake.catalog import Column, DataType, Table
from firnline_local.snowflake.sql.result import WIRE_NAMES

COLUMNS = (
    "table_name", "schema_name", "column_name", "data_type", "null?", "default", "kind", "expression", "comment",
    "database_name", "autoincrement", "schema_evolution_record",
)  # fmt: skip # a paragraph, not a column


def column_row(table: Table, column: Column) -> list[str | None]:
    database, schema, name = table.path
    return [
        name, schema, column.name, json.dumps(_type(column.type, column.nullable), separators=(",", ":")),
        "true" if column.nullable else "false", column.default.text if column.default else "", "COLUMN", "",
        column.comment, database, "", column.evolution,
    ]  # fmt: skip # a paragraph, not a column


def _type(type_: DataType, nullable: bool) -> dict[str, Any]:
    """A text's and a number's generic type, with their sizes. What a structured type says besides is on no page."""
    said: dict[str, Any] = {"type": WIRE_NAMES.get(type_.family, type_.family)}
    match type_.family:
        case "NUMBER":
            said |= {"precision": type_.size, "scale": type_.scale}
        case "VARCHAR" | "BINARY":
            said |= {"length": type_.size, "byteLength": type_.size, "fixed": False}
        case "TIME" | "TIMESTAMP_NTZ" | "TIMESTAMP_LTZ" | "TIMESTAMP_TZ":
            said |= {"precision": 0, "scale": type_.size}
    return {**said, "nullable": nullable}
