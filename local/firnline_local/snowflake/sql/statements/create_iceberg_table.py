"""CREATE ICEBERG TABLE in Snowflake's own catalog, on an external volume that can be used.

Documentation: `sql-reference/sql/create-iceberg-table-snowflake`. Its rows are kept like those of any other table.
"""

from typing import Any

from firnline_local.snowflake.catalog import (
    CatalogObject,
    Column,
    ExternalVolume,
    Iceberg,
    SqlError,
    Table,
    kinds,
)
from firnline_local.snowflake.catalog.catalog import refuse_case_clash
from firnline_local.snowflake.catalog.errors import CompilationFault, NotKnown
from firnline_local.snowflake.catalog.names import display, read_name
from firnline_local.snowflake.catalog.types import MAX_VARCHAR
from firnline_local.snowflake.sql.parameters import OBJECT_PARAMETERS, effective
from firnline_local.snowflake.sql.query.volume_check import obstacles
from firnline_local.snowflake.sql.result import Result
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.settings import Settings, apply_settings
from firnline_local.snowflake.sql.statements.create_table import FLAGS, read_definition
from firnline_local.snowflake.sql.statements.creation import Modifiers, created, kept, place
from firnline_local.snowflake.sql.words import Words

ICEBERG = "ICEBERG TABLE"
FORMAT_VERSIONS = ("2", "3")
FIRST_WITH_VARIANT = 3
FINEST_TIME = {2: 6, 3: 9}
"""Digits of a second, by format version."""


class VolumeNotUsable(SqlError):
    """Snowflake tries the volume before it makes a table on it."""

    code = "091350"
    sql_state = "22000"

    def __init__(self, volume: str, found: list[str]) -> None:
        super().__init__(f"SQL execution error:\nExternal volume '{volume}' can't be used: {'; '.join(found)}.")


class NotInFormatVersion(SqlError):
    """The code is the one by which Snowflake's Kafka connector knows that VARIANT needs version 3."""

    code = "091386"

    def __init__(self, column: Column, version: int) -> None:
        super().__init__(
            f"SQL compilation error:\nUnsupported data type '{column.type}' for column '{column.name}' of an Iceberg table "
            f"of version {version}."
        )


def create_iceberg_table(context: Context, words: Words, modifiers: Modifiers) -> Result:
    where = place(context, words, kinds.TABLE, modifiers)
    definition = read_definition(context, words)
    words.end()
    if where.kept:
        return kept(where)
    full_name = display(*where.container.path, where.name)
    refuse_case_clash(full_name, definition.columns)
    iceberg = _iceberg(context, definition.settings, where.container)
    for column in definition.columns:
        _refuse_type(column, iceberg.version)
    flags: dict[str, Any] = {name: definition.settings.properties.pop(key, "") == "true" for key, name in FLAGS.items()}
    table = where.create(
        context,
        Table,
        privilege=f"CREATE {ICEBERG}",
        columns=list(definition.columns),
        cluster_by=definition.cluster_by,
        iceberg=iceberg,
        **flags,
    )
    apply_settings(table, definition.settings)
    table.parameters["EXTERNAL_VOLUME"] = iceberg.external_volume.name
    return created(kinds.TABLE, where)


def _iceberg(context: Context, settings: Settings, container: CatalogObject) -> Iceberg:
    """Raises VolumeNotUsable."""
    properties, parameters = settings.properties, settings.parameters
    if properties.get("ROW_TIMESTAMP") == "true":
        raise CompilationFault("ROW_TIMESTAMP is not supported for Iceberg tables.")
    catalog = parameters.get("CATALOG") or _inherited(container, "CATALOG") or "SNOWFLAKE"
    if catalog != "SNOWFLAKE":
        raise NotKnown(f"Iceberg tables in the catalog {catalog}: only Snowflake's own")
    named = parameters.get("EXTERNAL_VOLUME") or _inherited(container, "EXTERNAL_VOLUME")
    if not named:
        raise CompilationFault("An Iceberg table needs EXTERNAL_VOLUME, its own or its schema's or database's.")
    volume = context.find(ExternalVolume, read_name(named))
    context.require("USAGE", volume)
    if not volume.allow_writes:
        raise CompilationFault(f"External volume '{volume.full_name}' doesn't allow writes.")
    if found := obstacles(context, volume):
        raise VolumeNotUsable(volume.full_name, found)
    version = properties.pop("ICEBERG_VERSION", "2")
    if version not in FORMAT_VERSIONS:
        raise CompilationFault(f"invalid value '{version}' for ICEBERG_VERSION: expected 2 or 3")
    location = properties.pop("BASE_LOCATION", "")
    return Iceberg(external_volume=volume, base_location=location, version=int(version), catalog=catalog)


def _inherited(container: CatalogObject, key: str) -> str:
    return effective(container, OBJECT_PARAMETERS[key])[0]


def _refuse_type(column: Column, version: int) -> None:
    """Which types each version has: user guide `tables-iceberg-data-types`."""
    kind = column.type
    too_fine = kind.family.startswith("TIM") and (kind.size or 0) > FINEST_TIME[version]
    if kind.family == "VARIANT" and version < FIRST_WITH_VARIANT:
        raise NotInFormatVersion(column, version)
    if kind.family in ("OBJECT", "ARRAY") or too_fine or (kind.family == "VARCHAR" and kind.size != MAX_VARCHAR):
        raise NotInFormatVersion(column, version)
