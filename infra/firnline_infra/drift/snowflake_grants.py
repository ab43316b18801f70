"""Rights in Snowflake that the blueprint does not give: to the two roles, on them, and to their users.

The provider compares each grant that it made; one beside them is seen by nobody else. A grant that is missing is a finding of
the stack's comparison.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, TypeVar

from firnline_infra.blueprint.snowflake import SnowflakeObjects, SnowflakeRole, SnowflakeUser
from firnline_infra.drift.context import DriftContext, shown
from firnline_infra.drift.errors import OutOfSight
from firnline_infra.observe import NOTHING, Check, Finding
from firnline_infra.observe.grants import grants_to_role, holders_of
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_ingest.permissions.snowflake import OWNERSHIP

ROLE, USER = "snowflake account role", "snowflake service user"
Grant = tuple[str, tuple[str, ...]]
"""Privilege, and the parts of the object's name. Which word SHOW has for its kind has changed with Snowflake's releases
(behaviour change 2371)."""
T = TypeVar("T")


def checks(context: DriftContext) -> Iterator[Check]:
    landing, session = context.blueprint.landing, context.session
    for role in landing.roles:
        yield Check(
            rule="right", name=f"the grants of {ROLE} {role.name}", run=partial(of_role, landing, role, session)
        )
    for user in landing.users:
        yield Check(rule="right", name=f"the roles of {USER} {user.name}", run=partial(of_user, landing, user, session))


def of_role(landing: SnowflakeObjects, role: SnowflakeRole, session: Any) -> Iterator[Finding]:
    """Raises OutOfSight or SnowflakeRefused."""
    given, owned = _given(landing, role.name), _owned(landing, role.name)
    for grant in _seen(grants_to_role(session, role.name), role):
        if grant.privilege == OWNERSHIP and any(_is_inside(grant.name, table) for table in owned):
            continue  # a table's pipe goes with it
        on = f"{grant.kind} {grant.shown_name}"
        path, by = f"{grant.privilege} on {on}", _by(grant.granted_by)
        if (grant.privilege, grant.name) not in given:
            what = f"ROLE {grant.shown_name}" if grant.kind == "ROLE" else f"{grant.privilege} ON {on}"
            yield _finding(ROLE, role.name, path, by, f"REVOKE {what} FROM ROLE {role.name.sql}")
        elif grant.is_grantable:
            revoke = f"REVOKE GRANT OPTION FOR {grant.privilege} ON {on} FROM ROLE {role.name.sql}"
            yield _finding(ROLE, role.name, f"{path} with grant option", by, revoke)
    for row in shown(session, f"SHOW FUTURE GRANTS TO ROLE {role.name.sql}", ROLE, role.name.name):
        revoke = f"REVOKE {row['privilege']} ON FUTURE … FROM ROLE {role.name.sql}"
        yield _finding(ROLE, role.name, f"future {row['privilege']} on {row['name']}", "granted", revoke)
    own = set(_holders(landing, role.name))
    for (kind, name), by in _seen(holders_of(session, role.name), role).items():
        if (kind, name) not in own:
            revoke = f"REVOKE ROLE {role.name.sql} FROM {kind} {Identifier(name).sql}"
            yield _finding(ROLE, role.name, f"granted to {kind.lower()} {name}", _by(by), revoke)


def _seen(found: T | None, role: SnowflakeRole) -> T:
    if found is None:
        raise OutOfSight(ROLE, role.name.name)
    return found


def of_user(landing: SnowflakeObjects, user: SnowflakeUser, session: Any) -> Iterator[Finding]:
    """Roles of the user's that are not the environment's; one of ours is a finding of the role. Raises SnowflakeRefused."""
    own = {role.name.name for role in landing.roles}
    for row in shown(session, f"SHOW GRANTS TO USER {user.name.sql}", USER, user.name.name):
        if row["role"] not in own:
            revoke = f"REVOKE ROLE {Identifier(row['role']).sql} FROM USER {user.name.sql}"
            yield _finding(USER, user.name, f"role {row['role']}", _by(str(row.get("granted_by") or "")), revoke)


def _given(landing: SnowflakeObjects, role: Identifier) -> set[Grant]:
    return {
        (privilege, _parts(grant.name))
        for grant in landing.grants
        if grant.role == role
        for privilege in grant.privileges
    }


def _owned(landing: SnowflakeObjects, role: Identifier) -> list[tuple[str, ...]]:
    return [_parts(each.name) for each in landing.ownerships if each.role == role]


def _is_inside(name: tuple[str, ...], table: tuple[str, ...]) -> bool:
    return name == table or (name[:-1] == table[:-1] and name[-1] == f"{table[-1]}-STREAMING")


def _holders(landing: SnowflakeObjects, role: Identifier) -> Iterator[tuple[str, str]]:
    for grant in landing.role_grants:
        if grant.role == role and grant.user is not None:
            yield "USER", grant.user.name
        if grant.role == role and grant.to_role is not None:
            yield "ROLE", grant.to_role.name


def _parts(name: QualifiedName) -> tuple[str, ...]:
    return tuple(part.name for part in name.parts)


def _by(grantor: str) -> str:
    return f"granted by {grantor}" if grantor else "granted"


def _finding(kind: str, name: Identifier, path: str, found: str, revoke: str) -> Finding:
    return Finding(
        kind=kind,
        name=name.name,
        path=path,
        expected=NOTHING,
        found=found,
        next_step=f"find out who gave it and why; then {revoke}",
    )
