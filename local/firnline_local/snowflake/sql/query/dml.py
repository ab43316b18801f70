"""INSERT, UPDATE and DELETE: a query finds the rows and computes the values, then they are written in one transaction.

Values go into their columns by Snowflake's rules of assignment, which are stricter than casts: nothing becomes a
VARIANT, OBJECT or ARRAY by itself. MERGE and INSERT OVERWRITE are refused.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import duckdb
from sqlglot import exp

from firnline_local.snowflake.catalog import Column, Table
from firnline_local.snowflake.catalog.errors import CompilationFault, InvalidIdentifier, NotKnown
from firnline_local.snowflake.catalog.names import quote
from firnline_local.snowflake.catalog.store import as_sql_error, physical_name
from firnline_local.snowflake.catalog.tables import COMMIT_TIME
from firnline_local.snowflake.sql.query.compile import NULL, Compiled, compile_query
from firnline_local.snowflake.sql.query.run import described, numbered, snowflake_type
from firnline_local.snowflake.sql.query.tables import ROW_ADDRESS, target_table
from firnline_local.snowflake.sql.query.types import converted
from firnline_local.snowflake.sql.result import Result, StatementType, counts
from firnline_local.snowflake.sql.scope import Context

UNTYPED = ("INTEGER", "VARCHAR")
"""The types that DuckDB gives to a column of NULLs."""


def insert(context: Context, tree: exp.Insert) -> Result:
    if tree.args.get("overwrite") or tree.args.get("by_name"):
        raise NotKnown("INSERT OVERWRITE" if tree.args.get("overwrite") else "INSERT BY NAME")
    into = tree.this
    table = target_table(context, into.this if isinstance(into, exp.Schema) else into, "INSERT")
    context.require_warehouse()
    columns = [_column(table, each) for each in into.expressions] if isinstance(into, exp.Schema) else table.columns
    compiled = _compiled(context, _insertable(tree.expression))
    if len(compiled.names) != len(columns):
        raise CompilationFault(
            f"Insert value list does not match column list expecting {len(columns)} but got {len(compiled.names)}"
        )
    with _transaction(context) as cursor:
        values = _assigned(compiled, described(cursor, compiled.sql), columns)
        names = ", ".join(quote(name) for name in (*(column.name for column in columns), COMMIT_TIME))
        cursor.execute(
            f"INSERT INTO {physical_name(table)} ({names}) SELECT {', '.join(values)}, ?::TIMESTAMPTZ "
            f"FROM ({compiled.sql}) AS q({numbered(len(columns))})",
            [_commit_time(context, table)],
        )
        inserted = _affected(cursor)
    return counts(StatementType.INSERT, number_of_rows_inserted=inserted)


def update(context: Context, tree: exp.Update) -> Result:
    table = target_table(context, tree.this.copy(), "UPDATE")
    context.require_warehouse()
    if tree.args.get("from_"):
        raise NotKnown("UPDATE … FROM")
    columns = [_column(table, each.this) for each in tree.expressions]
    compiled = _compiled(context, _affected_rows(tree, [each.expression for each in tree.expressions]))
    with _transaction(context) as cursor:
        values = _assigned(compiled, described(cursor, compiled.sql)[:-1], columns)
        sets = [f"{quote(column.name)} = {value}" for column, value in zip(columns, values, strict=True)]
        cursor.execute(
            f"UPDATE {physical_name(table)} SET {', '.join(sets)}, {quote(COMMIT_TIME)} = ?::TIMESTAMPTZ "
            f"FROM ({compiled.sql}) AS q({numbered(len(compiled.names))}) "
            f"WHERE {physical_name(table)}.{ROW_ADDRESS} = q.c{len(columns)}",
            [_commit_time(context, table)],
        )
        updated = _affected(cursor)
    return counts(StatementType.UPDATE, number_of_rows_updated=updated, **{"number of multi-joined rows updated": 0})


def delete(context: Context, tree: exp.Delete) -> Result:
    table = target_table(context, tree.this.copy(), "DELETE")
    context.require_warehouse()
    if tree.args.get("using"):
        raise NotKnown("DELETE … USING")
    compiled = _compiled(context, _affected_rows(tree, []))
    with _transaction(context) as cursor:
        cursor.execute(
            f"DELETE FROM {physical_name(table)} WHERE {ROW_ADDRESS} IN (SELECT c0 FROM ({compiled.sql}) AS q(c0))"
        )
        deleted = _affected(cursor)
    return counts(StatementType.DELETE, number_of_rows_deleted=deleted)


def _compiled(context: Context, query: exp.Expr) -> Compiled:
    compiled = compile_query(context, query)
    if compiled.functions:
        raise NotKnown("POLICY_REFERENCES and COPY_HISTORY in DML")
    return compiled


def _insertable(source: exp.Expr) -> exp.Expr:
    """VALUES as a query; a real account takes no semi-structured constructors there."""
    if not isinstance(source, exp.Values):
        return source
    for constructor in source.find_all(exp.ParseJSON, exp.Struct, exp.Array, exp.Subquery):
        raise CompilationFault(f"Invalid expression [{constructor.sql('snowflake')}] in VALUES clause")
    return exp.select("*").from_(source)


def _affected_rows(tree: exp.Update | exp.Delete, values: Sequence[exp.Expr]) -> exp.Select:
    """A query for the new values, and the address of the row that each is for."""
    address = exp.column(ROW_ADDRESS, table=_called(tree.this), quoted=True)
    selected = [exp.alias_(value.copy(), f"V{number}") for number, value in enumerate(values)]
    query = exp.select(*selected, exp.alias_(address, "ROW_ADDRESS")).from_(tree.this.copy())
    where = tree.args.get("where")
    return query.where(where.this.copy()) if where else query


def _called(table: exp.Expr) -> exp.Identifier:
    """The table's alias, or its name, as an identifier that keeps its quotes."""
    alias = table.args.get("alias")
    identifier = alias.this if alias is not None else table.this
    assert isinstance(identifier, exp.Identifier)
    return identifier.copy()


def _assigned(compiled: Compiled, types: Sequence[str], columns: Sequence[Column]) -> list[str]:
    pairs = zip(types, compiled.hints, columns, strict=False)
    return [_assignment(f"c{number}", kind, hint, column) for number, (kind, hint, column) in enumerate(pairs)]


def _assignment(value: str, kind: str, hint: str | None, column: Column) -> str:
    source = (hint or "VARIANT") if kind == "JSON" else None
    if kind == '"NULL"' or (column.type.is_json and hint == NULL and kind in UNTYPED):
        return "NULL"
    if not column.type.is_json:
        return converted(value, source, column.type)
    if source is None or column.type.is_structured or column.type.family not in ("VARIANT", source):
        got = source or snowflake_type(kind, hint)[0]
        raise CompilationFault(
            f"Expression type does not match column data type, expecting {column.type} but got {got} "
            f"for column {column.name}"
        )
    return value


def _column(table: Table, identifier: exp.Expr) -> Column:
    named = identifier.this if isinstance(identifier, exp.Column) else identifier
    quoted = bool(named.args.get("quoted"))
    name = named.name if quoted else named.name.upper()
    column = table.column(name)
    if column is None:
        raise InvalidIdentifier(name)
    return column


def _commit_time(context: Context, table: Table) -> object:
    return context.now if table.row_timestamp else None


def _affected(cursor: duckdb.DuckDBPyConnection) -> int:
    row = cursor.fetchone()
    return int(row[0]) if row else 0


@contextmanager
def _transaction(context: Context) -> Iterator[duckdb.DuckDBPyConnection]:
    """All of a statement or nothing of it."""
    with context.catalog.store.cursor() as cursor:
        try:
            cursor.begin()
            yield cursor
            cursor.commit()
        except duckdb.Error as error:
            raise as_sql_error(error) from error
