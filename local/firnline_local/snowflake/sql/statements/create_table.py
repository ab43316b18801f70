"""CREATE TABLE (from columns or like another table), CREATE ICEBERG TABLE and CREATE INTERACTIVE TABLE.

An Iceberg table is in Snowflake's own catalog, on an external volume that can be used; its rows are kept like those of any
other table (`sql-reference/sql/create-iceberg-table-snowflake`). An interactive table is always clustered and never evolves
(`sql-reference/sql/create-interactive-table`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from firnline_local.snowflake.catalog import CatalogObject, Column, ExternalVolume, Iceberg, SqlError, Table, kinds
from firnline_local.snowflake.catalog.catalog import refuse_case_clash
from firnline_local.snowflake.catalog.errors import CompilationFault, NotKnown
from firnline_local.snowflake.catalog.names import display, read_name
from firnline_local.snowflake.catalog.tables import SNOWFLAKE_MANAGED, TABLE_SWITCHES
from firnline_local.snowflake.sql.parameters import ICEBERG_PARAMETERS, OBJECT_PARAMETERS, effective
from firnline_local.snowflake.sql.properties import Settings, apply_settings, read_settings
from firnline_local.snowflake.sql.query.functions import obstacles
from firnline_local.snowflake.sql.result import Result
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.statements.columns import iceberg_column, read_columns
from firnline_local.snowflake.sql.statements.create import Modifiers, NewObject, read_new_object
from firnline_local.snowflake.sql.statements.pipe import selected
from firnline_local.snowflake.sql.token_reader import TokenReader

ICEBERG_PROPERTIES = frozenset({"ICEBERG_VERSION", "BASE_LOCATION"})
ICEBERG = "ICEBERG TABLE"
FORMAT_VERSIONS = ("2", "3")
INTERACTIVE = "INTERACTIVE TABLE"


@dataclass
class Definition:
    """Everything that the statement says about the new table."""

    columns: Sequence[Column] = ()
    cluster_by: tuple[str, ...] = ()
    settings: Settings = field(default_factory=Settings)
    copy_grants: bool = False
    select: str = ""
    """Behind AS, of an interactive table."""


def create_table(context: Context, reader: TokenReader, modifiers: Modifiers) -> Result:
    new = read_new_object(context, reader, kinds.TABLE, modifiers)
    definition = read_definition(context, reader)
    reader.end()
    refuse_iceberg_settings(definition.settings)
    if new.exists:
        return new.exists_status()
    _create(context, new, definition, transient=modifiers.transient)
    return new.created_status()


def _create(context: Context, new: NewObject, definition: Definition, *, variety: str = "TABLE", **more: Any) -> Table:
    """The table with its grants and rows, as the definition says."""
    refuse_case_clash(display(*new.container.path, new.name), definition.columns)
    before = new.container.of_kind(kinds.TABLE).get(new.name)
    copied = list(context.catalog.grants.on(before)) if definition.copy_grants and before is not None else None
    table = new.create(
        context,
        Table,
        privilege=f"CREATE {variety}",
        future_grants=copied is None,  # `sql-reference/sql/create-iceberg-table`, COPY GRANTS
        columns=list(definition.columns),
        cluster_by=definition.cluster_by,
        **{key.lower(): definition.settings.properties.get(key) == "true" for key in TABLE_SWITCHES},
        **more,
    )
    apply_settings(table, definition.settings)
    for grant in copied or ():
        context.catalog.grants.allow(replace(grant, on=table))
    return table


def read_cluster_by(reader: TokenReader) -> tuple[str, ...]:
    """`(a, to_date(b))` behind CLUSTER BY, as written."""
    reader.accept("LINEAR")
    return tuple(reader.listed(lambda each: each.until(frozenset({","}))))


def refuse_iceberg_settings(settings: Settings) -> None:
    """Raises NotKnown for what only an Iceberg table can be given."""
    foreign = (ICEBERG_PARAMETERS | ICEBERG_PROPERTIES) & {*settings.parameters, *settings.properties}
    if foreign:
        raise NotKnown(f"the property {min(foreign)} of TABLE")


def read_definition(context: Context, reader: TokenReader, *, selects: bool = False) -> Definition:
    """`selects`: whether AS (SELECT …) may end it."""
    if reader.accept("LIKE"):
        return _like(context.readable_table(reader.name()))
    if reader.starts("CLONE"):
        raise NotKnown("CREATE TABLE … CLONE: create the table LIKE the other one, then INSERT INTO it")
    if reader.starts("AS") or reader.starts("USING TEMPLATE"):
        raise NotKnown("CREATE TABLE … AS SELECT or USING TEMPLATE: create the table, then INSERT INTO it")
    definition = Definition(columns=read_columns(context, reader))
    while not reader.at_end:
        if reader.accept("CLUSTER BY"):
            definition.cluster_by = read_cluster_by(reader)
        elif reader.accept("COPY GRANTS"):
            definition.copy_grants = True
        elif selects and reader.accept("AS"):
            definition.select = reader.parenthesised()
        elif reader.starts("AS"):
            raise NotKnown("CREATE TABLE … AS SELECT: create the table, then INSERT INTO it")
        else:
            stops = ("CLUSTER BY", "COPY GRANTS", "AS")
            read_settings(reader, kinds.TABLE, stops=stops, into=definition.settings)
    return definition


def _like(original: Table) -> Definition:
    properties = {key: str(getattr(original, key.lower())).lower() for key in TABLE_SWITCHES}
    columns = [replace(column, evolution=None) for column in original.columns]
    return Definition(columns, original.cluster_by, Settings(original.comment, dict(original.parameters), properties))


class VolumeNotUsable(SqlError):
    """Snowflake tries the volume before it makes a table on it."""

    code = "091350"
    sql_state = "22000"

    def __init__(self, volume: str, found: list[str]) -> None:
        super().__init__(f"SQL execution error:\nExternal volume '{volume}' can't be used: {'; '.join(found)}.")


def create_iceberg_table(context: Context, reader: TokenReader, modifiers: Modifiers) -> Result:
    new = read_new_object(context, reader, kinds.TABLE, modifiers)
    definition = read_definition(context, reader)
    reader.end()
    if new.exists:
        return new.exists_status()
    iceberg = _iceberg(context, definition.settings, new.container)
    definition.columns = [iceberg_column(column, iceberg.version) for column in definition.columns]
    table = _create(context, new, definition, variety=ICEBERG, iceberg=iceberg)
    table.parameters["EXTERNAL_VOLUME"] = iceberg.volume_name
    return new.created_status()


def _iceberg(context: Context, settings: Settings, container: CatalogObject) -> Iceberg:
    """Raises VolumeNotUsable."""
    properties, parameters = settings.properties, settings.parameters
    for key, switch in TABLE_SWITCHES.items():
        if properties.get(key) == "true" and not switch.of_iceberg:
            raise CompilationFault(f"{key} is not supported for Iceberg tables.")
    catalog = parameters.get("CATALOG") or _inherited(container, "CATALOG") or "SNOWFLAKE"
    if catalog != "SNOWFLAKE":
        raise NotKnown(f"Iceberg tables in the catalog {catalog}: only Snowflake's own")
    named = parameters.get("EXTERNAL_VOLUME") or _inherited(container, "EXTERNAL_VOLUME")
    if not named:
        raise CompilationFault("An Iceberg table needs EXTERNAL_VOLUME, its own or its schema's or database's.")
    version = properties.pop("ICEBERG_VERSION", "2")
    if version not in FORMAT_VERSIONS:
        raise CompilationFault(f"invalid value '{version}' for ICEBERG_VERSION: expected 2 or 3")
    location = properties.pop("BASE_LOCATION", "")
    if read_name(named) == (SNOWFLAKE_MANAGED,):
        if location:
            raise CompilationFault(f"BASE_LOCATION is not a property of a table in {SNOWFLAKE_MANAGED}.")
        return Iceberg(external_volume=None, base_location="", version=int(version), catalog=catalog)
    volume = context.find(ExternalVolume, read_name(named))
    context.require("USAGE", volume)
    if not volume.allow_writes:
        raise CompilationFault(f"External volume '{volume.full_name}' doesn't allow writes.")
    if found := obstacles(context, volume):
        raise VolumeNotUsable(volume.full_name, found)
    return Iceberg(external_volume=volume, base_location=location, version=int(version), catalog=catalog)


def _inherited(container: CatalogObject, key: str) -> str:
    return effective(container, OBJECT_PARAMETERS[key])[0]


def create_interactive_table(context: Context, reader: TokenReader, modifiers: Modifiers) -> Result:
    new = read_new_object(context, reader, kinds.TABLE, modifiers)
    definition = read_definition(context, reader, selects=True)
    reader.end()
    settings = definition.settings
    if settings.properties or settings.parameters:
        raise NotKnown(f"{', '.join([*settings.properties, *settings.parameters])} of an interactive table")
    if (
        not definition.cluster_by and not definition.select
    ):  # required by create-interactive-table; not in the connector's example
        raise CompilationFault("An interactive table needs CLUSTER BY.")
    if new.exists:
        return new.exists_status()
    taken = selected(definition.select, definition.columns) if definition.select else ()
    table = _create(context, new, definition, variety=INTERACTIVE, interactive=True)
    if taken:
        pipe = context.catalog.directory.default_pipe(table)
        pipe.transformation, pipe.match_by_column_name = taken, ""
        pipe.definition = f"COPY INTO {table.full_name} FROM ({definition.select})"
    return new.created_status()
