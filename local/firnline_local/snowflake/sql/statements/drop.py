"""DROP and UNDROP."""

from firnline_local.snowflake.catalog import Pipe
from firnline_local.snowflake.catalog.errors import CompilationFault, InsufficientPrivileges, NotKnown
from firnline_local.snowflake.catalog.names import display
from firnline_local.snowflake.catalog.roles import SYSTEM_ROLES
from firnline_local.snowflake.sql.result import Result, status
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.statements.in_use import refuse_in_use
from firnline_local.snowflake.sql.statements.named import NAMED, checked_variety, find_named
from firnline_local.snowflake.sql.words import Words

UNDROPPABLE = ("DATABASE", "SCHEMA", "TABLE", "ICEBERG TABLE", "INTERACTIVE TABLE")


def drop(context: Context, words: Words) -> Result:
    kind = _kind(words, tuple(NAMED), "DROP")
    optional = words.accept("IF EXISTS")
    names = words.name()
    words.accept_one("CASCADE", "RESTRICT")
    words.end()
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


def undrop(context: Context, words: Words) -> Result:
    word = _kind(words, UNDROPPABLE, "UNDROP")
    made = NAMED[word]
    names = words.name()
    words.end()
    container = context.container(made.kind, names)
    found = context.catalog.directory.undrop(made.kind, container, names[-1])
    checked_variety(word, found)
    if not context.may("OWNERSHIP", found):
        context.catalog.directory.drop(found)
        raise InsufficientPrivileges(made.kind.name, display(names[-1]))
    return status(f"{made.kind.name.capitalize()} {display(names[-1])} successfully restored.")


def _kind(words: Words, known: tuple[str, ...], verb: str) -> str:
    kind = words.accept_one(*known)
    if kind is None:
        raise NotKnown(f"{verb} {words.rest()[:40]}")
    return kind
