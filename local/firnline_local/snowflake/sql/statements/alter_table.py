"""ALTER TABLE: columns, clustering, and the properties that decide what happens to rows."""

from collections.abc import Callable, Iterable, Mapping

from firnline_local.snowflake.catalog import CatalogObject, Column, Table
from firnline_local.snowflake.catalog.catalog import refuse_case_clash
from firnline_local.snowflake.catalog.errors import AlreadyExists, CompilationFault, DoesNotExist, NotKnown
from firnline_local.snowflake.catalog.names import display
from firnline_local.snowflake.catalog.tables import TABLE_SWITCHES
from firnline_local.snowflake.catalog.types import DataType
from firnline_local.snowflake.sql.properties import unset
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.statements.columns import iceberg_column, read_column
from firnline_local.snowflake.sql.statements.create_table import ICEBERG_PROPERTIES, read_cluster_by
from firnline_local.snowflake.sql.token_reader import TokenReader

NOT_OF_ICEBERG = (*(key for key, switch in TABLE_SWITCHES.items() if not switch.of_iceberg), *ICEBERG_PROPERTIES)


def alter_table(context: Context, reader: TokenReader, found: CatalogObject) -> None:
    assert isinstance(found, Table)
    context.require_ownership(found)
    if found.interactive:
        raise CompilationFault(f"The columns of an interactive table can't be altered: '{found.full_name}'.")
    action = reader.choose(ACTIONS, after="ALTER TABLE …")
    if reader.starts("IF EXISTS"):
        raise NotKnown(f"ALTER TABLE … {action} {reader.rest[:40]}")
    ACTIONS[action](context, reader, found)


def set_table(context: Context, table: Table, properties: Mapping[str, str]) -> None:
    """The switches, with what they do: an error table comes or goes with its rows, commit times end with theirs."""
    store = context.catalog.store
    if table.interactive and properties:
        raise CompilationFault(f"{min(properties)} can't be set on an interactive table.")
    for key, value in properties.items():
        if table.iceberg and key in NOT_OF_ICEBERG:
            raise CompilationFault(f"{key} can't be set on an Iceberg table.")
        on, was_on = value == "true", getattr(table, key.lower())
        if key == "ERROR_LOGGING" and on and not was_on:
            store.create_error_table(table)
        if key == "ERROR_LOGGING" and was_on and not on:
            store.drop_error_table(table)
        if key == "ROW_TIMESTAMP" and was_on and not on:
            store.erase_commit_times(table)
        setattr(table, key.lower(), on)


def unset_table(context: Context, table: Table, keys: Iterable[str]) -> None:
    set_table(context, table, {key: "false" for key in keys if key in TABLE_SWITCHES})
    unset(table, keys)


def _add_columns(context: Context, reader: TokenReader, table: Table) -> None:
    read = reader.separated(lambda each: _read_added(context, each, table))
    context.catalog.append_columns(table, [column for column in read if column is not None])


def _read_added(context: Context, reader: TokenReader, table: Table) -> Column | None:
    """None for one that is there already, where the statement says IF NOT EXISTS."""
    reader.accept("COLUMN")
    optional = reader.accept("IF NOT EXISTS")
    column = read_column(context, reader)
    if table.iceberg:
        column = iceberg_column(column, table.iceberg.version)
    if table.column(column.name) is not None:
        if optional:
            return None
        raise AlreadyExists(column.name)
    if not column.nullable and column.default is None and context.catalog.store.count_rows(table):
        raise CompilationFault(
            f"Non-nullable column '{column.name}' cannot be added to non-empty table '{display(table.name)}' "
            f"unless it has a non-null default value."
        )
    return column


def _drop_columns(context: Context, reader: TokenReader, table: Table) -> None:
    found = [_find(table, name) for name in reader.separated(TokenReader.identifier)]
    if len(found) == len(table.columns):
        raise CompilationFault(f"Cannot drop all columns of table '{display(table.name)}'.")
    for column in found:
        context.catalog.store.drop_column(table, column)
        table.columns.remove(column)


def _rename_column(context: Context, reader: TokenReader, table: Table) -> None:
    column = _find(table, reader.identifier())
    reader.expect("TO")
    name = reader.identifier()
    if column.name == name:
        return
    if table.column(name) is not None:
        raise AlreadyExists(name)
    others = [other for other in table.columns if other is not column]
    refuse_case_clash(table.full_name, [*others, Column(name=name, type=column.type)])
    context.catalog.store.rename_column(table, column, name)
    column.name, column.evolution = name, None


def _alter_column(context: Context, reader: TokenReader, table: Table) -> None:
    store, column = context.catalog.store, _find(table, reader.identifier())
    match reader.accept_one("DROP NOT NULL", "SET NOT NULL", "COMMENT", "SET DATA TYPE", "DROP DEFAULT"):
        case "DROP NOT NULL":
            store.set_nullable(table, column, nullable=True)
            column.nullable = True
        case "SET NOT NULL":
            store.set_nullable(table, column, nullable=False)
            column.nullable = False
        case "COMMENT":
            column.comment = reader.string()
        case "SET DATA TYPE":
            _set_type(context, table, column, reader.type())
        case "DROP DEFAULT":
            store.drop_default(table, column)
            column.default = None
        case _:
            raise NotKnown(f"ALTER TABLE … ALTER COLUMN … {reader.rest[:40]}")
    column.evolution = None


def _set_type(context: Context, table: Table, column: Column, wanted: DataType) -> None:
    """Allows only what a real account does: a longer text or binary, a number of more digits and the same scale."""
    before = column.type
    if wanted == before:
        return
    wider = wanted.family == before.family and wanted.scale == before.scale
    if not wider or before.family not in ("VARCHAR", "BINARY", "NUMBER") or (wanted.size or 0) < (before.size or 0):
        raise CompilationFault(f"cannot change column {column.name} from type {before} to {wanted}")
    context.catalog.store.set_type(table, column, wanted.duckdb)
    column.type = wanted


def _cluster_by(_context: Context, reader: TokenReader, table: Table) -> None:
    table.cluster_by = read_cluster_by(reader)


def _drop_clustering_key(_context: Context, _words: TokenReader, table: Table) -> None:
    table.cluster_by = ()


def _swap(context: Context, reader: TokenReader, table: Table) -> None:
    """Swaps the two tables' names at once (SQL reference, ALTER TABLE: SWAP WITH). An Iceberg table has no such form."""
    other = context.find(Table, reader.name())
    context.require_ownership(other)
    if table.iceberg or other.iceberg:
        raise NotKnown("SWAP WITH of an Iceberg table")
    context.catalog.directory.swap(table, other)


def _find(table: Table, name: str) -> Column:
    column = table.column(name)
    if column is None:
        raise DoesNotExist("column", display(name))
    return column


ACTIONS: dict[str, Callable[[Context, TokenReader, Table], None]] = {
    "ADD": _add_columns,
    "DROP COLUMN": _drop_columns,
    "DROP CLUSTERING KEY": _drop_clustering_key,
    "RENAME COLUMN": _rename_column,
    "ALTER COLUMN": _alter_column,
    "CLUSTER BY": _cluster_by,
    "SWAP WITH": _swap,
}
"""Actions by the words that follow the name."""
