"""Snowflake roles."""

from typing import Any

from firnline_infra.blueprint.snowflake import Role
from firnline_infra.local.materialise.clients import Clients


def make(role: Role, clients: Clients) -> None:
    clients.execute(role.create)


def read(role: Role, clients: Clients) -> dict[str, Any] | None:
    found = [row for row in clients.rows("SHOW ROLES") if row["name"] == role.name.name]
    return {"owner": found[0]["owner"]} if found else None


def remove(role: Role, clients: Clients) -> None:
    clients.execute(role.drop)
