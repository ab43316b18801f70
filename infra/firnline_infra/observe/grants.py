"""What SHOW GRANTS lists, read in one place."""

from typing import Any

from firnline_infra.accounts.accounts import rows_if_there
from firnline_infra.specification.identifier import Identifier
from firnline_ingest.snowflake.grants import ListedGrant

Holder = tuple[str, str]
"""USER or ROLE, and its name."""


def grants_to_role(session: Any, role: Identifier) -> list[ListedGrant] | None:
    """What is granted to the role itself; None if there is no such role, or it can't be seen. Raises SnowflakeRefused."""
    found = rows_if_there(session, f"SHOW GRANTS TO ROLE {role.sql}")
    return None if found is None else list(map(ListedGrant.of, found))


def grants_with_inherited(session: Any, role: Identifier) -> frozenset[ListedGrant] | None:
    """What a role may, by itself or through roles that it holds; None as in `grants_to_role`."""
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
