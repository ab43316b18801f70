"""Columns of tables, as the provider defines them in SQL and reads them back.

Who designs a table changes them later, and programs ignore that: once a table is made, no update gives it others.
"""

import re
from collections.abc import Sequence
from typing import Any

from firnline_local.errors import InputNotCarried
from firnline_local.providers.kind import Form, Properties
from firnline_local.providers.snowflake.kind import as_known, refuse_others
from firnline_local.providers.snowflake.sql import literal, quoted

OF_A_COLUMN = frozenset({"name", "type", "nullable", "comment"})
DEFAULTS = {"nullable": True, "comment": ""}
STRUCTURED = re.compile(r"\s*(OBJECT|ARRAY|MAP)\s*\(", re.IGNORECASE)
DATA_TYPE = Form(
    r"(?i:(?!\s*(?:OBJECT|ARRAY|MAP)\s*\()(?!\s*TIMESTAMP\s*(?:\(|$)).*)",
    "a type that is not structured, nor TIMESTAMP alone",
)
"""IsDataTypeValid: refused before any statement by 2.20.0, which was asked; of texts that are no type, the service says it."""
TEXTS = ("VARCHAR", "STRING", "TEXT", "CHAR", "NVARCHAR", "NCHAR")


def definition(column: Properties) -> str:
    """Every column has a comment and every text a collation, if empty ones."""
    required = "" if column.get("nullable", True) else " NOT NULL"
    collated = " COLLATE ''" if column["type"].upper().startswith(TEXTS) else ""
    return f"{quoted(column['name'])} {column['type']}{required}{collated} COMMENT {literal(column.get('comment', ''))}"


def check(type_: str, columns: Sequence[Properties], carried: frozenset[str] = OF_A_COLUMN) -> None:
    """Raises InputNotCarried: structured types are refused as the stock provider does, at the plan."""
    for column in columns:
        refuse_others(f"{type_}, columns", column, carried)
        if STRUCTURED.match(column["type"]):
            refused = [f"{column['name']} {column['type']}"]
            raise InputNotCarried(type_, refused, carried=["types that are not structured"])


def refuse_changes(type_: str, old: Sequence[Properties], new: Sequence[Properties]) -> None:
    """Raises InputNotCarried where the two say other columns."""
    if [_meaning(column) for column in old] != [_meaning(column) for column in new]:
        raise InputNotCarried(type_, ["other columns than it has"], carried=["ignore_changes of its columns"])


def _meaning(column: Properties) -> dict[str, Any]:
    said = {name: column.get(name, DEFAULTS.get(name)) for name in OF_A_COLUMN}
    return {**said, "type": canonical_type(column["type"])}


def from_description(row: Properties, known: Properties) -> dict[str, Any]:
    """A row of DESCRIBE TABLE, in the words in which the column was asked for where they mean the same."""
    found: dict[str, Any] = {
        "name": row["name"],
        "type": type_as_known(row["type"], known),
        "nullable": row["null?"] == "Y",
        "comment": row["comment"] or "",
    }
    if row.get("schema evolution record"):
        found["schemaEvolutionRecord"] = row["schema evolution record"]
    if row["default"]:
        found["default"] = {"expression": row["default"]}
    return {name: value for name, value in found.items() if not known or name in known or value != DEFAULTS.get(name)}


def type_as_known(found: str, known: Properties) -> Any:
    return as_known(found, known.get("type"), canonical_type)


def canonical_type(text: str) -> str:
    """The type in the embedded Snowflake's spelling; as it is, if that doesn't know it."""
    from firnline_local.snowflake.catalog.errors import SqlError
    from firnline_local.snowflake.catalog.types import DataType

    try:
        return str(DataType.parse(text))
    except SqlError:
        return text.upper()
