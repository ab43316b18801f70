"""Rights in Snowflake that nobody's blueprint gives: to the environment's roles, on them, and to their users.

The provider compares each grant that it made; one beside them is invisible to it. A grant that is missing is a finding of the
stack's comparison.
"""

from collections.abc import Iterator

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.account_privileges import account_privileges
from firnline_infra.blueprint.snowflake import SnowflakeObjects, SnowflakeRole
from firnline_infra.kinds.comparison import Difference, Subject
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_ingest.identifiers import like_pattern
from firnline_ingest.permissions.snowflake import OWNERSHIP
from firnline_ingest.snowflake.grants import ListedGrant

Grant = tuple[str, tuple[str, ...]]
"""Privilege, and the parts of the object's name. Which word SHOW has for its kind has changed with Snowflake's releases
(behaviour change 2371)."""

OWNERS_RIGHTS = {
    *("PROCEDURE", "FUNCTION", "VIEW", "DYNAMIC", "TASK", "ALERT", "STREAM"),
    *("SHARE", "INTEGRATION", "STREAMLIT", "NOTEBOOK", "SERVICE"),
}
"""Words of the kinds that run, read or hand on with the rights of the role that owns them. Of these an environment makes the
tables of latest rows alone."""


ADMINISTRATORS = ("ACCOUNTADMIN", "SECURITYADMIN", "USERADMIN")
"""Who runs the bootstrap's statements, or may hold what comes of them."""


def all_roles(blueprint: Blueprint) -> list[SnowflakeRole]:
    """The roles of engine and reader, and the two that the bootstrap makes."""
    names = blueprint.names
    return [*blueprint.landing.roles, *map(_named, (names.deploy_role, names.preview_role))]


def _named(name: Identifier) -> SnowflakeRole:
    return SnowflakeRole(name=name)


def given_to_role(subject: Subject) -> Iterator[Difference]:
    role, landing = subject.wanted.name, subject.blueprint.landing
    given, owned = set(_given(subject)), _owned(landing, role)
    is_deployer = role == subject.blueprint.names.deploy_role
    for grant in map(ListedGrant.of, subject.rows(f"SHOW GRANTS TO ROLE {role.sql}")):
        is_made = grant.name in [_parts(each.name) for each in landing.latest]
        if is_deployer and grant.privilege == OWNERSHIP and _acts_as_its_owner(grant) and not is_made:
            what = f"{grant.kind} {grant.shown_name}"
            by = "whoever may use it does so with this role's rights"
            yield Difference.unwanted(f"{OWNERSHIP} on {what}", by, f"DROP {what}")
            continue
        if grant.privilege == OWNERSHIP and (is_deployer or any(_is_inside(grant.name, table) for table in owned)):
            continue  # who deploys owns what it makes; a table's pipe goes with the table
        if is_deployer and _is_of_account(subject.blueprint, grant):
            continue
        on = f"{grant.kind} {grant.shown_name}"
        path, by = f"{grant.privilege} on {on}", _by(grant.granted_by)
        if (grant.privilege, grant.name) not in given:
            what = f"ROLE {grant.shown_name}" if grant.kind == "ROLE" else f"{grant.privilege} ON {on}"
            yield Difference.unwanted(path, by, f"REVOKE {what} FROM ROLE {role.sql}")
        elif grant.is_grantable and not is_deployer:
            revoke = f"REVOKE GRANT OPTION FOR {grant.privilege} ON {on} FROM ROLE {role.sql}"
            yield Difference.unwanted(f"{path} with grant option", by, revoke)
    for row in subject.rows(f"SHOW FUTURE GRANTS TO ROLE {role.sql}"):
        revoke = f"REVOKE {row['privilege']} ON FUTURE … FROM ROLE {role.sql}"
        yield Difference.unwanted(f"future {row['privilege']} on {row['name']}", "granted", revoke)


def owner_of_role(subject: Subject) -> Iterator[Difference]:
    """Finds who owns the role: they hand it to anybody. The bootstrap's two are an administrator's, the others the deployer's
    (docs.snowflake.com, `sql-reference/sql/show-roles`: column `owner`, 2026-11-28)."""
    role, deployer = subject.wanted.name, subject.blueprint.names.deploy_role
    shown = [row for row in subject.rows(f"SHOW ROLES LIKE {like_pattern(role.name)}") if row["name"] == role.name]
    if not shown or not shown[0].get("owner"):
        raise subject.out_of_sight("the owner")
    is_made = role in [each.name for each in subject.blueprint.landing.roles]
    owner, wanted = str(shown[0]["owner"]), deployer.name if is_made else "ACCOUNTADMIN"
    if owner not in {wanted, *(_asking_role(subject) if is_made else ADMINISTRATORS)}:
        back = f"GRANT OWNERSHIP ON ROLE {role.sql} TO ROLE {Identifier(wanted).sql} COPY CURRENT GRANTS"
        step = f"find out who gave it away and why; then, as {Identifier(owner)}: {back}"
        yield Difference(path="owner", expected=wanted, found=owner, next_step=step)


def _asking_role(subject: Subject) -> list[str]:
    """The role of whoever deploys as themselves."""
    (asking,) = subject.rows("SELECT CURRENT_ROLE() AS NAME")
    return [str(asking["name"])]


def holders_of_role(subject: Subject) -> Iterator[Difference]:
    """Finds who holds the role."""
    role, own = subject.wanted.name, set(_holders(subject))
    for row in subject.rows(f"SHOW GRANTS OF ROLE {role.sql}"):
        kind, name = str(row["granted_to"]), str(row["grantee_name"])
        if (kind, name) not in own:
            revoke = f"REVOKE ROLE {role.sql} FROM {kind} {Identifier(name).sql}"
            yield Difference.unwanted(
                f"granted to {kind.lower()} {name}", _by(str(row.get("granted_by") or "")), revoke
            )


def roles_of_user(subject: Subject) -> Iterator[Difference]:
    """Roles of the user's that are not the environment's; one of ours is a finding of the role."""
    user, own = subject.wanted.name, {role.name.name for role in subject.blueprint.landing.roles}
    for row in subject.rows(f"SHOW GRANTS TO USER {user.sql}"):
        if row["role"] not in own:
            revoke = f"REVOKE ROLE {Identifier(row['role']).sql} FROM USER {user.sql}"
            yield Difference.unwanted(f"role {row['role']}", _by(str(row.get("granted_by") or "")), revoke)


def _given(subject: Subject) -> Iterator[Grant]:
    role, blueprint = subject.wanted.name, subject.blueprint
    for grant in blueprint.landing.grants:
        if grant.role == role:
            yield from ((privilege, _parts(grant.name)) for privilege in grant.privileges)
    for held in blueprint.landing.role_grants:
        if held.to_role == role:
            yield "USAGE", (held.role.name,)
    if role == blueprint.names.deploy_role:
        for required in blueprint.required_grants:
            yield from ((privilege, _parts(required.name)) for privilege in required.privileges)


def _acts_as_its_owner(grant: ListedGrant) -> bool:
    """By a word of its kind, of which Snowflake has several: EXTERNAL FUNCTION, MATERIALIZED VIEW."""
    return not OWNERS_RIGHTS.isdisjoint(grant.kind.split())


def _is_of_account(blueprint: Blueprint, grant: ListedGrant) -> bool:
    return grant.kind == "ACCOUNT" and grant.privilege in account_privileges(blueprint)


def _owned(landing: SnowflakeObjects, role: Identifier) -> list[tuple[str, ...]]:
    return [_parts(each.name) for each in landing.ownerships if each.role == role]


def _is_inside(name: tuple[str, ...], table: tuple[str, ...]) -> bool:
    return name == table or (name[:-1] == table[:-1] and name[-1] == f"{table[-1]}-STREAMING")


def _holders(subject: Subject) -> Iterator[tuple[str, str]]:
    role, names = subject.wanted.name, subject.blueprint.names
    for grant in subject.blueprint.landing.role_grants:
        if grant.role == role and grant.user is not None:
            yield "USER", grant.user.name
        if grant.role == role and grant.to_role is not None:
            yield "ROLE", grant.to_role.name
    if role in (names.deploy_role, names.preview_role):
        yield "USER", role.name
        (asking,) = subject.rows("SELECT CURRENT_USER() AS NAME")
        yield "USER", str(asking["name"])  # a person who deploys as themselves knows that they do


def _parts(name: QualifiedName) -> tuple[str, ...]:
    return tuple(part.name for part in name.parts)


def _by(grantor: str) -> str:
    return f"granted by {grantor}" if grantor else "granted"
