"""The rows, in DuckDB: one physical table per table, named after its id, so that renaming or dropping moves no row.

Next to its columns a physical table has METADATA$ROW_LAST_COMMIT_TIME, filled while the table has ROW_TIMESTAMP.
Rows become visible when the call that writes them returns, all or none. Any number of threads may read, each on a
cursor of its own; the catalog's lock lets one write at a time.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import duckdb

from firnline_local.snowflake.catalog.error_rows import ERROR_COLUMNS, ErrorRow
from firnline_local.snowflake.catalog.insertion import insertion
from firnline_local.snowflake.catalog.names import quote
from firnline_local.snowflake.catalog.store_faults import as_sql_error
from firnline_local.snowflake.catalog.tables import COMMIT_TIME, Column, Table

SETTINGS = (
    "TimeZone = 'UTC'",
    "threads = 2",
    "temp_directory = ''",
    "autoload_known_extensions = false",
    "autoinstall_known_extensions = false",
    "python_enable_replacements = false",  # a query can't read the variables of this program
    "enable_external_access = false",  # nor the files of this machine; the last one, because it locks others
)


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

    def copy_rows(self, source: Table, target: Table) -> None:
        """Into a new table with the same columns."""
        columns = ", ".join(quote(column.name) for column in source.columns)
        self._execute(f"INSERT INTO {physical_name(target)} ({columns}) SELECT {columns} FROM {physical_name(source)}")

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
