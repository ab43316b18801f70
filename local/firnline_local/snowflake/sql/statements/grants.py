"""GRANT and REVOKE (privileges, their grant options, ownership, roles), SHOW GRANTS ON, TO and OF, and SHOW FUTURE GRANTS.

Revoking what no role holds is not an error.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from firnline_local.snowflake.catalog import CatalogObject, Role, Table, User, kinds
from firnline_local.snowflake.catalog.errors import CompilationFault, InsufficientPrivileges, NotKnown, SqlError
from firnline_local.snowflake.catalog.grants import OWNERSHIP, FutureGrant, Grant, RoleGrant
from firnline_local.snowflake.catalog.kinds import KINDS, ObjectKind
from firnline_local.snowflake.catalog.names import display
from firnline_local.snowflake.sql.result import MOMENT, Result, done, listing
from firnline_local.snowflake.sql.scope import NAMED, Context, find_securable, read_container
from firnline_local.snowflake.sql.token_reader import TokenReader

PLURALS = {
    **{kind.plural: (kind, kind.name) for kind in KINDS.values()},
    **{f"{variety}S": (kinds.TABLE, variety) for variety in kinds.TABLE_VARIETIES},
}
WITH_ARGUMENTS = ("FUNCTION", "PROCEDURE")


@dataclass(frozen=True, slots=True)
class GrantTarget:
    """Objects that exist, or those that will come to exist in a container."""

    kind: ObjectKind
    objects: tuple[CatalogObject, ...] = ()
    future_in: CatalogObject | None = None

    def check(self, privileges: list[str]) -> list[str]:
        """ALL PRIVILEGES spelt out. Raises NotKnown for what can't be granted on the kind."""
        others = {*kinds.OF_DYNAMIC_TABLES} if self.kind is kinds.TABLE and not self._are_dynamic else set()
        if privileges in (["ALL"], ["ALL PRIVILEGES"]):
            return sorted(self.kind.privileges - others)
        for privilege in privileges:
            if privilege not in self.kind.privileges - others and privilege != "OWNERSHIP":
                raise NotKnown(f"the privilege {privilege} on a {self.kind.name}")
        return privileges

    @property
    def _are_dynamic(self) -> bool:
        return all(isinstance(found, Table) and found.dynamic is not None for found in self.objects)


def read_target(context: Context, reader: TokenReader) -> GrantTarget:
    """Reads what follows ON: `TABLE t`, `ALL TABLES IN SCHEMA s`, `FUTURE TABLES IN DATABASE d`."""
    if reader.accept("ACCOUNT"):
        return GrantTarget(kinds.ACCOUNT, (context.account,))
    quantity = reader.accept_one("ALL", "FUTURE")
    if quantity is None:
        word = reader.choose(NAMED, after="grants on")
        return GrantTarget(NAMED[word].kind, (find_securable(context, word, _securable_name(reader, word)),))
    plural = reader.choose(PLURALS, after=f"grants on {quantity}")
    (kind, word), container = PLURALS[plural], read_container(context, reader)
    if quantity == "FUTURE" and word != kind.name:
        raise NotKnown(f"grants on FUTURE {plural}: grant on FUTURE {kind.plural}")
    if quantity == "FUTURE":
        return GrantTarget(kind, future_in=container)
    inside = (found for found in container.walk() if found.kind is kind and found is not container)
    return GrantTarget(kind, tuple(found for found in inside if word in (kind.name, getattr(found, "variety", ""))))


class DependentGrants(SqlError):
    code = "003036"
    sql_state = "42601"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"SQL execution error:\nDependent grants on securable '{name}' exist. They must be revoked first, or the "
            f"ownership be granted with COPY CURRENT GRANTS or REVOKE CURRENT GRANTS."
        )


def _securable_name(reader: TokenReader, word: str) -> tuple[str, ...]:
    """Reads the name; that of a function or procedure has the types of its arguments behind it."""
    names = reader.name()
    if word in WITH_ARGUMENTS:
        reader.parenthesised()
    return names


def grant(context: Context, reader: TokenReader) -> Result:
    if reader.accept("ROLE"):
        return _grant_role(context, reader)
    privileges = read_privileges(reader)
    target = read_target(context, reader)
    privileges = target.check(privileges)
    role = read_grantee(context, reader)
    if privileges == [OWNERSHIP]:
        _grant_ownership(context, reader, target, role)
    else:
        with_option = reader.accept("WITH GRANT OPTION")
        reader.end()
        for privilege in privileges:
            _grant_privilege(context, privilege, target, role, grant_option=with_option)
    return done()


def read_privileges(reader: TokenReader) -> list[str]:
    """`SELECT, EVOLVE SCHEMA ON`"""
    privileges = [reader.word()]
    while not reader.accept("ON"):
        if reader.accept(","):
            privileges.append(reader.word())
        else:
            privileges[-1] += f" {reader.word()}"
    return privileges


def read_grantee(context: Context, reader: TokenReader, preposition: str = "TO") -> Role:
    reader.expect(preposition)
    if reader.accept_one("DATABASE ROLE", "SHARE", "APPLICATION", "USER"):
        raise NotKnown("grants to anything but an account role")
    reader.accept("ROLE")
    return context.find(Role, reader.name())


def require_right_to_grant(context: Context, privilege: str, on: CatalogObject) -> None:
    if not context.catalog.grants.may_grant(context.role, privilege, on):
        raise InsufficientPrivileges(on.kind.name, display(on.name))


def _grant_privilege(context: Context, privilege: str, target: GrantTarget, role: Role, *, grant_option: bool) -> None:
    grants = context.catalog.grants
    if target.future_in is not None:
        require_right_to_grant(context, privilege, target.future_in)
        grants.allow_future(
            FutureGrant(
                privilege=privilege,
                kind=target.kind,
                inside=target.future_in,
                to=role,
                grant_option=grant_option,
                created_on=context.now,
            )
        )
    for found in target.objects:
        require_right_to_grant(context, privilege, found)
        grants.allow(
            Grant(
                privilege=privilege,
                on=found,
                to=role,
                grant_option=grant_option,
                granted_by=found.owner_name or context.role.name,
                created_on=context.now,
            )
        )


def _grant_ownership(context: Context, reader: TokenReader, target: GrantTarget, role: Role) -> None:
    outbound = reader.accept_one("COPY CURRENT GRANTS", "REVOKE CURRENT GRANTS")
    reader.end()
    if target.future_in is not None:
        _grant_privilege(context, OWNERSHIP, target, role, grant_option=True)
    for found in target.objects:
        if not (context.may(OWNERSHIP, found) or context.catalog.grants.manages_grants(context.role, found)):
            raise InsufficientPrivileges(found.kind.name, display(found.name))
        if outbound is None and context.catalog.grants.on(found):
            raise DependentGrants(found.full_name)
        if outbound == "REVOKE CURRENT GRANTS":
            context.catalog.grants.revoke_all(found)
        found.owner = role
        context.catalog.grants.hand_over(found, role)


def _grant_role(context: Context, reader: TokenReader) -> Result:
    role = context.find(Role, reader.name())
    reader.expect("TO")
    holder = read_holder(context, reader)
    reader.end()
    require_right_to_grant(context, "USAGE", role)
    if isinstance(holder, Role) and holder in context.catalog.grants.effective(role):
        raise CompilationFault(f"Role '{role.name}' can't be granted to '{holder.name}', which it already holds.")
    context.catalog.grants.give_role(
        RoleGrant(role=role, to=holder, granted_by=context.role.name, created_on=context.now)
    )
    return done()


def read_holder(context: Context, reader: TokenReader) -> Role | User:
    match reader.accept_one("ROLE", "USER"):
        case "ROLE":
            return context.find(Role, reader.name())
        case "USER":
            return _user(context, reader)
        case _:
            raise reader.unexpected()


def _user(context: Context, reader: TokenReader) -> User:
    """A role that manages grants may name a user that it does not see."""
    names = reader.name()
    found = context.catalog.directory.find(User.kind, context.path(User.kind, names))
    return found if isinstance(found, User) else context.find(User, names)


def revoke(context: Context, reader: TokenReader) -> Result:
    if reader.accept("ROLE"):
        return _revoke_role(context, reader)
    only_option = reader.accept("GRANT OPTION FOR")
    privileges = read_privileges(reader)
    target = read_target(context, reader)
    privileges = target.check(privileges)
    role = read_grantee(context, reader, "FROM")
    reader.accept_one("CASCADE", "RESTRICT")
    reader.end()
    for privilege in privileges:
        _revoke(context, privilege, target, role, only_option=only_option)
    return done()


def _revoke(context: Context, privilege: str, target: GrantTarget, role: Role, *, only_option: bool) -> None:
    grants = context.catalog.grants
    if target.future_in is not None:
        require_right_to_grant(context, privilege, target.future_in)
        grants.revoke_future(privilege, target.kind, target.future_in, role)
        return
    if privilege == OWNERSHIP:
        raise CompilationFault("OWNERSHIP can't be revoked: grant it to another role.")
    for found in target.objects:
        require_right_to_grant(context, privilege, found)
        held = [grant for grant in grants.on(found) if grant.privilege == privilege and grant.to is role]
        grants.revoke(privilege, found, role)
        for grant in held if only_option else ():
            grants.allow(replace(grant, grant_option=False))


def _revoke_role(context: Context, reader: TokenReader) -> Result:
    role = context.find(Role, reader.name())
    reader.expect("FROM")
    holder = read_holder(context, reader)
    reader.end()
    require_right_to_grant(context, "USAGE", role)
    context.catalog.grants.take_role(role, holder)
    return done()


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
            raise NotKnown("SHOW GRANTS without ON, TO or OF")


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
        target = find_securable(context, kind, _securable_name(reader, kind))
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
    """Returns what `granted_on` says: a table by its variety, which the stock provider compares with its input, and a volume
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
