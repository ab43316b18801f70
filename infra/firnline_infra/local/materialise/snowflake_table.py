"""Snowflake tables."""

from typing import Any

from firnline_infra.blueprint.snowflake import Table
from firnline_infra.local.errors import NotMaterialised
from firnline_infra.local.materialise.clients import Clients

ON = ("ON", "Y", "true", True)


def make(table: Table, clients: Clients) -> None:
    """Columns that evolution has added since are no difference; another property is one, and is refused."""
    clients.execute(table.create)
    found = read(table, clients)
    wanted = {"schema_evolution": table.schema_evolution, "error_logging": table.error_logging}
    if found is None or any(found[name] != value for name, value in wanted.items()):
        raise NotMaterialised(kind=table.kind, name=str(table.name), wanted=wanted, found=found)
    if table.metadata_column.name not in found["columns"]:
        raise NotMaterialised(kind=table.kind, name=str(table.name), wanted=table.metadata_column.name, found=found)


def read(table: Table, clients: Clients) -> dict[str, Any] | None:
    *container, name = table.name.parts
    rows = clients.rows(f"SHOW TABLES IN SCHEMA {'.'.join(part.sql for part in container)}")
    found = [row for row in rows if row["name"] == name.name]
    if not found:
        return None
    return {
        "created_on": found[0]["created_on"],
        "schema_evolution": found[0]["enable_schema_evolution"] in ON,
        "error_logging": found[0]["error_logging"] in ON,
        "columns": [row["name"] for row in clients.rows(f"DESCRIBE TABLE {table.name.sql}")],
    }


def remove(table: Table, clients: Clients) -> None:
    clients.execute(table.drop if read(table, clients) else None)
