"""GRANT: privileges, ownership, roles."""

from firnline_local.snowflake.catalog import CatalogObject, Role, User
from firnline_local.snowflake.catalog.errors import CompilationFault, InsufficientPrivileges, NotKnown, SqlError
from firnline_local.snowflake.catalog.grants import OWNERSHIP, FutureGrant, Grant, RoleGrant
from firnline_local.snowflake.catalog.names import display
from firnline_local.snowflake.sql.result import Result, status
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.statements.target import Target, read_target
from firnline_local.snowflake.sql.words import Words

DONE = "Statement executed successfully."


class DependentGrants(SqlError):
    code = "003036"
    sql_state = "42601"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"SQL execution error:\nDependent grants on securable '{name}' exist. They must be revoked first, or the "
            f"ownership be granted with COPY CURRENT GRANTS or REVOKE CURRENT GRANTS."
        )


def grant(context: Context, words: Words) -> Result:
    if words.accept("ROLE"):
        return _grant_role(context, words)
    privileges = read_privileges(words)
    target = read_target(context, words)
    privileges = target.check(privileges)
    role = read_grantee(context, words)
    if privileges == [OWNERSHIP]:
        _grant_ownership(context, words, target, role)
    else:
        with_option = words.accept("WITH GRANT OPTION")
        words.end()
        for privilege in privileges:
            _grant_privilege(context, privilege, target, role, grant_option=with_option)
    return status(DONE)


def read_privileges(words: Words) -> list[str]:
    """`SELECT, EVOLVE SCHEMA ON`"""
    privileges = [words.word()]
    while not words.accept("ON"):
        if words.accept(","):
            privileges.append(words.word())
        else:
            privileges[-1] += f" {words.word()}"
    return privileges


def read_grantee(context: Context, words: Words, preposition: str = "TO") -> Role:
    words.expect(preposition)
    if words.accept_one("DATABASE ROLE", "SHARE", "APPLICATION", "USER"):
        raise NotKnown("grants to anything but an account role")
    words.accept("ROLE")
    return context.find(Role, words.name())


def require_right_to_grant(context: Context, privilege: str, on: CatalogObject) -> None:
    if not context.catalog.grants.may_grant(context.role, privilege, on):
        raise InsufficientPrivileges(on.kind.name, display(on.name))


def _grant_privilege(context: Context, privilege: str, target: Target, role: Role, *, grant_option: bool) -> None:
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


def _grant_ownership(context: Context, words: Words, target: Target, role: Role) -> None:
    outbound = words.accept_one("COPY CURRENT GRANTS", "REVOKE CURRENT GRANTS")
    words.end()
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


def _grant_role(context: Context, words: Words) -> Result:
    role = context.find(Role, words.name())
    words.expect("TO")
    holder = read_holder(context, words)
    words.end()
    require_right_to_grant(context, "USAGE", role)
    if isinstance(holder, Role) and holder in context.catalog.grants.effective(role):
        raise CompilationFault(f"Role '{role.name}' can't be granted to '{holder.name}', which it already holds.")
    context.catalog.grants.give_role(
        RoleGrant(role=role, to=holder, granted_by=context.role.name, created_on=context.now)
    )
    return status(DONE)


def read_holder(context: Context, words: Words) -> Role | User:
    match words.accept_one("ROLE", "USER"):
        case "ROLE":
            return context.find(Role, words.name())
        case "USER":
            return _user(context, words)
        case _:
            raise words.unexpected()


def _user(context: Context, words: Words) -> User:
    """A user may be named by whoever manages grants, even where their role sees nothing of it."""
    names = words.name()
    found = context.catalog.directory.find(User.kind, context.path(User.kind, names))
    return found if isinstance(found, User) else context.find(User, names)
