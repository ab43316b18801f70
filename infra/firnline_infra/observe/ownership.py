"""Checks that the deploy role can still see tables whose ownership was granted to another role.

To Pulumi, a table that can't be seen is gone: a refresh forgets it, and the `up` after that fails because it exists.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from firnline_infra.accounts.accounts import current_role, rows_if_there
from firnline_infra.observe.errors import OwnerOutOfReach
from firnline_infra.observe.grants import holders_of
from firnline_infra.specification.identifier import Identifier

OWNERSHIP = "snowflake:index/grantOwnership:GrantOwnership"


def check_ownership(session: Any, state: Mapping[str, Any]) -> None:
    """Raises OwnerOutOfReach. A table that was dropped, or whose owner was dropped, is drift and not reported here."""
    for owner, table in _given_away(state):
        if rows_if_there(session, f"DESCRIBE TABLE {table}") is not None:
            continue
        role, deployer = Identifier(owner), current_role(session)
        holders = holders_of(session, role)
        if holders is not None and ("ROLE", deployer) not in holders:
            raise OwnerOutOfReach(table, owner=role, deployer=Identifier(deployer))


def owners_by_grant(state: Mapping[str, Any]) -> frozenset[str]:
    """The roles to which the stack itself gave its tables."""
    return frozenset(owner for owner, _ in _given_away(state))


def _given_away(state: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The owner and the name of each table, from the stack's state."""
    for resource in state.get("deployment", {}).get("resources") or ():
        if resource["type"] == OWNERSHIP:
            yield resource["inputs"]["accountRoleName"], resource["inputs"]["on"]["objectName"]
