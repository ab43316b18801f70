"""Grants: privileges on objects, roles in roles and users, and what future objects will be granted.

Everything hangs on objects, not on names. A role may do what it or any role it holds, directly or through others, was
granted; OWNERSHIP is every privilege; ACCOUNTADMIN may do everything, which a real account wouldn't let it do with
the objects of a role that is not granted to SYSADMIN.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from firnline_local.snowflake.catalog.kinds import ObjectKind
from firnline_local.snowflake.catalog.objects import ACCOUNTADMIN, PUBLIC, CatalogObject, Role, Schema
from firnline_local.snowflake.catalog.users import User

OWNERSHIP = "OWNERSHIP"
IMPLIED_BY = {"MONITOR": frozenset({"OPERATE"})}
"""A privilege that comes with another one on the same object."""


@dataclass(frozen=True, kw_only=True)
class Grant:
    """One privilege on one object."""

    privilege: str
    on: CatalogObject
    to: Role
    grant_option: bool
    granted_by: str
    created_on: datetime


@dataclass(frozen=True, kw_only=True)
class RoleGrant:
    """One role held by a role or a user."""

    role: Role
    to: Role | User
    granted_by: str
    created_on: datetime


@dataclass(frozen=True, kw_only=True)
class FutureGrant:
    """A privilege that every new object of a kind inside a database or schema is granted."""

    privilege: str
    kind: ObjectKind
    inside: CatalogObject
    to: Role
    grant_option: bool
    created_on: datetime


class Grants:
    """All grants of an account. Not thread-safe by itself: the catalog's lock guards it."""

    def __init__(self) -> None:
        self._privileges: dict[int, dict[tuple[str, int], Grant]] = {}
        self._roles: dict[tuple[int, int], RoleGrant] = {}
        self._future: dict[tuple[int, str, str, int], FutureGrant] = {}

    def allow(self, grant: Grant) -> None:
        """Granting again changes only the grant option, and only from absent to present."""
        held = self._privileges.setdefault(grant.on.id, {})
        before = held.get((grant.privilege, grant.to.id))
        if before is None or (grant.grant_option and not before.grant_option):
            held[grant.privilege, grant.to.id] = grant

    def revoke(self, privilege: str, on: CatalogObject, role: Role) -> None:
        self._privileges.get(on.id, {}).pop((privilege, role.id), None)

    def hand_over(self, on: CatalogObject, owner: Role) -> None:
        """Keeps the grants on an object that changes hands; they are the new owner's from now on."""
        held = self._privileges.get(on.id, {})
        held.update({key: replace(grant, granted_by=owner.name) for key, grant in held.items()})

    def revoke_all(self, on: CatalogObject) -> None:
        self._privileges.pop(on.id, None)

    def give_role(self, grant: RoleGrant) -> None:
        self._roles.setdefault((grant.role.id, grant.to.id), grant)

    def take_role(self, role: Role, holder: Role | User) -> None:
        self._roles.pop((role.id, holder.id), None)

    def allow_future(self, grant: FutureGrant) -> None:
        self._future[grant.inside.id, grant.kind.name, grant.privilege, grant.to.id] = grant

    def revoke_future(self, privilege: str, kind: ObjectKind, inside: CatalogObject, role: Role) -> None:
        self._future.pop((inside.id, kind.name, privilege, role.id), None)

    def forget(self, grantee: Role | User) -> None:
        """Removes every grant to a role or user that was dropped, and every grant of that role."""
        for held in self._privileges.values():
            for key in [key for key in held if key[1] == grantee.id]:
                del held[key]
        self._roles = {key: grant for key, grant in self._roles.items() if grantee.id not in key}
        self._future = {key: grant for key, grant in self._future.items() if key[3] != grantee.id}

    def on(self, target: CatalogObject) -> list[Grant]:
        return list(self._privileges.get(target.id, {}).values())

    def to(self, role: Role) -> Iterator[Grant]:
        return (grant for held in self._privileges.values() for grant in held.values() if grant.to is role)

    def holders(self, role: Role) -> list[RoleGrant]:
        return [grant for grant in self._roles.values() if grant.role is role]

    def roles_of(self, holder: Role | User) -> list[RoleGrant]:
        return [grant for grant in self._roles.values() if grant.to is holder]

    def future_in(self, inside: CatalogObject) -> list[FutureGrant]:
        return [grant for grant in self._future.values() if grant.inside is inside]

    def effective(self, role: Role) -> set[Role]:
        """The role and all that it holds through others; not PUBLIC, which everybody holds."""
        held, to_visit = {role}, [role]
        while to_visit:
            below = {grant.role for grant in self.roles_of(to_visit.pop())} - held
            held |= below
            to_visit.extend(below)
        return held

    def has_privilege(self, role: Role, privilege: str, on: CatalogObject, *, by_name: bool = False) -> bool:
        """`by_name`: what implies the privilege elsewhere is not enough."""
        roles = self.effective(role)
        if _is_all_powerful(roles) or on.owner in roles:
            return True
        sufficient = {privilege} | (frozenset() if by_name else IMPLIED_BY.get(privilege, frozenset()))
        return any(grant.privilege in sufficient for grant in self._granted(roles, on))

    def has_any_privilege(self, role: Role, on: CatalogObject) -> bool:
        """Returns whether the role sees that the object exists."""
        roles = self.effective(role)
        return _is_all_powerful(roles) or on.owner in roles or any(self._granted(roles, on))

    def may_grant(self, role: Role, privilege: str, on: CatalogObject) -> bool:
        """The owner may; in a schema with managed access, the schema's owner instead."""
        if self.manages_grants(role, on):
            return True
        roles = self.effective(role)
        schema = on.container if isinstance(on.container, Schema) else None
        if schema is not None and schema.managed_access:
            return schema.owner in roles
        if on.owner in roles:
            return True
        return any(grant.privilege == privilege and grant.grant_option for grant in self._granted(roles, on))

    def manages_grants(self, role: Role, on: CatalogObject) -> bool:
        """Returns whether the role may grant as if it were the owner of everything in the account that holds the object."""
        account: CatalogObject = on
        while account.container is not None:
            account = account.container
        roles = self.effective(role)
        return _is_all_powerful(roles) or any(
            grant.privilege == "MANAGE GRANTS" for grant in self._granted(roles, account)
        )

    def _granted(self, roles: Iterable[Role], on: CatalogObject) -> Iterator[Grant]:
        return (grant for grant in self.on(on) if grant.to in roles or grant.to.name == PUBLIC)


def _is_all_powerful(roles: Iterable[Role]) -> bool:
    return any(role.name == ACCOUNTADMIN for role in roles)
