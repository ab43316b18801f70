"""CREATE: finds the kind, and hands over to the file that knows it."""

from firnline_local.snowflake.catalog import AuthenticationPolicy, NetworkPolicy, NetworkRule, Role, User
from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.sql.result import Result
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.statements.create_iceberg_table import create_iceberg_table
from firnline_local.snowflake.sql.statements.create_interactive_table import create_interactive_table
from firnline_local.snowflake.sql.statements.create_object import create_database, create_schema, creator_of
from firnline_local.snowflake.sql.statements.create_pipe import create_pipe
from firnline_local.snowflake.sql.statements.create_table import create_table
from firnline_local.snowflake.sql.statements.create_warehouse import (
    create_interactive_warehouse,
    create_warehouse,
)
from firnline_local.snowflake.sql.statements.creation import Creator, Modifiers
from firnline_local.snowflake.sql.statements.external_volume import create_external_volume
from firnline_local.snowflake.sql.words import Words

CREATORS: dict[str, Creator] = {
    "DATABASE": create_database,
    "SCHEMA": create_schema,
    "TABLE": create_table,
    "PIPE": create_pipe,
    "WAREHOUSE": create_warehouse,
    "ICEBERG TABLE": create_iceberg_table,
    "INTERACTIVE TABLE": create_interactive_table,
    "INTERACTIVE WAREHOUSE": create_interactive_warehouse,
    "EXTERNAL VOLUME": create_external_volume,
    **{made.kind.name: creator_of(made) for made in (Role, User, NetworkPolicy, NetworkRule, AuthenticationPolicy)},
}
"""By the words that name the kind."""


def create(context: Context, words: Words) -> Result:
    if words.starts("OR ALTER"):
        raise NotKnown("CREATE OR ALTER")
    replace = words.accept("OR REPLACE")
    transient = words.accept("TRANSIENT")
    kind = words.accept_one(*CREATORS)
    if kind is None:
        raise NotKnown(f"CREATE {words.rest()[:40]}")
    return CREATORS[kind](context, words, Modifiers(replace=replace, transient=transient))
