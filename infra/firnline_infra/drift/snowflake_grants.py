"""Rights in Snowflake that the blueprint does not give: to the two roles, on them, and to their users.

The provider compares each grant that it made; one beside them is seen by nobody else. A grant that is missing is a finding of
the stack's comparison.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from firnline_infra.blueprint.snowflake import Role, SnowflakeObjects, User
from firnline_infra.drift.context import DriftContext, shown
from firnline_infra.observe import NOTHING, Check, Finding
from firnline_infra.specification.identifier import Identifier, QualifiedName

ROLE, USER = "snowflake account role", "snowflake service user"
Grant = tuple[str, tuple[str, ...]]
"""Privilege, and the parts of the object's name. Which word SHOW has for its kind has changed with Snowflake's releases
(behaviour change 2371)."""


def checks(context: DriftContext) -> Iterator[Check]:
    landing, session = context.blueprint.landing, context.session
    for role in landing.roles:
        yield Check(
            rule="right", name=f"the grants of {ROLE} {role.name}", run=partial(of_role, landing, role, session)
        )
    for user in landing.users:
        yield Check(rule="right", name=f"the roles of {USER} {user.name}", run=partial(of_user, landing, user, session))


def of_role(landing: SnowflakeObjects, role: Role, session: Any) -> Iterator[Finding]:
    """Raises SnowflakeRefused."""
    given, owned = _given(landing, role.name), _owned(landing, role.name)
    for row in shown(session, f"SHOW GRANTS TO ROLE {role.name.sql}", ROLE, role.name.name):
        privilege, name = row["privilege"], parts_of(row["name"])
        if privilege == "OWNERSHIP" and any(_is_inside(name, table) for table in owned):
            continue  # a table's pipe goes with it
        if (privilege, name) not in given:
            on = f"{row['granted_on'].replace('_', ' ')} {row['name']}"
            revoke = f"REVOKE {privilege} ON {on} FROM ROLE {role.name.sql}"
            if row["granted_on"] == "ROLE":
                revoke = f"REVOKE ROLE {row['name']} FROM ROLE {role.name.sql}"
            yield _finding(ROLE, role.name, f"{privilege} on {on}", _by(row), revoke)
        elif str(row["grant_option"]).lower() == "true":
            on = f"{row['granted_on'].replace('_', ' ')} {row['name']}"
            revoke = f"REVOKE GRANT OPTION FOR {privilege} ON {on} FROM ROLE {role.name.sql}"
            yield _finding(ROLE, role.name, f"{privilege} on {on} with grant option", _by(row), revoke)
    for row in shown(session, f"SHOW FUTURE GRANTS TO ROLE {role.name.sql}", ROLE, role.name.name):
        revoke = f"REVOKE {row['privilege']} ON FUTURE … FROM ROLE {role.name.sql}"
        yield _finding(ROLE, role.name, f"future {row['privilege']} on {row['name']}", "granted", revoke)
    holders = {(whom, name) for whom, name in _holders(landing, role.name)}
    for row in shown(session, f"SHOW GRANTS OF ROLE {role.name.sql}", ROLE, role.name.name):
        if (row["granted_to"], row["grantee_name"]) not in holders:
            whom = f"{row['granted_to']} {Identifier(row['grantee_name']).sql}"
            revoke = f"REVOKE ROLE {role.name.sql} FROM {whom}"
            yield _finding(
                ROLE, role.name, f"granted to {row['granted_to'].lower()} {row['grantee_name']}", _by(row), revoke
            )


def of_user(landing: SnowflakeObjects, user: User, session: Any) -> Iterator[Finding]:
    """Roles of the user's that are not the environment's; one of ours is a finding of the role. Raises SnowflakeRefused."""
    own = {role.name.name for role in landing.roles}
    for row in shown(session, f"SHOW GRANTS TO USER {user.name.sql}", USER, user.name.name):
        if row["role"] not in own:
            revoke = f"REVOKE ROLE {Identifier(row['role']).sql} FROM USER {user.name.sql}"
            yield _finding(USER, user.name, f"role {row['role']}", _by(row), revoke)


def parts_of(name: str) -> tuple[str, ...]:
    """Of a name as SHOW writes it, which quotes a part only where it has to; a pipe's or a function's may have more."""
    found = re.findall(r'"((?:[^"]|"")*)"|([^."]+)', name)
    return tuple(quoted.replace('""', '"') if quoted else plain for quoted, plain in found)


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


def _by(row: dict[str, Any]) -> str:
    return f"granted by {row['granted_by']}" if row.get("granted_by") else "granted"


def _finding(kind: str, name: Identifier, path: str, found: str, revoke: str) -> Finding:
    return Finding(
        kind=kind,
        name=name.name,
        path=path,
        expected=NOTHING,
        found=found,
        next_step=f"find out who gave it and why; then {revoke}",
    )
