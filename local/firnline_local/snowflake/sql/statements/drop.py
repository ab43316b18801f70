"""DROP, which refuses what something else relies on, UNDROP, and TRUNCATE of a table or of its error table."""

from collections.abc import Iterator

from firnline_local.snowflake.catalog import (
    AuthenticationPolicy,
    CatalogObject,
    ExternalVolume,
    NetworkPolicy,
    NetworkRule,
    Pipe,
    Table,
    User,
    kinds,
)
from firnline_local.snowflake.catalog.authentication import find_rule, network_policy_of
from firnline_local.snowflake.catalog.errors import CompilationFault, InsufficientPrivileges, InUse
from firnline_local.snowflake.catalog.names import display
from firnline_local.snowflake.catalog.objects import SYSTEM_ROLES
from firnline_local.snowflake.sql.result import Result, done, status
from firnline_local.snowflake.sql.scope import NAMED, Context, checked_variety, find_named
from firnline_local.snowflake.sql.token_reader import TokenReader

RULE_LISTS = ("ALLOWED_NETWORK_RULE_LIST", "BLOCKED_NETWORK_RULE_LIST")
UNDROPPABLE = ("DATABASE", "SCHEMA", "TABLE", "ICEBERG TABLE", "INTERACTIVE TABLE")


def refuse_in_use(context: Context, found: CatalogObject) -> None:
    """Raises InUse where another object relies on this one."""
    users = [user.full_name for user in context.account.walk() if _relies(context, user, found)]
    if users:
        raise InUse(found.kind.name, found.full_name, ", ".join(users))


def _relies(context: Context, user: CatalogObject, found: CatalogObject) -> bool:
    match found, user:
        case ExternalVolume(), Table():
            return user.iceberg is not None and user.iceberg.external_volume is found
        case NetworkPolicy(), User():
            return network_policy_of(user, context.catalog.directory) is found
        case AuthenticationPolicy(), User():
            return user.authentication_policy is found
        case NetworkRule(), NetworkPolicy():
            return found in _rules(context, user)
        case _:
            return False


def _rules(context: Context, policy: NetworkPolicy) -> Iterator[NetworkRule | None]:
    return (find_rule(context.catalog.directory, name) for key in RULE_LISTS for name in policy.listed(key))


def drop(context: Context, reader: TokenReader) -> Result:
    kind = reader.choose(NAMED, after="DROP")
    optional = reader.accept("IF EXISTS")
    names = reader.name()
    reader.accept_one("CASCADE", "RESTRICT")
    reader.end()
    shown = display(names[-1])
    if optional and context.look_up(NAMED[kind].kind, names) is None:
        return status(f"Drop statement executed successfully ({shown} already dropped).")
    found = find_named(context, kind, names)
    if isinstance(found, Pipe) and found.is_default:
        raise CompilationFault(f"The default pipe {found.full_name} can't be dropped.")
    if found.container is context.account and found.name in SYSTEM_ROLES and found.kind.name == "ROLE":
        raise InsufficientPrivileges("role", shown)
    context.require_ownership(found)
    refuse_in_use(context, found)
    context.catalog.directory.drop(found, heir=context.role)
    return status(f"{shown} successfully dropped.")


def undrop(context: Context, reader: TokenReader) -> Result:
    word = reader.choose(UNDROPPABLE, after="UNDROP")
    made = NAMED[word]
    names = reader.name()
    reader.end()
    container = context.container(made.kind, names)
    found = context.catalog.directory.undrop(made.kind, container, names[-1])
    checked_variety(word, found)
    if not context.may("OWNERSHIP", found):
        context.catalog.directory.drop(found)
        raise InsufficientPrivileges(made.kind.name, display(names[-1]))
    return status(f"{made.kind.name.capitalize()} {display(names[-1])} successfully restored.")


def truncate(context: Context, reader: TokenReader) -> Result:
    if reader.accept("ERROR_TABLE ("):
        table = context.readable_table(reader.name(), privilege="OWNERSHIP")
        reader.expect(")")
        reader.end()
        if not table.error_logging:
            raise CompilationFault(f"Error logging is not turned on for table '{table.full_name}'.")
        context.catalog.store.truncate_errors(table)
        return done()
    reader.accept("TABLE")
    optional = reader.accept("IF EXISTS")
    names = reader.name()
    reader.end()
    if optional and context.look_up(kinds.TABLE, names) is None:
        return done()
    context.catalog.store.truncate(context.readable_table(names, privilege="TRUNCATE"))
    return done()
