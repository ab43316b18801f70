"""CREATE INTERACTIVE TABLE: always clustered, never evolving (`sql-reference/sql/create-interactive-table`)."""

from firnline_local.snowflake.catalog import Table, kinds
from firnline_local.snowflake.catalog.catalog import refuse_case_clash
from firnline_local.snowflake.catalog.errors import CompilationFault, NotKnown
from firnline_local.snowflake.catalog.names import display
from firnline_local.snowflake.sql.result import Result
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.settings import apply_settings
from firnline_local.snowflake.sql.statements.create_table import read_definition
from firnline_local.snowflake.sql.statements.creation import Modifiers, created, kept, place
from firnline_local.snowflake.sql.words import Words

INTERACTIVE = "INTERACTIVE TABLE"


def create_interactive_table(context: Context, words: Words, modifiers: Modifiers) -> Result:
    where = place(context, words, kinds.TABLE, modifiers)
    definition = read_definition(context, words)
    words.end()
    settings = definition.settings
    if settings.properties or settings.parameters:
        raise NotKnown(f"{', '.join([*settings.properties, *settings.parameters])} of an interactive table")
    if not definition.cluster_by:
        raise CompilationFault("An interactive table needs CLUSTER BY.")
    if where.kept:
        return kept(where)
    refuse_case_clash(display(*where.container.path, where.name), definition.columns)
    table = where.create(
        context,
        Table,
        privilege=f"CREATE {INTERACTIVE}",
        columns=list(definition.columns),
        cluster_by=definition.cluster_by,
        interactive=True,
    )
    apply_settings(table, settings)
    return created(kinds.TABLE, where)
