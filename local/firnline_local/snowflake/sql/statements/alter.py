"""ALTER for every kind: SET, UNSET and RENAME TO go the same way for all; the rest is the kind's own."""

from collections.abc import Callable, Iterable

from firnline_local.snowflake.catalog import (
    AuthenticationPolicy,
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
from firnline_local.snowflake.catalog.authentication import NETWORK_POLICY
from firnline_local.snowflake.catalog.errors import CompilationFault, NotKnown
from firnline_local.snowflake.catalog.names import display
from firnline_local.snowflake.catalog.users import KEY_SLOTS
from firnline_local.snowflake.sql.parameters import KEPT_BY_A_TABLE
from firnline_local.snowflake.sql.properties import apply_settings, read_keys, read_settings, unset
from firnline_local.snowflake.sql.result import Result, done
from firnline_local.snowflake.sql.scope import NAMED, Context, find_named
from firnline_local.snowflake.sql.statements.access_tokens import MANAGE_KEYS, alter_access_tokens
from firnline_local.snowflake.sql.statements.alter_table import alter_table, set_table, unset_table
from firnline_local.snowflake.sql.statements.create import read_tables, refuse_foreign_policy, refuse_short_suspension
from firnline_local.snowflake.sql.statements.create_table import refuse_iceberg_settings
from firnline_local.snowflake.sql.statements.dynamic_table import alter_dynamic_table
from firnline_local.snowflake.sql.statements.storage import alter_volume
from firnline_local.snowflake.sql.token_reader import TokenReader

APPLY = "APPLY AUTHENTICATION POLICY"


def alter_policy_of(context: Context, reader: TokenReader, user: User) -> bool:
    """Tells whether the statement was about the user's authentication policy; if so, it is done."""
    match reader.accept_one("SET AUTHENTICATION POLICY", "UNSET AUTHENTICATION POLICY"):
        case "SET AUTHENTICATION POLICY":
            policy = context.find(AuthenticationPolicy, reader.name())
            force = reader.accept("FORCE")
            reader.end()
            _require_apply(context, user)
            if user.authentication_policy is not None and not force:
                raise CompilationFault(
                    f"Object {user.full_name} already has an AUTHENTICATION_POLICY. Only one is allowed at a time: "
                    f"unset it, or set the new one with FORCE."
                )
            user.authentication_policy = policy
        case "UNSET AUTHENTICATION POLICY":
            reader.end()
            _require_apply(context, user)
            user.authentication_policy = None
        case _:
            return False
    return True


def _require_apply(context: Context, user: User) -> None:
    if not context.may(APPLY, context.account):
        context.require(APPLY, user)


def alter(context: Context, reader: TokenReader) -> Result:
    kind = reader.choose(NAMED, after="ALTER")
    optional = reader.accept("IF EXISTS")
    names = reader.name()
    if optional and context.look_up(NAMED[kind].kind, names) is None:
        return done()
    found = find_named(context, kind, names)
    if isinstance(found, Pipe) and found.is_default:
        raise CompilationFault(f"The default pipe {found.full_name} can't be altered.")
    _alter(context, reader, found)
    return done()


def _alter(context: Context, reader: TokenReader, found: CatalogObject) -> None:
    if isinstance(found, User) and alter_policy_of(context, reader, found):
        return
    if isinstance(found, Table) and found.dynamic is not None and not reader.starts("RENAME TO"):
        alter_dynamic_table(context, reader, found, found.dynamic)
        return
    match reader.accept_one("RENAME TO", "SET", "UNSET"):
        case "RENAME TO":
            context.require_ownership(found)
            _rename(context, found, reader.name())
        case "SET":
            _set(context, reader, found)
        case "UNSET":
            keys = read_keys(reader, found.kind)
            _require(context, found, keys)
            _refuse_what_a_table_keeps(found, keys)
            unset_table(context, found, keys) if isinstance(found, Table) else unset(found, keys)
        case _:
            _alter_its_own_way(context, reader, found)
    reader.end()


def _set(context: Context, reader: TokenReader, found: CatalogObject) -> None:
    settings = read_settings(reader, found.kind)
    _require(context, found, [*settings.properties, *settings.parameters])
    refuse_foreign_policy(context, found.kind, settings.parameters)
    if isinstance(found, Table):
        if not found.iceberg:
            refuse_iceberg_settings(settings)
        _refuse_what_a_table_keeps(found, settings.parameters)
        set_table(context, found, settings.properties)
    if isinstance(found, Warehouse):
        refuse_short_suspension(settings.properties, interactive=found.interactive)
    if isinstance(found, Pipe) and "PIPE_EXECUTION_PAUSED" in settings.properties:
        found.paused = settings.properties["PIPE_EXECUTION_PAUSED"] == "true"
    apply_settings(found, settings)


def _refuse_what_a_table_keeps(found: CatalogObject, keys: Iterable[str]) -> None:
    if isinstance(found, Table) and KEPT_BY_A_TABLE in keys:
        raise CompilationFault(f"{KEPT_BY_A_TABLE} can't be changed after the table was created.")


def _require(context: Context, found: CatalogObject, keys: list[str]) -> None:
    """Requires ownership, except for what can be granted apart: a user's keys, pausing a pipe, MODIFY."""
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


def _alter_schema(context: Context, reader: TokenReader, found: CatalogObject) -> None:
    assert isinstance(found, Schema)
    enabled = reader.choose(("ENABLE MANAGED ACCESS", "DISABLE MANAGED ACCESS"), after="ALTER SCHEMA")
    context.require_ownership(found)
    found.managed_access = enabled.startswith("ENABLE")


def _alter_warehouse(context: Context, reader: TokenReader, found: CatalogObject) -> None:
    assert isinstance(found, Warehouse)
    attachment = reader.accept_one("ADD TABLES", "DROP TABLES")
    if attachment is not None:
        context.require("MANAGE ATTACHED TABLES", found)
        tables = read_tables(context, reader)
        found.tables = [table for table in found.tables if table not in tables]
        found.tables += tables if attachment == "ADD TABLES" else []
        return
    reader.choose(("SUSPEND", "RESUME IF SUSPENDED"), after="ALTER WAREHOUSE")
    context.require("OPERATE", found)


OWN_WAYS: dict[str, Callable[[Context, TokenReader, CatalogObject], None]] = {
    kinds.TABLE.name: alter_table,
    kinds.SCHEMA.name: _alter_schema,
    kinds.WAREHOUSE.name: _alter_warehouse,
    kinds.EXTERNAL_VOLUME.name: alter_volume,
    kinds.USER.name: alter_access_tokens,
}


def _alter_its_own_way(context: Context, reader: TokenReader, found: CatalogObject) -> None:
    if found.kind.name not in OWN_WAYS:
        raise NotKnown(f"ALTER {found.kind.name} {display(found.name)} {reader.rest[:40]}")
    OWN_WAYS[found.kind.name](context, reader, found)
