"""SHOW GRANTS ON, TO and OF, and SHOW FUTURE GRANTS."""

from collections.abc import Iterator
from typing import Any

from firnline_local.snowflake.catalog import CatalogObject, Role, Table, User, kinds
from firnline_local.snowflake.catalog.grants import FutureGrant, Grant, RoleGrant
from firnline_local.snowflake.catalog.names import display
from firnline_local.snowflake.sql.result import MOMENT, Result, listing
from firnline_local.snowflake.sql.scope import NAMED, Context, find_securable, read_container
from firnline_local.snowflake.sql.token_reader import TokenReader

CREATED_ON = ("created_on", MOMENT)
GRANT_COLUMNS = (
    CREATED_ON, "privilege", "granted_on", "name", "granted_to", "grantee_name", "grant_option", "granted_by",
)  # fmt: skip # a paragraph, not a column
FUTURE_COLUMNS = (CREATED_ON, "privilege", "grant_on", "name", "grant_to", "grantee_name", "grant_option")
ROLE_COLUMNS = (CREATED_ON, "role", "granted_to", "grantee_name", "granted_by")


def show_grants(context: Context, reader: TokenReader) -> Result:
    match reader.accept_one("ON", "TO", "OF"):
        case "ON":
            return _on(context, reader)
        case "TO":
            return _to(context, reader)
        case "OF":
            reader.expect("ROLE")
            role = context.find(Role, reader.name())
            reader.end()
            return listing(ROLE_COLUMNS, map(_role_row, context.catalog.grants.holders(role)))
        case _:
            reader.end()
            return listing(ROLE_COLUMNS, map(_role_row, context.catalog.grants.roles_of(context.session.user)))


def show_future_grants(context: Context, reader: TokenReader) -> Result:
    if reader.accept("TO"):
        reader.accept("ROLE")
        role = context.find(Role, reader.name())
        found = [grant for place in context.account.walk() for grant in context.catalog.grants.future_in(place)]
        found = [grant for grant in found if grant.to is role]
    else:
        found = context.catalog.grants.future_in(read_container(context, reader))
    reader.end()
    return listing(FUTURE_COLUMNS, map(_future_row, found))


def _on(context: Context, reader: TokenReader) -> Result:
    target: CatalogObject = context.account
    if not reader.accept("ACCOUNT"):
        kind = reader.choose(NAMED, after="SHOW GRANTS ON")
        target = find_securable(context, kind, reader.name())
    reader.end()
    grants = sorted(context.catalog.grants.on(target), key=lambda grant: (grant.privilege, grant.to.name))
    owner = [] if target is context.account else list(_ownership(target))
    return listing(GRANT_COLUMNS, [*owner, *map(_grant_row, grants)])


def _to(context: Context, reader: TokenReader) -> Result:
    grants = context.catalog.grants
    if reader.accept("USER"):
        user = context.find(User, reader.name())
        reader.end()
        return listing(ROLE_COLUMNS, map(_role_row, grants.roles_of(user)))
    reader.accept("ROLE")
    role = context.find(Role, reader.name())
    reader.end()
    owned = [row for found in context.account.walk() if found.owner is role for row in _ownership(found)]
    held = [
        (grant.created_on, "USAGE", "ROLE", display(grant.role.name), "ROLE", role.name, "false", grant.granted_by)
        for grant in grants.roles_of(role)
    ]
    there = {found.id for found in context.account.walk()}
    given = sorted(
        (grant for grant in grants.to(role) if grant.on.id in there),  # what was dropped keeps its grants, for UNDROP
        key=lambda grant: (grant.on.full_name, grant.privilege),
    )
    return listing(GRANT_COLUMNS, [*map(_grant_row, given), *owned, *held])


def _ownership(found: CatalogObject) -> Iterator[tuple[Any, ...]]:
    if found.owner is not None and found.kind is not kinds.ACCOUNT:
        name = found.owner.name
        yield found.created_on, "OWNERSHIP", called(found), found.full_name, "ROLE", name, "true", name


def called(found: CatalogObject) -> str:
    """What `granted_on` says: a table by its variety, which the stock provider compares with what it was told, and a volume
    as that provider expects it (pkg/sdk/grants.go).
    """
    if found.kind is kinds.EXTERNAL_VOLUME:
        return "VOLUME"
    return found.variety if isinstance(found, Table) else found.kind.name


def _grant_row(grant: Grant) -> tuple[Any, ...]:
    on = grant.on
    return (
        grant.created_on,
        grant.privilege,
        called(on),
        on.full_name,
        "ROLE",
        grant.to.name,
        grant.grant_option,
        grant.granted_by,
    )


def _future_row(grant: FutureGrant) -> tuple[Any, ...]:
    name = f"{grant.inside.full_name}.<{grant.kind.name}>"
    return grant.created_on, grant.privilege, grant.kind.name, name, "ROLE", grant.to.name, grant.grant_option


def _role_row(grant: RoleGrant) -> tuple[Any, ...]:
    return grant.created_on, grant.role.name, grant.to.kind.name, grant.to.name, grant.granted_by
