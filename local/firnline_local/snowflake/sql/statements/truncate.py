"""TRUNCATE TABLE t, and TRUNCATE ERROR_TABLE(t)."""

from firnline_local.snowflake.catalog import kinds
from firnline_local.snowflake.catalog.errors import CompilationFault
from firnline_local.snowflake.sql.result import Result, status
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.words import Words

DONE = "Statement executed successfully."


def truncate(context: Context, words: Words) -> Result:
    if words.accept("ERROR_TABLE ("):
        table = context.readable_table(words.name(), privilege="OWNERSHIP")
        words.expect(")")
        words.end()
        if not table.error_logging:
            raise CompilationFault(f"Error logging is not turned on for table '{table.full_name}'.")
        context.catalog.store.truncate_errors(table)
        return status(DONE)
    words.accept("TABLE")
    optional = words.accept("IF EXISTS")
    names = words.name()
    words.end()
    if optional and context.look_up(kinds.TABLE, names) is None:
        return status(DONE)
    context.catalog.store.truncate(context.readable_table(names, privilege="TRUNCATE"))
    return status(DONE)
