"""One INSERT for any number of rows: DuckDB takes a list per column, which is a hundred times faster than row by row.

Numbers and JSON travel as text and are cast by DuckDB, which refuses what doesn't fit; a list of Python numbers of
different kinds would have been read as doubles.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from firnline_local.snowflake.catalog.errors import InvalidIdentifier
from firnline_local.snowflake.catalog.names import quote
from firnline_local.snowflake.catalog.tables import Column

ABSENT = object()


def insertion(
    name: str, columns: Sequence[Column], rows: Sequence[Mapping[str, Any]], constants: Mapping[str, Any]
) -> tuple[str, list[Any]]:
    """The statement and its parameters. `constants` are columns with one value for all rows."""
    _refuse_unknown_columns(columns, rows)
    sources: list[str] = []
    targets: list[str] = []
    parameters: list[Any] = []
    for number, column in enumerate(columns):
        values = [row.get(column.name, ABSENT) for row in rows]
        target = f"v{number}{_cast(column)}"
        if column.default and ABSENT in values:
            sources.append(f"unnest(?::BOOLEAN[]) AS d{number}")
            parameters.append([value is ABSENT for value in values])
            target = f"CASE WHEN d{number} THEN {column.default.expression} ELSE {target} END"
        sources.append(f"unnest(?::{'VARCHAR' if _cast(column) else column.type.duckdb}[]) AS v{number}")
        parameters.append(_as_parameters(column, values))
        targets.append(target)
    into = ", ".join(quote(column) for column in (*(column.name for column in columns), *constants))
    chosen = ", ".join([*targets, *("?" for _ in constants)])
    # The constants' placeholders stand before those of the inner query.
    return f"INSERT INTO {name} ({into}) SELECT {chosen} FROM (SELECT {', '.join(sources)})", [
        *constants.values(),
        *parameters,
    ]


def _cast(column: Column) -> str:
    return f"::{column.type.duckdb}" if column.type.family == "NUMBER" or column.type.is_json else ""


def _as_parameters(column: Column, values: Sequence[Any]) -> list[Any]:
    if column.type.family == "NUMBER":
        return [None if value is None or value is ABSENT else str(value) for value in values]
    return [None if value is ABSENT else value for value in values]


def _refuse_unknown_columns(columns: Sequence[Column], rows: Sequence[Mapping[str, Any]]) -> None:
    unknown = set[str]().union(*rows) - {column.name for column in columns}
    if unknown:
        raise InvalidIdentifier(min(unknown))
