"""Columns of a table by DESCRIBE TABLE, as far as rows depend on them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class TableColumn:
    type: str
    """As Snowflake writes it: NUMBER(38,0)."""
    takes_null: bool


Columns: TypeAlias = Mapping[str, TableColumn]
"""By name, as Snowflake stores it."""


def read_columns(rows: Iterable[Mapping[str, Any]]) -> dict[str, TableColumn]:
    """An answer without one of the fields says nothing about it: a column takes NULL unless an answer says otherwise."""
    return {str(row["name"]): TableColumn(str(row.get("type", "")), row.get("null?", "Y") == "Y") for row in rows}
