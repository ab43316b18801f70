"""Privileges of Snowflake roles."""

from typing import Any

from firnline_infra.blueprint.snowflake import PrivilegeGrant
from firnline_infra.local.errors import NotMaterialised
from firnline_infra.local.materialise.clients import Clients


def make(grant: PrivilegeGrant, clients: Clients) -> None:
    clients.execute(grant.create)
    found = read(grant, clients)
    if found is None or not set(grant.privileges) <= set(found["privileges"]):
        raise NotMaterialised(kind=grant.kind, name=grant.create, wanted=grant.privileges, found=found)


def read(grant: PrivilegeGrant, clients: Clients) -> dict[str, Any] | None:
    """All that the role has on the object, wanted or not."""
    rows = clients.rows(f"SHOW GRANTS ON {grant.on} {grant.name.sql}")
    privileges = sorted(
        str(row["privilege"]).replace("_", " ") for row in rows if row["grantee_name"] == grant.role.name
    )
    return {"privileges": privileges} if privileges else None


def remove(grant: PrivilegeGrant, clients: Clients) -> None:
    clients.execute(grant.drop if read(grant, clients) else None)
