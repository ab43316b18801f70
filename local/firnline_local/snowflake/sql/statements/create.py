"""CREATE: finds the kind; makes databases, schemas, roles, users, policies, network rules and warehouses itself.

Warehouses may be interactive, for tables that are (`user-guide/interactive`).
"""

from collections.abc import Mapping
from typing import Any

from firnline_local.snowflake.catalog import (
    AuthenticationPolicy,
    CatalogObject,
    Database,
    NetworkPolicy,
    NetworkRule,
    Role,
    Schema,
    Table,
    User,
    Warehouse,
    kinds,
)
from firnline_local.snowflake.catalog.authentication import NETWORK_POLICY
from firnline_local.snowflake.catalog.errors import CompilationFault, InsufficientPrivileges, NotKnown
from firnline_local.snowflake.catalog.kinds import ObjectKind
from firnline_local.snowflake.catalog.names import read_name
from firnline_local.snowflake.sql.properties import apply_settings, read_settings, refuse_impossible
from firnline_local.snowflake.sql.result import Result
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.statements.create_table import (
    create_iceberg_table,
    create_interactive_table,
    create_table,
)
from firnline_local.snowflake.sql.statements.creation import Creator, Modifiers, NewObject, read_new_object
from firnline_local.snowflake.sql.statements.pipe import create_pipe
from firnline_local.snowflake.sql.statements.storage import create_external_volume, create_stage
from firnline_local.snowflake.sql.token_reader import TokenReader

SHORTEST_SUSPENSION_S = 86_400


def create_database(context: Context, reader: TokenReader, modifiers: Modifiers) -> Result:
    """The session goes into the new database, as a real one does."""
    new = read_new_object(context, reader, Database.kind, modifiers)
    return _create(context, reader, new, Database, transient=modifiers.transient)


def create_schema(context: Context, reader: TokenReader, modifiers: Modifiers) -> Result:
    new = read_new_object(context, reader, Schema.kind, modifiers)
    managed = reader.accept("WITH MANAGED ACCESS")
    return _create(context, reader, new, Schema, transient=modifiers.transient, managed_access=managed)


def creator_of(made: type[CatalogObject]) -> Creator:
    """Returns CREATE for a kind that has only a name and settings."""

    def create_object(context: Context, reader: TokenReader, modifiers: Modifiers) -> Result:
        return _create(context, reader, read_new_object(context, reader, made.kind, modifiers), made)

    return create_object


def _create(context: Context, reader: TokenReader, new: NewObject, made: type[CatalogObject], **fields: Any) -> Result:
    settings = read_settings(reader, made.kind)
    reader.end()
    refuse_impossible(made.kind, settings.properties)
    refuse_foreign_policy(context, made.kind, settings.parameters)
    if new.exists:
        return new.exists_status()
    found = new.create(context, made, **fields)
    apply_settings(found, settings)
    _enter(context, found)
    return new.created_status()


def refuse_foreign_policy(context: Context, kind: ObjectKind, parameters: Mapping[str, str]) -> None:
    """A network policy has to exist, and to belong to the role that puts a user under it (`user-guide/network-policies`)."""
    if kind is not kinds.USER or not parameters.get(NETWORK_POLICY):
        return
    policy = context.find(NetworkPolicy, read_name(parameters[NETWORK_POLICY]))
    if not context.may("OWNERSHIP", policy):
        raise InsufficientPrivileges(policy.kind.name, policy.full_name)


def _enter(context: Context, found: CatalogObject) -> None:
    """A new database or schema becomes the session's, as in a real account."""
    if isinstance(found, Database):
        context.session.use_database(found)
    elif isinstance(found, Schema):
        context.session.use_schema(found)


def create_warehouse(context: Context, reader: TokenReader, modifiers: Modifiers) -> Result:
    return _create_warehouse(context, reader, modifiers, interactive=False)


def create_interactive_warehouse(context: Context, reader: TokenReader, modifiers: Modifiers) -> Result:
    return _create_warehouse(context, reader, modifiers, interactive=True)


def read_tables(context: Context, reader: TokenReader) -> list[Table]:
    """`(t, u)`, interactive ones."""
    tables = reader.listed(lambda each: context.find(Table, each.name()))
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


def _create_warehouse(context: Context, reader: TokenReader, modifiers: Modifiers, *, interactive: bool) -> Result:
    new = read_new_object(context, reader, Warehouse.kind, modifiers)
    tables = read_tables(context, reader) if interactive and reader.accept("TABLES") else []
    settings = read_settings(reader, Warehouse.kind)
    reader.end()
    refuse_short_suspension(settings.properties, interactive=interactive)
    if new.exists:
        return new.exists_status()
    warehouse = new.create(context, Warehouse, interactive=interactive, tables=list(tables))
    apply_settings(warehouse, settings)
    context.session.warehouse = warehouse
    return new.created_status()


CREATORS: dict[str, Creator] = {
    "DATABASE": create_database,
    "SCHEMA": create_schema,
    "TABLE": create_table,
    "PIPE": create_pipe,
    "STAGE": create_stage,
    "WAREHOUSE": create_warehouse,
    "ICEBERG TABLE": create_iceberg_table,
    "INTERACTIVE TABLE": create_interactive_table,
    "INTERACTIVE WAREHOUSE": create_interactive_warehouse,
    "EXTERNAL VOLUME": create_external_volume,
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
