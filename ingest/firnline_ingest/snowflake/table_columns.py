"""Columns of a table by SHOW COLUMNS, as far as rows depend on them.

SHOW COLUMNS is documented to show what a role has any privilege on, and to need no warehouse (SQL reference, SHOW COLUMNS;
2026-11-28). DESCRIBE TABLE is not: REFERENCES or SELECT show it a table, INSERT does not.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

FALSE = ("false", "N", False)
SQL_NAMES = {"FIXED": "NUMBER", "TEXT": "VARCHAR", "REAL": "FLOAT"}
"""The generic types of SHOW COLUMNS, by what SQL calls them."""
SIZES = {"NUMBER": ("precision", "scale"), "VARCHAR": ("length",), "BINARY": ("length",)}
TIMES = ("TIME", "TIMESTAMP")


@dataclass(frozen=True, slots=True)
class TableColumn:
    type: str
    """As DESCRIBE TABLE writes it, as far as SHOW COLUMNS says it: NUMBER(38,0)."""
    takes_null: bool


Columns: TypeAlias = Mapping[str, TableColumn]
"""By name, as Snowflake stores it."""


def show_columns(table: str) -> str:
    """The statement, for a table's full name."""
    return f"SHOW COLUMNS IN TABLE {table}"


def read_columns(rows: Iterable[Mapping[str, Any]]) -> dict[str, TableColumn]:
    """An answer without one of the fields says nothing about it: a column takes NULL unless an answer says otherwise."""
    return {
        str(row["column_name"]): TableColumn(_type(row.get("data_type")), row.get("null?", "true") not in FALSE)
        for row in rows
    }


def _type(said: Any) -> str:
    """`said` is JSON: {"type":"FIXED","precision":38,"scale":0,"nullable":true}. Another text is a type's own."""
    try:
        document = json.loads(said or "")
    except ValueError:
        return str(said or "")
    if not isinstance(document, dict) or "type" not in document:
        return str(said)
    name = SQL_NAMES.get(str(document["type"]), str(document["type"]))
    fields = ("scale",) if name.startswith(TIMES) else SIZES.get(name, ())
    sizes = [str(document[each]) for each in fields if document.get(each) is not None]
    return f"{name}({','.join(sizes)})" if sizes else name
