"""CREATE [INTERACTIVE] WAREHOUSE, and the tables that an interactive one is for (`user-guide/interactive`)."""

from collections.abc import Mapping

from firnline_local.snowflake.catalog import Table, Warehouse
from firnline_local.snowflake.catalog.errors import CompilationFault
from firnline_local.snowflake.sql.result import Result
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.settings import apply_settings, read_settings
from firnline_local.snowflake.sql.statements.creation import Modifiers, created, kept, place
from firnline_local.snowflake.sql.words import Words

SHORTEST_SUSPENSION_S = 86_400


def create_warehouse(context: Context, words: Words, modifiers: Modifiers) -> Result:
    return _create(context, words, modifiers, interactive=False)


def create_interactive_warehouse(context: Context, words: Words, modifiers: Modifiers) -> Result:
    return _create(context, words, modifiers, interactive=True)


def read_tables(context: Context, words: Words) -> list[Table]:
    """`(t, u)`, interactive ones."""
    words.expect("(")
    tables = [context.find(Table, words.name())]
    while words.accept(","):
        tables.append(context.find(Table, words.name()))
    words.expect(")")
    for table in tables:
        if not table.interactive:
            raise CompilationFault(f"'{table.full_name}' is not an interactive table.")
    return tables


def refuse_short_suspension(properties: Mapping[str, str], *, interactive: bool) -> None:
    seconds = int(properties.get("AUTO_SUSPEND", "0"))
    if interactive and 0 < seconds < SHORTEST_SUSPENSION_S:
        raise CompilationFault(
            f"invalid value [{seconds}] for parameter 'AUTO_SUSPEND': {SHORTEST_SUSPENSION_S} seconds are the least for "
            f"an interactive warehouse."
        )


def _create(context: Context, words: Words, modifiers: Modifiers, *, interactive: bool) -> Result:
    where = place(context, words, Warehouse.kind, modifiers)
    tables = read_tables(context, words) if interactive and words.accept("TABLES") else []
    settings = read_settings(words, Warehouse.kind)
    words.end()
    refuse_short_suspension(settings.properties, interactive=interactive)
    if where.kept:
        return kept(where)
    warehouse = where.create(context, Warehouse, interactive=interactive, tables=list(tables))
    apply_settings(warehouse, settings)
    context.session.warehouse = warehouse
    return created(Warehouse.kind, where)
