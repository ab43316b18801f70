"""The properties of Snowflake's tables, one row each. Definitions, statements, the provider's arguments, the read-back and drift
take them from here: one more is a field of TableOptions, a field of the definitions that have it, and a row.
"""

from dataclasses import dataclass
from typing import Any

from firnline_infra.specification.table import TableKind

Value = bool | int | None
"""None leaves a property as Snowflake has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableProperty:
    """One property of some kinds of tables."""

    field: str
    """The name in a specification and in a definition."""
    sql: str
    """The name in ALTER TABLE SET."""
    kinds: frozenset[TableKind]
    """Those that have it."""
    shown: str
    """The column in SHOW TABLES."""
    arguments: frozenset[TableKind] = frozenset()
    """The kinds whose resource of the provider has an argument of the field's name. A statement sets it for the others."""
    unset_loses_data: bool = False
    """True if unsetting it loses data (error rows, timestamps)."""

    def is_set(self, value: Value) -> bool:
        """Returns whether a statement must set it: what is off, or absent, is as Snowflake creates a table."""
        return value is not None and value is not False


STANDARD, ICEBERG = TableKind.STANDARD, TableKind.ICEBERG
PROPERTIES = (
    TableProperty(
        field="schema_evolution",
        sql="ENABLE_SCHEMA_EVOLUTION",
        shown="enable_schema_evolution",
        kinds=frozenset({STANDARD, ICEBERG}),
    ),
    TableProperty(
        field="error_logging",
        sql="ERROR_LOGGING",
        shown="error_logging",
        kinds=frozenset({STANDARD, ICEBERG}),
        arguments=frozenset({ICEBERG}),
        unset_loses_data=True,
    ),
    TableProperty(
        field="row_timestamp",
        sql="ROW_TIMESTAMP",
        shown="row_timestamp",
        kinds=frozenset({STANDARD}),
        unset_loses_data=True,
    ),
)


def properties_of(kind: TableKind) -> tuple[TableProperty, ...]:
    return tuple(each for each in PROPERTIES if kind in each.kinds)


def values_of(kind: TableKind, options: object) -> dict[str, Any]:
    """The values by field, from a specification's or a definition's table of this kind."""
    return {each.field: getattr(options, each.field) for each in properties_of(kind)}


def written(value: Value) -> str:
    """The value in SQL."""
    return str(value).upper() if isinstance(value, bool) else str(value)
