"""Common parts of every CREATE (OR REPLACE, IF NOT EXISTS, the name, who may, what is answered), and the kinds of object that
have little more than a name and settings: databases, schemas, roles, users, policies, network rules and warehouses.

Warehouses may be interactive, for tables that are (`user-guide/interactive`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from firnline_local.snowflake.catalog import (
    DEFINITIONS,
    CatalogObject,
    Database,
    DefinedObject,
    NetworkPolicy,
    Schema,
    Table,
    View,
    Warehouse,
    kinds,
)
from firnline_local.snowflake.catalog.authentication import NETWORK_POLICY
from firnline_local.snowflake.catalog.errors import AlreadyExists, CompilationFault, InsufficientPrivileges
from firnline_local.snowflake.catalog.kinds import ObjectKind
from firnline_local.snowflake.catalog.names import display, read_name
from firnline_local.snowflake.sql.properties import apply_settings, read_settings, refuse_impossible
from firnline_local.snowflake.sql.result import Result, status
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.token_reader import TokenReader

Made = TypeVar("Made", bound=CatalogObject)


@dataclass(frozen=True, slots=True)
class Modifiers:
    """The words between CREATE and the kind."""

    replace: bool = False
    transient: bool = False


Creator = Callable[[Context, TokenReader, Modifiers], Result]
"""One form of CREATE; the words that name the kind are read already."""


@dataclass(frozen=True, slots=True)
class NewObject:
    """The object that a CREATE names: where it goes, and whether it has to be made."""

    kind: ObjectKind
    container: CatalogObject
    name: str
    exists: bool
    """The statement says IF NOT EXISTS and the object exists, so nothing is made."""
    replace: bool

    def create(self, context: Context, made: type[Made], *, privilege: str | None = None, **fields: Any) -> Made:
        """Makes it. `privilege` is the one that it takes, where that is not called like the kind.

        Raises InsufficientPrivileges, AlreadyExists.
        """
        context.require(privilege or f"CREATE {made.kind.name}", self.container)
        before = self.container.of_kind(made.kind).get(self.name)
        if self.replace and before is not None:
            context.require_ownership(before)
        return context.catalog.directory.create(
            made, self.name, container=self.container, owner=context.role, replace=self.replace, **fields
        )

    def created_status(self) -> Result:
        return status(f"{self.kind.name.capitalize()} {display(self.name)} successfully created.")

    def exists_status(self) -> Result:
        return status(f"{display(self.name)} already exists, statement succeeded.")


def read_new_object(context: Context, reader: TokenReader, kind: ObjectKind, modifiers: Modifiers) -> NewObject:
    """Reads `[IF NOT EXISTS] name`."""
    keep = reader.accept("IF NOT EXISTS")
    names = reader.name()
    container = context.container(kind, names)
    return NewObject(kind, container, names[-1], keep and names[-1] in container.of_kind(kind), modifiers.replace)


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


def definer_of(made: type[DefinedObject]) -> Creator:
    """Returns CREATE for a kind of which the definition is kept, and not read."""

    def create_definition(context: Context, reader: TokenReader, modifiers: Modifiers) -> Result:
        new = read_new_object(context, reader, made.kind, modifiers)
        definition = reader.rest
        while not reader.at_end:
            reader.take()
        taken = new.container.of_kind(kinds.TABLE).get(new.name) if made.kind in SHARING_NAMES_WITH_TABLES else None
        if taken is not None:
            raise AlreadyExists(taken.full_name)
        if new.exists:
            return new.exists_status()
        new.create(context, made, definition=definition)
        return new.created_status()

    return create_definition


SHARING_NAMES_WITH_TABLES = (kinds.VIEW, kinds.MATERIALIZED_VIEW)
"""Tables and views of a schema have one space of names (`sql-reference/sql/create-view`)."""


DEFINERS: Mapping[str, Creator] = {
    **{made.kind.name: definer_of(made) for made in DEFINITIONS},
    "SECURE VIEW": definer_of(View),
}


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


def create_warehouse(
    context: Context, reader: TokenReader, modifiers: Modifiers, *, interactive: bool = False
) -> Result:
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
