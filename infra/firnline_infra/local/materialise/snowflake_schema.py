"""Snowflake schemas."""

from typing import Any

from firnline_infra.blueprint.snowflake import Schema
from firnline_infra.local.materialise.clients import Clients


def make(schema: Schema, clients: Clients) -> None:
    clients.execute(schema.create)


def read(schema: Schema, clients: Clients) -> dict[str, Any] | None:
    database, name = schema.name.parts
    rows = clients.rows(f"SHOW SCHEMAS IN DATABASE {database.sql}")
    found = [row for row in rows if row["name"] == name.name]
    return {"owner": found[0]["owner"]} if found else None


def remove(schema: Schema, clients: Clients) -> None:
    clients.execute(schema.drop if read(schema, clients) else None)
