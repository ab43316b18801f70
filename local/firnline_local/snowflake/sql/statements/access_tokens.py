"""ALTER USER … ADD and REMOVE PROGRAMMATIC ACCESS TOKEN, with what a service user has to have before it may hold one.

The rules are of docs.snowflake.com, `sql-reference/sql/alter-user-add-programmatic-access-token` and
`user-guide/programmatic-access-tokens` (2026-11-29). MODIFY and ROTATE are not known here, nor is PAT_POLICY of an
authentication policy, which may lift either rule.
"""

from firnline_local.snowflake.catalog import CatalogObject, Role, User
from firnline_local.snowflake.catalog.authentication import network_policy_of
from firnline_local.snowflake.catalog.errors import CompilationFault
from firnline_local.snowflake.catalog.names import display, read_name
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.token_reader import TokenReader

MANAGE_KEYS = "MODIFY PROGRAMMATIC AUTHENTICATION METHODS"
SERVICES = {"SERVICE", "LEGACY_SERVICE"}
CHANGES = tuple(f"{change} {what}" for change in ("ADD", "REMOVE") for what in ("PROGRAMMATIC ACCESS TOKEN", "PAT"))
OPTIONS = {
    "ROLE_RESTRICTION": TokenReader.string,
    "DAYS_TO_EXPIRY": TokenReader.integer,
    "COMMENT": TokenReader.string,
}


def alter_access_tokens(context: Context, reader: TokenReader, found: CatalogObject) -> None:
    assert isinstance(found, User)
    change = reader.choose(CHANGES, after="ALTER USER")
    context.require(MANAGE_KEYS, found)
    if change.startswith("ADD"):
        _add(context, reader, found)
    else:
        _remove(reader, found)


def _add(context: Context, reader: TokenReader, user: User) -> None:
    optional = reader.accept("IF NOT EXISTS")
    name = reader.identifier()
    options = reader.options(OPTIONS, of="a programmatic access token")
    if name in user.access_tokens:
        if optional:
            return
        raise CompilationFault(f"Programmatic access token {display(name)} already exists.")
    restriction = options.get("ROLE_RESTRICTION")
    if user.type in SERVICES:
        if restriction is None:
            raise CompilationFault("ROLE_RESTRICTION is required for a programmatic access token of a service user.")
        if network_policy_of(user, context.catalog.directory) is None:
            raise CompilationFault(
                f"A network policy is required for a programmatic access token of the service user {display(user.name)}."
            )
    if restriction is not None:
        _require_role(context, user, restriction)
    user.access_tokens.add(name)


def _require_role(context: Context, user: User, restriction: str) -> None:
    role = context.find(Role, read_name(restriction))
    if all(grant.role is not role for grant in context.catalog.grants.roles_of(user)):
        raise CompilationFault(f"Role {display(role.name)} is not granted to user {display(user.name)}.")


def _remove(reader: TokenReader, user: User) -> None:
    optional = reader.accept("IF EXISTS")
    name = reader.identifier()
    if name not in user.access_tokens and not optional:
        raise CompilationFault(f"Programmatic access token {display(name)} does not exist or not authorized.")
    user.access_tokens.discard(name)
