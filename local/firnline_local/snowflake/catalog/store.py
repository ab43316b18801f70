"""The rows, in DuckDB: one physical table per table, named after its id, so that renaming or dropping moves no row.

Next to its columns a physical table has METADATA$ROW_LAST_COMMIT_TIME, filled while the table has ROW_TIMESTAMP.
Rows become visible when the call that writes them returns, all or none. Any number of threads may read, each on a
cursor of its own; the catalog's lock lets one write at a time. What DuckDB complains about is answered with Snowflake's
code, SQL state and text.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import duckdb

from firnline_local.snowflake.catalog.errors import (
    Cancelled,
    DataFault,
    InvalidIdentifier,
    NotExact,
    NotKnown,
    SqlError,
)
from firnline_local.snowflake.catalog.names import quote
from firnline_local.snowflake.catalog.tables import COMMIT_TIME, ERROR_COLUMNS, Column, ErrorRow, Table

SETTINGS = (
    "TimeZone = 'UTC'",
    "threads = 2",
    "temp_directory = ''",
    "autoload_known_extensions = false",
    "autoinstall_known_extensions = false",
    "python_enable_replacements = false",  # a query can't read the variables of this program
    "enable_external_access = false",  # nor the files of this machine; the last one, because it locks others
)

ABSENT = object()


class Store:
    """One DuckDB database in memory."""

    def __init__(self) -> None:
        self._database = duckdb.connect(":memory:")
        for setting in SETTINGS:
            self._database.execute(f"SET GLOBAL {setting}")

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection for one thread and one statement; the caller closes it."""
        return self._database.cursor()

    def close(self) -> None:
        self._database.close()

    def create_table(self, table: Table) -> None:
        self._create(physical_name(table), table.columns, f", {quote(COMMIT_TIME)} TIMESTAMPTZ")
        if table.error_logging:
            self.create_error_table(table)

    def create_error_table(self, table: Table) -> None:
        self._create(error_table_name(table), ERROR_COLUMNS)

    def drop_error_table(self, table: Table) -> None:
        self._execute(f"DROP TABLE IF EXISTS {error_table_name(table)}")

    def add_columns(self, table: Table, columns: Sequence[Column]) -> None:
        for column in columns:
            default = f" DEFAULT {column.default.expression}" if column.default else ""
            self._alter(table, f"ADD COLUMN {quote(column.name)} {column.type.duckdb}{default}")
            if not column.nullable:
                self._alter(table, f"ALTER COLUMN {quote(column.name)} SET NOT NULL")

    def drop_column(self, table: Table, column: Column) -> None:
        self._alter(table, f"DROP COLUMN {quote(column.name)}")

    def rename_column(self, table: Table, column: Column, name: str) -> None:
        self._alter(table, f"RENAME COLUMN {quote(column.name)} TO {quote(name)}")

    def set_nullable(self, table: Table, column: Column, *, nullable: bool) -> None:
        self._alter(table, f"ALTER COLUMN {quote(column.name)} {'DROP' if nullable else 'SET'} NOT NULL")

    def set_type(self, table: Table, column: Column, duckdb_type: str) -> None:
        self._alter(table, f"ALTER COLUMN {quote(column.name)} TYPE {duckdb_type}")

    def drop_default(self, table: Table, column: Column) -> None:
        self._alter(table, f"ALTER COLUMN {quote(column.name)} DROP DEFAULT")

    def erase_commit_times(self, table: Table) -> None:
        self._execute(f"UPDATE {physical_name(table)} SET {quote(COMMIT_TIME)} = NULL")

    def truncate(self, table: Table) -> None:
        self._execute(f"DELETE FROM {physical_name(table)}")

    def truncate_errors(self, table: Table) -> None:
        self._execute(f"DELETE FROM {error_table_name(table)}")

    def count_rows(self, table: Table) -> int:
        rows = self._execute(f"SELECT COUNT(*) FROM {physical_name(table)}")
        return int(rows[0][0])

    def create_sequence(self, name: str, *, start: int, step: int) -> None:
        self._execute(f"CREATE SEQUENCE {name} START {start} INCREMENT {step}")

    def insert_rows(self, table: Table, rows: Sequence[dict[str, Any]], *, committed_at: datetime) -> None:
        self._insert(
            physical_name(table), table.columns, rows, {COMMIT_TIME: committed_at if table.row_timestamp else None}
        )

    def insert_errors(self, table: Table, errors: Iterable[ErrorRow]) -> None:
        self._insert(error_table_name(table), ERROR_COLUMNS, [error.as_row() for error in errors], {})

    def _insert(
        self, name: str, columns: Sequence[Column], rows: Sequence[dict[str, Any]], constants: dict[str, Any]
    ) -> None:
        if rows:
            sql, parameters = insertion(name, columns, rows, constants)
            self._execute(sql, parameters)

    def _create(self, name: str, columns: Sequence[Column], more: str = "") -> None:
        self._execute(f"CREATE TABLE {name} ({', '.join(_definition(column) for column in columns)}{more})")

    def _alter(self, table: Table, change: str) -> None:
        self._execute(f"ALTER TABLE {physical_name(table)} {change}")

    def _execute(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self.cursor() as cursor:
            try:
                return cursor.execute(sql, list(parameters)).fetchall()
            except duckdb.Error as error:
                raise as_sql_error(error) from error


def physical_name(table: Table) -> str:
    return f"t{table.id}"


def error_table_name(table: Table) -> str:
    return f"e{table.id}"


def _definition(column: Column) -> str:
    required = "" if column.nullable else " NOT NULL"
    default = f" DEFAULT {column.default.expression}" if column.default else ""
    return f"{quote(column.name)} {column.type.duckdb}{required}{default}"


def insertion(
    name: str, columns: Sequence[Column], rows: Sequence[Mapping[str, Any]], constants: Mapping[str, Any]
) -> tuple[str, list[Any]]:
    """One INSERT for any number of rows, and its parameters. `constants` are columns with one value for all rows.

    DuckDB takes a list per column, which is a hundred times faster than row by row. Numbers and JSON travel as text and
    are cast by DuckDB, which refuses what doesn't fit; a list of Python numbers of different kinds would have been read
    as doubles.
    """
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


@dataclass(frozen=True, slots=True)
class Translation:
    """The answer to one family of DuckDB's complaints."""

    pattern: re.Pattern[str]
    code: str
    sql_state: str
    message: str
    """With the groups of the pattern."""


def _translation(pattern: str, code: str, sql_state: str, message: str) -> Translation:
    return Translation(re.compile(pattern, re.IGNORECASE | re.DOTALL), code, sql_state, message)


NUMBERS = "DECIMAL|INT|HUGEINT|DOUBLE|FLOAT|NUMERIC"
TRANSLATIONS = (
    _translation(r"NOT NULL constraint failed: \w+\.(.+)", "100072", "22000", "NULL result in a non-nullable column"),
    _translation(rf"Could not convert string ['\"](.*)['\"] to \"?(?:{NUMBERS})", "100038", "22018",
                 "Numeric value '{0}' is not recognized"),
    _translation(r"Could not convert string ['\"](.*)['\"] to \"?BOOL", "100037", "22018",
                 "Boolean value '{0}' is not recognized"),
    _translation(r"invalid (?:timestamp|date|time) field format: ['\"](.*?)['\"]", "100035", "22007",
                 "Timestamp '{0}' is not recognized"),
    _translation(r"Malformed JSON(.*)", "100069", "22P02", "Error parsing JSON:{0}"),
    _translation(r"(?:out of range|overflow|Could not cast value .* to DECIMAL)", "100132", "22003",
                 "Number out of representable range"),
    _translation(r"division by zero", "100051", "22012", "Division by zero"),
)  # fmt: skip # a fault with what it becomes

RAISED_BY_MACRO = re.compile(r"Invalid Input Error: \[([A-Z0-9-]+)\] (.*)", re.DOTALL)
"""What an expression of the SQL service raised by itself (`sql/query`)."""


def as_sql_error(error: duckdb.Error) -> SqlError:
    """The answer that a client gets for a failure inside DuckDB."""
    complaint = str(error)
    if isinstance(error, duckdb.InterruptException):
        return Cancelled()
    if match := RAISED_BY_MACRO.match(complaint):
        return NotExact(match[2]) if match[1] == NotExact.id else _fault(match[1], "22000", match[2])
    for translation in TRANSLATIONS:
        if match := translation.pattern.search(complaint):
            return _fault(translation.code, translation.sql_state, translation.message.format(*match.groups()))
    return NotKnown(complaint.split("\n\nLINE", 1)[0])


def _fault(code: str, sql_state: str, message: str) -> DataFault:
    fault = DataFault(message)
    fault.code, fault.sql_state = code, sql_state
    return fault
