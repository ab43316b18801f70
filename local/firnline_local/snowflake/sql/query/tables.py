"""Finds the tables of a query in the catalog, and puts the store's names in their place.

The role has to be allowed to read each of them. What a query may name besides tables: ERROR_TABLE(t), POLICY_REFERENCES,
COPY_HISTORY, its own WITH queries, and VALUES.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers
from sqlglot.optimizer.scope import traverse_scope
from sqlglot.schema import MappingSchema

from firnline_local.snowflake.catalog import Column, Table
from firnline_local.snowflake.catalog.errors import CompilationFault, NotKnown
from firnline_local.snowflake.catalog.store import error_table_name, physical_name
from firnline_local.snowflake.catalog.tables import COMMIT_TIME, ERROR_COLUMNS
from firnline_local.snowflake.sql.query.table_functions import (
    COPY_HISTORY,
    POLICY_REFERENCES,
    FunctionRows,
    copy_history,
    policy_references,
)
from firnline_local.snowflake.sql.query.types import column_type
from firnline_local.snowflake.sql.scope import Context

ROW_ADDRESS = "rowid"
"""DuckDB's name for where a row is: UPDATE and DELETE find it by that."""
ERROR_TABLE = "ERROR_TABLE"
TABLE_FUNCTIONS: dict[str, Callable[[Context, exp.Anonymous], FunctionRows]] = {
    POLICY_REFERENCES: policy_references,
    COPY_HISTORY: copy_history,
}
INFORMATION_SCHEMA = "INFORMATION_SCHEMA"


@dataclass
class Sources:
    """The tables behind a query, by their names in the store."""

    columns: dict[str, object] = field(default_factory=dict)
    """Name and type of each column, hidden ones too."""
    visible: dict[str, object] = field(default_factory=dict)
    """The columns that `*` expands to."""
    functions: list[FunctionRows] = field(default_factory=list)
    """The table functions whose rows have to be there before the query runs."""

    def add(self, name: str, columns: Iterable[Column], hidden: dict[str, str] | None = None) -> None:
        shown = {column.name: column_type(column.type) for column in columns}
        self.columns[name] = {**shown, **(hidden or {})}
        self.visible[name] = list(shown)

    def schema(self) -> MappingSchema:
        return MappingSchema(self.columns, visible=self.visible, dialect="snowflake", normalize=False)


def resolve_tables(context: Context, tree: exp.Expr) -> Sources:
    """Replaces the tables of a query in place. Raises DoesNotExist for what the role may not read."""
    normalize_identifiers(tree, dialect="snowflake")
    sources = Sources()
    for error_table in list(tree.find_all(exp.TableFromRows)):
        _unwrap(error_table)
    tables = {id(source): source for scope in traverse_scope(tree) for source in scope.sources.values()}
    for source in tables.values():
        if isinstance(source, exp.Table):
            _resolve(context, source, sources)
    for column in tree.find_all(exp.Column):
        column.set("db", None)  # db.schema.table.column: the table's name is enough, as in Snowflake's own scoping
        column.set("catalog", None)
    for number, values in enumerate(tree.find_all(exp.Values)):
        _name_columns(values, number)
    return sources


def target_table(context: Context, table: exp.Expr, privilege: str) -> Table:
    """The table that DML is about."""
    if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
        raise NotKnown(f"DML on {table.sql('snowflake')[:80]}")
    normalize_identifiers(table, dialect="snowflake")
    found = context.readable_table(_parts(table), privilege=privilege)
    if found.dynamic is not None:
        raise CompilationFault(f"{privilege} is not supported for the dynamic table '{found.full_name}'.")
    if found.interactive:  # INSERT OVERWRITE alone is (user-guide/interactive), and no session sends it
        raise CompilationFault(f"{privilege} is not supported for the interactive table '{found.full_name}'.")
    return found


def _resolve(context: Context, source: exp.Table, sources: Sources) -> None:
    if isinstance(source.this, exp.Anonymous):
        _resolve_function(context, source, sources)
        return
    if not isinstance(source.this, exp.Identifier):
        raise NotKnown(f"{source.sql('snowflake')[:80]} behind FROM")
    names = _parts(source)
    if len(names) > 1 and names[-2] == INFORMATION_SCHEMA:
        raise NotKnown(f"{INFORMATION_SCHEMA}.{names[-1]}: SHOW and DESCRIBE tell of objects")
    table = context.readable_table(names)
    context.require_warehouse()
    hidden = {ROW_ADDRESS: "BIGINT"}
    if table.row_timestamp:
        hidden[COMMIT_TIME] = "TIMESTAMP_LTZ"
    sources.add(physical_name(table), table.columns, hidden)
    _replace(source, physical_name(table), names[-1])


def _resolve_function(context: Context, source: exp.Table, sources: Sources) -> None:
    name = source.this.name.upper()
    if name not in TABLE_FUNCTIONS:
        _resolve_error_table(context, source, sources)
        return
    if name == POLICY_REFERENCES:
        context.require_warehouse()
    found = TABLE_FUNCTIONS[name](context, source.this)
    sources.functions.append(found)
    sources.add(found.name, found.columns)
    _replace(source, found.name, name)


def _resolve_error_table(context: Context, source: exp.Table, sources: Sources) -> None:
    function = source.this
    if function.name.upper() != ERROR_TABLE or len(function.expressions) != 1:
        raise NotKnown(f"the table function {function.name.upper()}")
    names = [part.name for part in function.expressions[0].parts]
    table = context.readable_table(names, privilege="SELECT ERROR TABLE")
    context.require_warehouse()
    if not table.error_logging:
        raise CompilationFault(f"Error logging is not turned on for table '{table.full_name}'.")
    name = error_table_name(table)
    sources.add(name, ERROR_COLUMNS)
    _replace(source, name, ERROR_TABLE)


def _replace(source: exp.Table, name: str, called: str) -> None:
    source.set("this", exp.to_identifier(name, quoted=True))
    source.set("db", None)
    source.set("catalog", None)
    if not source.alias:
        source.set("alias", exp.TableAlias(this=exp.to_identifier(called, quoted=True)))


def _unwrap(source: exp.TableFromRows) -> None:
    """TABLE(ERROR_TABLE(t)) is ERROR_TABLE(t); what stands in front of the others says nothing."""
    function = source.this
    while isinstance(function, exp.Dot):
        function = function.expression
    if isinstance(function, exp.Anonymous) and function.name.upper() in (ERROR_TABLE, *TABLE_FUNCTIONS):
        source.replace(exp.Table(this=function, alias=source.args.get("alias")))


def _name_columns(values: exp.Values, number: int) -> None:
    """VALUES call their columns COLUMN1, COLUMN2, …"""
    alias = values.args.get("alias")
    if alias is None or not alias.columns:
        width = len(values.expressions[0].expressions)
        named = alias.this if alias is not None else exp.to_identifier(f"VALUES{number}")
        columns = [exp.to_identifier(f"COLUMN{position + 1}", quoted=True) for position in range(width)]
        values.set("alias", exp.TableAlias(this=named, columns=columns))


def _parts(table: exp.Table) -> Sequence[str]:
    return tuple(part.name for part in table.parts)
