"""Brings dynamic tables up to date: as their owner's role, in their own warehouse, all rows of one moment or none.

A refresh is due once the table is as old as its TARGET_LAG. It is made up for in front of the next statement, whoever sends that:
nobody can see the difference. One that fails leaves the rows that were there, and is tried again (user-guide/dynamic-tables).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import duckdb
from sqlglot import exp

from firnline_local.snowflake.catalog import Column, DataType, Dynamic, Role, SqlError, Table, Warehouse
from firnline_local.snowflake.catalog.errors import CompilationFault, NoWarehouse
from firnline_local.snowflake.catalog.names import quote
from firnline_local.snowflake.catalog.store import as_sql_error, physical_name
from firnline_local.snowflake.sql.query.compile import Compiled, compile_query
from firnline_local.snowflake.sql.query.run import described, snowflake_type
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.statement import Statement, written_columns


@dataclass(frozen=True)
class OwnersContext(Context):
    """The statement of whoever owns a dynamic table, whichever role a session has."""

    owner: Role
    warehouse: Warehouse

    @property
    def role(self) -> Role:
        return self.owner

    def require_warehouse(self) -> None:
        if not self.warehouse.is_live or not self.may("USAGE", self.warehouse):
            raise NoWarehouse


def columns_of(context: Context, query: str, owner: Role, warehouse: Warehouse) -> list[Column]:
    """The columns that the query gives to the table. Raises SqlError."""
    compiled = _compiled(_as_owner(context, owner, warehouse), query)
    with context.catalog.store.cursor() as cursor:
        types = described(cursor, compiled.sql)
    found = zip(compiled.names, types, compiled.hints, strict=True)
    return [Column(name=name, type=DataType.parse(snowflake_type(kind, hint)[0])) for name, kind, hint in found]


def tables_behind(context: Context, query: str) -> Iterator[Table]:
    """The tables that a query reads. Raises SqlError."""
    for source in Statement.read(query).tree.find_all(exp.Table):
        names = [part.name if part.args.get("quoted") else part.name.upper() for part in source.parts]
        yield context.readable_table(names)


def refresh_due(context: Context) -> None:
    with context.catalog.lock:
        for table in context.catalog.dynamic_tables:
            if table.dynamic is not None and table.dynamic.is_due(context.now) and table.is_live:
                try:
                    refresh(context, table, table.dynamic)
                except SqlError as error:
                    table.dynamic.last_error = error.message


def refresh(context: Context, table: Table, dynamic: Dynamic) -> None:
    """Raises SqlError."""
    assert table.owner is not None
    compiled = _compiled(_as_owner(context, table.owner, dynamic.warehouse), dynamic.query)
    for base in tables_behind(context=_as_owner(context, table.owner, dynamic.warehouse), query=dynamic.query):
        if not base.change_tracking:
            raise CompilationFault(f"Change tracking is not enabled on table '{base.full_name}'.")
    names = ", ".join(quote(column.name) for column in table.columns)
    with context.catalog.store.cursor() as cursor:
        try:
            cursor.begin()
            cursor.execute(f"DELETE FROM {physical_name(table)}")
            cursor.execute(f"INSERT INTO {physical_name(table)} ({names}) {compiled.sql}")
            cursor.commit()
        except duckdb.Error as error:
            raise as_sql_error(error) from error
    dynamic.data_timestamp, dynamic.last_error = context.now, ""


def _as_owner(context: Context, owner: Role, warehouse: Warehouse) -> OwnersContext:
    return OwnersContext(
        context.catalog, context.session, context.now, context.query_id, owner=owner, warehouse=warehouse
    )


def _compiled(context: Context, query: str) -> Compiled:
    statement = Statement.read(query)
    return compile_query(context, statement.tree, written_columns(statement))
