"""One statement from text to result: its first words alone decide which file answers it.

A statement that no file knows is refused by name. The catalog's lock is held while names are resolved and objects
changed, and released while a query reads rows.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from firnline_local.snowflake.catalog import AuthenticationPolicy, NetworkPolicy, NetworkRule, Role, User
from firnline_local.snowflake.catalog.errors import CompilationFault, NotKnown
from firnline_local.snowflake.sql.login import use
from firnline_local.snowflake.sql.query import dml
from firnline_local.snowflake.sql.query.refresh import refresh_due
from firnline_local.snowflake.sql.query.run import run
from firnline_local.snowflake.sql.result import Result, StatementType, done
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.show.describe import describe
from firnline_local.snowflake.sql.show.show import show
from firnline_local.snowflake.sql.statement import Statement, written_columns
from firnline_local.snowflake.sql.statements.alter import alter
from firnline_local.snowflake.sql.statements.create import (
    DEFINERS,
    Creator,
    Modifiers,
    create_database,
    create_schema,
    create_warehouse,
    creator_of,
)
from firnline_local.snowflake.sql.statements.create_table import (
    create_iceberg_table,
    create_interactive_table,
    create_table,
)
from firnline_local.snowflake.sql.statements.drop import drop, truncate, undrop
from firnline_local.snowflake.sql.statements.dynamic_table import create_dynamic_table
from firnline_local.snowflake.sql.statements.grants import grant, revoke, show_future_grants, show_grants
from firnline_local.snowflake.sql.statements.pipe import create_pipe
from firnline_local.snowflake.sql.statements.storage import (
    create_external_volume,
    create_stage,
    list_files,
    put,
    remove_files,
)
from firnline_local.snowflake.sql.token_reader import TokenReader

CREATORS: dict[str, Creator] = {
    "DATABASE": create_database,
    "SCHEMA": create_schema,
    "TABLE": create_table,
    "PIPE": create_pipe,
    "STAGE": create_stage,
    "WAREHOUSE": create_warehouse,
    "ICEBERG TABLE": create_iceberg_table,
    "INTERACTIVE TABLE": create_interactive_table,
    "DYNAMIC TABLE": create_dynamic_table,
    "INTERACTIVE WAREHOUSE": partial(create_warehouse, interactive=True),
    "EXTERNAL VOLUME": create_external_volume,
    **DEFINERS,
    **{made.kind.name: creator_of(made) for made in (Role, User, NetworkPolicy, NetworkRule, AuthenticationPolicy)},
}
"""Forms of CREATE by the words that name the kind."""


def create(context: Context, reader: TokenReader) -> Result:
    if reader.starts("OR ALTER"):
        raise NotKnown("CREATE OR ALTER")
    replace = reader.accept("OR REPLACE")
    transient = reader.accept("TRANSIENT")
    kind = reader.choose(CREATORS, after="CREATE")
    return CREATORS[kind](context, reader, Modifiers(replace=replace, transient=transient))


STATEMENTS: dict[str, Callable[[Context, TokenReader], Result]] = {
    "ALTER": alter,
    "CREATE": create,
    "DESCRIBE": describe,
    "DESC": describe,
    "DROP": drop,
    "GRANT": grant,
    "LIST": list_files,
    "LS": list_files,
    "PUT": put,
    "REMOVE": remove_files,
    "RM": remove_files,
    "REVOKE": revoke,
    "SHOW FUTURE GRANTS": show_future_grants,
    "SHOW GRANTS": show_grants,
    "SHOW": show,
    "TRUNCATE": truncate,
    "UNDROP": undrop,
    "USE": use,
}
"""Statements by their first words; longer phrases come first."""
QUERIES = ("SELECT", "WITH", "(")
WRITERS: dict[str, Callable[[Context, Any], Result]] = {
    "INSERT": dml.insert,
    "UPDATE": dml.update,
    "DELETE": dml.delete,
}
TRANSACTION_ENDS = ("COMMIT", "ROLLBACK")
"""Every statement commits by itself, so these do nothing."""


def execute(context: Context, sql: str, *, describe_only: bool = False) -> Result:
    """Raises SqlError."""
    statement = Statement.read(sql)
    reader = TokenReader(statement)
    refresh_due(context)
    if any(reader.starts(word) for word in QUERIES):
        return run(context, statement.tree, written_columns(statement), describe_only=describe_only)
    if describe_only:
        return Result(columns=done().columns)
    with context.catalog.lock:
        for first_words, answer in STATEMENTS.items():
            if reader.accept(first_words):
                return answer(context, reader)
        for verb, writer in WRITERS.items():
            if reader.starts(verb):
                return writer(context, statement.tree)
    return _transaction_end(reader)


def _transaction_end(reader: TokenReader) -> Result:
    if reader.at_end:
        raise CompilationFault("Empty SQL statement.")
    if reader.accept_one(*TRANSACTION_ENDS):
        reader.end()
        return done(type=StatementType.SCL)
    raise NotKnown(reader.rest[:60])
