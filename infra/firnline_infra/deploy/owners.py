"""Whether the deployer still reaches what its stack has given away: tables that another role owns.

A table that can't be seen counts as gone to Pulumi: a refresh forgets it, and the `up` after that fails because it exists.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from firnline_infra.accounts.accounts import Rows, rows
from firnline_infra.accounts.errors import SnowflakeRefused
from firnline_infra.deploy.errors import OwnerOutOfReach
from firnline_infra.specification.identifier import Identifier

OWNERSHIP = "snowflake:index/grantOwnership:GrantOwnership"


def check_owners(session: Any, state: Mapping[str, Any]) -> None:
    """Raises OwnerOutOfReach. A table that was dropped, or whose owner was, is drift and none of this."""
    for owner, table in _given_away(state):
        if _answer(session, f"DESCRIBE TABLE {table}") is not None:
            continue
        role, deployer = Identifier(owner), rows(session, "SELECT CURRENT_ROLE() AS ROLE")[0]["role"]
        having = _answer(session, f"SHOW GRANTS OF ROLE {role.sql}")
        if having is not None and ("ROLE", deployer) not in {
            (each["granted_to"], each["grantee_name"]) for each in having
        }:
            raise OwnerOutOfReach(table, owner=role, deployer=Identifier(deployer))


def _given_away(state: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Owner and table, as the state has them."""
    for resource in state.get("deployment", {}).get("resources") or ():
        if resource["type"] == OWNERSHIP:
            yield resource["inputs"]["accountRoleName"], resource["inputs"]["on"]["objectName"]


def _answer(session: Any, statement: str) -> Rows | None:
    """None where what it is about does not exist, or is not to be seen."""
    try:
        return rows(session, statement)
    except SnowflakeRefused as error:
        if error.is_about_something_missing:
            return None
        raise
