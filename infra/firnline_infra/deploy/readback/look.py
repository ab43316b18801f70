"""Asks Snowflake about each table of a blueprint."""

from collections.abc import Iterator
from typing import Any

from firnline_infra.accounts.accounts import Rows, rows
from firnline_infra.accounts.errors import SnowflakeRefused
from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.snowflake import IcebergTable, InteractiveTable, Table
from firnline_infra.deploy.readback.compare import NOTHING, columns, sorting, switches
from firnline_infra.deploy.readback.finding import Finding
from firnline_infra.specification.identifier import QualifiedName
from firnline_ingest.identifiers import like_pattern

AnyTable = Table | IcebergTable | InteractiveTable


def read_back(blueprint: Blueprint, session: Any) -> list[Finding]:
    """Sorted; empty where everything is as the blueprint says. `session` is one of whoever deploys.

    Raises SnowflakeRefused for anything but an object that is not there.
    """
    return sorted(finding for table in blueprint.landing.tables for finding in _table(table, session))


def _table(table: AnyTable, session: Any) -> Iterator[Finding]:
    name = f"table {table.name}"
    row = _listed(table, session)
    kind = "ICEBERG TABLE" if isinstance(table, IcebergTable) else "TABLE"
    if row is None:
        create = table.create if isinstance(table, InteractiveTable) else ""
        yield Finding(name, "exists", "yes", NOTHING, create)
        return
    yield from switches(name, _switches(table), row, alter=f"ALTER {kind} {table.name.sql}")
    yield from columns(name, _columns(table), _answer(session, f"DESCRIBE TABLE {table.name.sql}"))
    if isinstance(table, InteractiveTable):
        yield from sorting(name, (each.name for each in table.cluster_by), row)


def _switches(table: AnyTable) -> dict[str, bool]:
    """Those that statements set. The provider's resource of an Iceberg table carries its error logging itself."""
    match table:
        case Table():
            return {
                "ENABLE_SCHEMA_EVOLUTION": table.schema_evolution,
                "ERROR_LOGGING": table.error_logging,
                "ROW_TIMESTAMP": table.row_timestamp,
            }
        case IcebergTable():
            return {"ENABLE_SCHEMA_EVOLUTION": table.schema_evolution}
        case InteractiveTable():
            return {}


def _columns(table: AnyTable) -> dict[str, str]:
    own = {table.metadata_column.name: "OBJECT" if isinstance(table, InteractiveTable) else table.column_type}
    return own | ({each.name: "VARCHAR" for each in table.cluster_by} if isinstance(table, InteractiveTable) else {})


def _listed(table: AnyTable, session: Any) -> dict[str, Any] | None:
    """SHOW's LIKE is a pattern that ignores case: only the exact name counts."""
    kinds = {Table: "TABLES", IcebergTable: "ICEBERG TABLES", InteractiveTable: "INTERACTIVE TABLES"}
    *container, name = table.name.parts
    statement = (
        f"SHOW {kinds[type(table)]} LIKE {like_pattern(name.name)} IN SCHEMA {QualifiedName(tuple(container)).sql}"
    )
    return next((row for row in _answer(session, statement) if row["name"] == name.name), None)


def _answer(session: Any, statement: str) -> Rows:
    """Empty where the object, or what it is in, does not exist."""
    try:
        return rows(session, statement)
    except SnowflakeRefused as error:
        if error.is_about_something_missing:
            return []
        raise
