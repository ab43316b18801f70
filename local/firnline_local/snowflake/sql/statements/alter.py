"""ALTER for every kind: SET, UNSET and RENAME TO go the same way for all; the rest is the kind's own."""

from collections.abc import Callable

from firnline_local.snowflake.catalog import (
    CatalogObject,
    Database,
    NetworkPolicy,
    Pipe,
    Schema,
    Table,
    User,
    Warehouse,
    kinds,
)
from firnline_local.snowflake.catalog.admission import NETWORK_POLICY
from firnline_local.snowflake.catalog.errors import CompilationFault, NotKnown
from firnline_local.snowflake.catalog.names import display
from firnline_local.snowflake.catalog.users import KEY_SLOTS
from firnline_local.snowflake.sql.result import Result, status
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.settings import apply_settings, read_keys, read_settings, unset
from firnline_local.snowflake.sql.statements.alter_table import alter_table, set_table, unset_table
from firnline_local.snowflake.sql.statements.create_table import refuse_iceberg_settings
from firnline_local.snowflake.sql.statements.create_warehouse import read_tables, refuse_short_suspension
from firnline_local.snowflake.sql.statements.external_volume import alter_volume
from firnline_local.snowflake.sql.statements.named import NAMED, find_named
from firnline_local.snowflake.sql.statements.user_policy import alter_policy_of, refuse_foreign_policy
from firnline_local.snowflake.sql.words import Words

DONE = "Statement executed successfully."
MANAGE_KEYS = "MODIFY PROGRAMMATIC AUTHENTICATION METHODS"


def alter(context: Context, words: Words) -> Result:
    kind = words.accept_one(*NAMED)
    if kind is None:
        raise NotKnown(f"ALTER {words.rest()[:40]}")
    optional = words.accept("IF EXISTS")
    names = words.name()
    if optional and context.look_up(NAMED[kind].kind, names) is None:
        return status(DONE)
    found = find_named(context, kind, names)
    if isinstance(found, Pipe) and found.is_default:
        raise CompilationFault(f"The default pipe {found.full_name} can't be altered.")
    _alter(context, words, found)
    return status(DONE)


def _alter(context: Context, words: Words, found: CatalogObject) -> None:
    if isinstance(found, User) and alter_policy_of(context, words, found):
        return
    match words.accept_one("RENAME TO", "SET", "UNSET"):
        case "RENAME TO":
            context.require_ownership(found)
            _rename(context, found, words.name())
        case "SET":
            _set(context, words, found)
        case "UNSET":
            keys = read_keys(words, found.kind)
            _require(context, found, keys)
            unset_table(context, found, keys) if isinstance(found, Table) else unset(found, keys)
        case _:
            _alter_its_own_way(context, words, found)
    words.end()


def _set(context: Context, words: Words, found: CatalogObject) -> None:
    settings = read_settings(words, found.kind)
    _require(context, found, [*settings.properties, *settings.parameters])
    refuse_foreign_policy(context, found.kind, settings.parameters)
    if isinstance(found, Table):
        if not found.iceberg:
            refuse_iceberg_settings(settings)
        set_table(context, found, settings.properties)
    if isinstance(found, Warehouse):
        refuse_short_suspension(settings.properties, interactive=found.interactive)
    if isinstance(found, Pipe) and "PIPE_EXECUTION_PAUSED" in settings.properties:
        found.paused = settings.properties["PIPE_EXECUTION_PAUSED"] == "true"
    apply_settings(found, settings)


def _require(context: Context, found: CatalogObject, keys: list[str]) -> None:
    """Ownership, but for the two things that may be granted apart: a user's keys, and pausing a pipe."""
    if isinstance(found, User) and keys and set(keys) <= set(KEY_SLOTS):
        context.require(MANAGE_KEYS, found)
    elif isinstance(found, Pipe) and keys == ["PIPE_EXECUTION_PAUSED"]:
        context.require("OPERATE", found)
    elif isinstance(found, Warehouse | Schema | Database):
        context.require("MODIFY", found)
    else:
        context.require_ownership(found)


def _rename(context: Context, found: CatalogObject, names: tuple[str, ...]) -> None:
    if isinstance(found, Pipe):
        raise CompilationFault("A pipe can't be renamed.")
    if isinstance(found, NetworkPolicy):
        for user in context.account.of_kind(kinds.USER).values():
            if user.parameters.get(NETWORK_POLICY) == display(found.name):
                user.parameters[NETWORK_POLICY] = display(names[-1])
    container = context.container(found.kind, names)
    if container is not found.container:
        context.require(f"CREATE {found.kind.name}", container)
    context.catalog.directory.rename(found, names[-1], container=container)


def _alter_schema(context: Context, words: Words, found: CatalogObject) -> None:
    enabled = words.accept_one("ENABLE MANAGED ACCESS", "DISABLE MANAGED ACCESS")
    if not isinstance(found, Schema) or enabled is None:
        raise NotKnown(f"ALTER SCHEMA {words.rest()[:40]}")
    context.require_ownership(found)
    found.managed_access = enabled.startswith("ENABLE")


def _alter_warehouse(context: Context, words: Words, found: CatalogObject) -> None:
    attachment = words.accept_one("ADD TABLES", "DROP TABLES")
    if attachment is not None and isinstance(found, Warehouse):
        context.require("MANAGE ATTACHED TABLES", found)
        tables = read_tables(context, words)
        found.tables = [table for table in found.tables if table not in tables]
        found.tables += tables if attachment == "ADD TABLES" else []
        return
    if words.accept_one("SUSPEND", "RESUME IF SUSPENDED", "RESUME", "ABORT ALL QUERIES") is None:
        raise NotKnown(f"ALTER WAREHOUSE {words.rest()[:40]}")
    context.require("OPERATE", found)


OWN_WAYS: dict[str, Callable[[Context, Words, CatalogObject], None]] = {
    kinds.TABLE.name: alter_table,
    kinds.SCHEMA.name: _alter_schema,
    kinds.WAREHOUSE.name: _alter_warehouse,
    kinds.EXTERNAL_VOLUME.name: alter_volume,
}


def _alter_its_own_way(context: Context, words: Words, found: CatalogObject) -> None:
    if found.kind.name not in OWN_WAYS:
        raise NotKnown(f"ALTER {found.kind.name} {display(found.name)} {words.rest()[:40]}")
    OWN_WAYS[found.kind.name](context, words, found)
