"""Snowflake databases."""

from typing import Any

from firnline_infra.blueprint.snowflake import Database
from firnline_infra.local.materialise.clients import Clients


def make(database: Database, clients: Clients) -> None:
    clients.execute(database.create)


def read(database: Database, clients: Clients) -> dict[str, Any] | None:
    found = [row for row in clients.rows("SHOW DATABASES") if row["name"] == database.name.name]
    return {"owner": found[0]["owner"]} if found else None


def remove(database: Database, clients: Clients) -> None:
    clients.execute(database.drop)
