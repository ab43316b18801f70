"""Roles of Snowflake users."""

from typing import Any

from firnline_infra.blueprint.snowflake import RoleGrant
from firnline_infra.local.errors import NotMaterialised
from firnline_infra.local.materialise.clients import Clients


def make(grant: RoleGrant, clients: Clients) -> None:
    clients.execute(grant.create)
    found = read(grant, clients)
    if found is None or grant.role.name not in found["roles"]:
        raise NotMaterialised(kind=grant.kind, name=grant.create, wanted=grant.role.name, found=found)


def read(grant: RoleGrant, clients: Clients) -> dict[str, Any] | None:
    """All roles of the user, wanted or not."""
    roles = [row["role"] for row in clients.rows(f"SHOW GRANTS TO USER {grant.user.sql}")]
    return {"roles": sorted(roles)} if roles else None


def remove(grant: RoleGrant, clients: Clients) -> None:
    found = read(grant, clients)
    clients.execute(grant.drop if found and grant.role.name in found["roles"] else None)
