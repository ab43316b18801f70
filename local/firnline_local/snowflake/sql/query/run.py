"""Runs a query and encodes its rows for the wire, inside DuckDB: a million cells are text when they get here."""

from collections.abc import Iterable, Sequence

import duckdb
from sqlglot import exp

from firnline_local.snowflake.catalog import DataType
from firnline_local.snowflake.catalog.errors import NotKnown, TooLarge
from firnline_local.snowflake.catalog.names import quote
from firnline_local.snowflake.catalog.store import as_sql_error, insertion
from firnline_local.snowflake.sql.query.compile import Compiled, compile_query
from firnline_local.snowflake.sql.query.table_functions import FunctionRows
from firnline_local.snowflake.sql.result import Result, ResultColumn, StatementType
from firnline_local.snowflake.sql.scope import Context

MAX_ROWS = 1_000_000
SECONDS = "CAST(CAST({us} AS DECIMAL(20, 0)) * 0.000001::DECIMAL(7, 6) AS DECIMAL(26, 9))::VARCHAR"
EPOCH_SECONDS = SECONDS.format(us="epoch_us({c})")

# By DuckDB's type: Snowflake's, and how a cell becomes text. Whole numbers of any width are NUMBER(38,0).
WHOLE = ("NUMBER(38,0)", "{c}::VARCHAR")
ENCODINGS = {
    "BOOLEAN": ("BOOLEAN", "CASE {c} WHEN TRUE THEN '1' WHEN FALSE THEN '0' END"),
    **dict.fromkeys(
        ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"), WHOLE
    ),
    **dict.fromkeys(("HUGEINT", "UHUGEINT"), ("NUMBER(38,0)", "CAST({c} AS DECIMAL(38, 0))::VARCHAR")),
    "FLOAT": ("FLOAT", "{c}::VARCHAR"),
    "DOUBLE": ("FLOAT", "{c}::VARCHAR"),
    "VARCHAR": ("VARCHAR", "{c}"),
    '"NULL"': ("VARCHAR", "NULL"),
    "BLOB": ("BINARY", "hex({c})"),
    "DATE": ("DATE", "CAST({c} - DATE '1970-01-01' AS VARCHAR)"),
    "TIME": ("TIME", SECONDS.format(us="CAST(epoch_ns({c}) / 1000 AS BIGINT)")),
    "TIMESTAMP": ("TIMESTAMP_NTZ", EPOCH_SECONDS),
    "TIMESTAMP WITH TIME ZONE": ("TIMESTAMP_LTZ", EPOCH_SECONDS),
    "JSON": ("VARIANT", "{c}::VARCHAR"),
}
HINTED = {"TIMESTAMP_TZ": ("TIMESTAMP_TZ", f"{EPOCH_SECONDS} || ' 1440'")}


def run(context: Context, tree: exp.Expr, written: Sequence[str], *, describe_only: bool = False) -> Result:
    """The rows, at most MAX_ROWS, of one moment: the catalog's lock is given up before they are read, and what happens
    to the tables meanwhile is not seen.
    """
    with context.catalog.store.cursor() as cursor, context.session.running(cursor):
        try:
            with context.catalog.lock:
                compiled = compile_query(context, tree, written)
                cursor.begin()
                _fill(cursor, compiled.functions)
                types = described(cursor, compiled.sql)
            columns, cells = _encoded(compiled, types)
            limit = 0 if describe_only else MAX_ROWS + 1
            cursor.execute(
                f"SELECT {', '.join(cells)} FROM ({compiled.sql}) AS q({numbered(len(columns))}) LIMIT {limit}"
            )
            rows = cursor.fetchall()
        except duckdb.Error as error:
            raise as_sql_error(error) from error
    if len(rows) > MAX_ROWS:
        raise TooLarge(f"The result has more than {MAX_ROWS:,} rows: add a LIMIT, or aggregate.")
    return Result(columns=columns, rows=rows, type=StatementType.SELECT)


def described(cursor: duckdb.DuckDBPyConnection, sql: str) -> list[str]:
    """DuckDB's type of each column."""
    return [str(row[1]) for row in cursor.execute(f"DESCRIBE {sql}").fetchall()]


def numbered(count: int) -> str:
    """Names for so many columns, whatever they are called."""
    return ", ".join(f"c{number}" for number in range(count))


def _fill(cursor: duckdb.DuckDBPyConnection, functions: Iterable[FunctionRows]) -> None:
    """Makes a temporary table of each; they live as long as the cursor."""
    for function in functions:
        definition = ", ".join(f"{quote(column.name)} {column.type.duckdb}" for column in function.columns)
        cursor.execute(f"CREATE TEMP TABLE {function.name} ({definition})")
        if function.rows:
            cursor.execute(*insertion(function.name, function.columns, function.rows, {}))


def snowflake_type(duckdb_type: str, hint: str | None) -> tuple[str, str]:
    """Snowflake's type, and the template of the cell's text."""
    if duckdb_type.startswith("DECIMAL("):
        return duckdb_type.replace("DECIMAL", "NUMBER"), "{c}::VARCHAR"
    if hint in HINTED and duckdb_type == "TIMESTAMP WITH TIME ZONE":
        return HINTED[hint]
    if duckdb_type not in ENCODINGS:
        raise NotKnown(f"a result of DuckDB's type {duckdb_type}")
    name, template = ENCODINGS[duckdb_type]
    return (hint if hint is not None and duckdb_type == "JSON" else name), template


def _encoded(compiled: Compiled, types: Sequence[str]) -> tuple[list[ResultColumn], list[str]]:
    columns: list[ResultColumn] = []
    cells: list[str] = []
    for number, (name, hint, kind) in enumerate(zip(compiled.names, compiled.hints, types, strict=True)):
        type_name, template = snowflake_type(kind, hint)
        columns.append(ResultColumn(name, DataType.parse(type_name)))
        cells.append(template.format(c=f"c{number}"))
    return columns, cells
