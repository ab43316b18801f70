"""Grants as SHOW GRANTS lists them, read in one place."""

from collections.abc import Iterator
from typing import Any

from firnline_infra.accounts.accounts import rows, rows_if_there
from firnline_infra.accounts.errors import SnowflakeRefused
from firnline_infra.specification.identifier import Identifier
from firnline_ingest.permissions.snowflake import OWNERSHIP
from firnline_ingest.snowflake.grants import ListedGrant

Holder = tuple[str, str]
"""USER or ROLE, and its name."""


def grants_to_role(session: Any, role: Identifier) -> list[ListedGrant] | None:
    """Returns what is granted to the role itself; None if the role does not exist, or can't be seen. Raises SnowflakeRefused."""
    found = rows_if_there(session, f"SHOW GRANTS TO ROLE {role.sql}")
    return None if found is None else list(map(ListedGrant.of, found))


def grants_with_inherited(session: Any, role: Identifier) -> frozenset[ListedGrant] | None:
    """Returns what a role may, by itself or through roles that it holds; None as in `grants_to_role`."""
    held, visited, waiting = set[ListedGrant](), set[Identifier](), [role]
    while waiting:
        current = waiting.pop()
        if current in visited:
            continue
        visited.add(current)
        grants = grants_to_role(session, current)
        if grants is None and current == role:
            return None
        held.update(grants or ())
        waiting += [
            Identifier(each.name[-1]) for each in grants or () if (each.kind, each.privilege) == ("ROLE", "USAGE")
        ]
    return frozenset(held)


def holders_of(session: Any, role: Identifier) -> dict[Holder, str] | None:
    """The role's holders, each with who granted it; None as in `grants_to_role`. Raises SnowflakeRefused."""
    found = rows_if_there(session, f"SHOW GRANTS OF ROLE {role.sql}")
    if found is None:
        return None
    return {(row["granted_to"], row["grantee_name"]): str(row.get("granted_by") or "") for row in found}


def noun(word: str) -> str:
    """TABLE of ICEBERG TABLE: which word SHOW GRANTS has for a table differs."""
    return word.rpartition(" ")[2]


class Owners:
    """Tells the role that owns an object which the asking role can't see: SHOW GRANTS TO ROLE of that role lists it.

    Roles are asked one by one and once, administrators first, until the owner is found.
    """

    MOST = 200
    """Roles that are asked, a statement each."""
    FIRST = ("ACCOUNTADMIN", "SYSADMIN", "SECURITYADMIN", "USERADMIN", "ORGADMIN")

    def __init__(self, session: Any) -> None:
        self._session, self._known = session, dict[tuple[str, tuple[str, ...]], str]()
        self._roles: Iterator[Identifier] | None = None

    def of(self, word: str, name: tuple[str, ...]) -> str:
        """The role's name; empty where no role that may be asked owns it. Raises SnowflakeRefused."""
        wanted = noun(word), name
        if self._roles is None:
            self._roles = iter(self._ordered())
        while wanted not in self._known and (role := next(self._roles, None)) is not None:
            for grant in self._grants_to(role):
                if grant.privilege == OWNERSHIP:
                    self._known[noun(grant.kind), grant.name] = role.name
        return self._known.get(wanted, "")

    def _ordered(self) -> list[Identifier]:
        names = [str(row["name"]) for row in rows(self._session, "SHOW ROLES")]
        return [Identifier(each) for each in sorted(names, key=lambda name: (name not in self.FIRST, name))][
            : self.MOST
        ]

    def _grants_to(self, role: Identifier) -> list[ListedGrant]:
        try:
            return grants_to_role(self._session, role) or []
        except SnowflakeRefused:
            return []  # the role's own affair
