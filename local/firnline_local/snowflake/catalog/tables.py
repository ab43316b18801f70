"""Tables and their columns, the pipes into them, and the pipes' channels; the rows are in the store.

A table has its default pipe, and those that CREATE PIPE made. The streaming service opens, moves and drops channels.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from typing import Any

from firnline_local.snowflake.catalog import kinds
from firnline_local.snowflake.catalog.objects import CatalogObject, Schema, Warehouse
from firnline_local.snowflake.catalog.storage import ExternalVolume, FileSource, LoadHistory
from firnline_local.snowflake.catalog.types import DataType

COMMIT_TIME = "METADATA$ROW_LAST_COMMIT_TIME"
"""The column that ROW_TIMESTAMP adds: it can be asked for by name, and `*` doesn't show it."""
DEFAULT_SUFFIX = "-STREAMING"
DEFAULT_PIPE_COMMENT = (
    "Default pipe for Snowpipe Streaming High Performance ingestion to a table. Created and managed by Snowflake."
)
"""Documentation: `sql-reference/sql/show-pipes`, which gives the sentence, and no owner."""


LAG_UNITS = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}


@dataclass(frozen=True, slots=True)
class Default:
    """A column's default: as it was written, and as the store computes it."""

    text: str
    expression: str
    """In DuckDB's SQL."""


@dataclass(kw_only=True)
class Column:
    name: str
    type: DataType
    nullable: bool = True
    default: Default | None = None
    comment: str = ""
    primary_key: bool = False
    """Declared, not enforced."""
    evolution: str | None = None
    """The SchemaEvolutionRecord, JSON text; None where a person made the column or has altered it since."""


SNOWFLAKE_MANAGED = "SNOWFLAKE_MANAGED"
"""Snowflake's own storage, where an external volume would be named (`user-guide/tables-iceberg-internal-storage`)."""


@dataclass(frozen=True, kw_only=True)
class Iceberg:
    """Properties of an Iceberg table: where its files would be, in a real account."""

    external_volume: ExternalVolume | None
    """None of a table in Snowflake's own storage."""
    base_location: str
    version: int = 2
    catalog: str = "SNOWFLAKE"

    @property
    def volume_name(self) -> str:
        return SNOWFLAKE_MANAGED if self.external_volume is None else self.external_volume.name


@dataclass(kw_only=True)
class Dynamic:
    """Properties of a dynamic table: its query, and how it is kept up to date."""

    query: str
    text: str
    """The statement that made it."""
    warehouse: Warehouse = field(repr=False)
    target_lag_s: int
    refresh_mode: str = "INCREMENTAL"
    suspended_on: datetime | None = None
    data_timestamp: datetime | None = None
    """The moment whose rows it shows."""
    last_error: str = ""
    """Of the last refresh; empty where that succeeded."""

    @property
    def target_lag(self) -> str:
        """In the largest unit that it is whole in: 5 minutes."""
        unit = next(name for name, seconds in LAG_UNITS.items() if self.target_lag_s % seconds == 0)
        count = self.target_lag_s // LAG_UNITS[unit]
        return f"{count} {unit}{'' if count == 1 else 's'}"

    @property
    def warehouse_name(self) -> str:
        return self.warehouse.name

    @property
    def scheduling_state(self) -> str:
        return "ACTIVE" if self.suspended_on is None else "SUSPENDED"

    def is_due(self, now: datetime) -> bool:
        if self.suspended_on is not None or self.data_timestamp is None:
            return False
        return now - self.data_timestamp >= timedelta(seconds=self.target_lag_s)


@dataclass(frozen=True, slots=True)
class TableSwitch:
    """A property of tables that is on or off: CREATE, ALTER, LIKE and SHOW know it by its field's name."""

    shown: tuple[str, str] = ("ON", "OFF")
    """As SHOW TABLES says that it is on, and off."""
    of_iceberg: bool = True


def table_switch(switch: TableSwitch) -> Any:
    return field(default=False, metadata={"switch": switch})


@dataclass(kw_only=True, eq=False)
class Table(CatalogObject):
    kind = kinds.TABLE
    columns: list[Column]
    enable_schema_evolution: bool = table_switch(TableSwitch(shown=("Y", "N")))
    error_logging: bool = table_switch(TableSwitch())
    row_timestamp: bool = table_switch(TableSwitch(of_iceberg=False))
    change_tracking: bool = table_switch(TableSwitch())
    transient: bool = False
    cluster_by: tuple[str, ...] = ()
    """The expressions, as they were written."""
    iceberg: Iceberg | None = None
    interactive: bool = False
    dynamic: Dynamic | None = None
    default_pipe: "Pipe | None" = field(default=None, repr=False)
    """`<TABLE>-STREAMING`; None until a session asks for it."""

    @property
    def variety(self) -> str:
        """The table's kind in CREATE and SHOW: TABLE, ICEBERG TABLE, INTERACTIVE TABLE or DYNAMIC TABLE."""
        if self.dynamic:
            return "DYNAMIC TABLE"
        return "ICEBERG TABLE" if self.iceberg else "INTERACTIVE TABLE" if self.interactive else "TABLE"

    @property
    def schema(self) -> Schema:
        assert isinstance(self.container, Schema)
        return self.container

    def column(self, name: str) -> Column | None:
        """Finds a column by its stored name: case counts."""
        return next((column for column in self.columns if column.name == name), None)


TABLE_SWITCHES: Mapping[str, TableSwitch] = {
    each.name.upper(): each.metadata["switch"] for each in fields(Table) if "switch" in each.metadata
}
"""By the word that SQL has for each."""


@dataclass(frozen=True, slots=True)
class PipeColumn:
    """A column as a pipe with a transformation fills it."""

    column: str
    path: tuple[str, ...]
    """Keys from the row down to the value; the row itself where empty."""
    concatenated: "tuple[str | tuple[str, ...], ...]" = ()
    """Of a CONCAT, which has no path of its own: its texts and the paths of its values, in their order."""


@dataclass(kw_only=True, eq=False)
class Pipe(CatalogObject):
    """A way into one table. It leads nowhere once its table is gone, even if a new table gets the same name."""

    kind = kinds.PIPE
    table: Table = field(repr=False)
    definition: str
    """The COPY statement, byte for byte as it was given."""
    match_by_column_name: str = "CASE_INSENSITIVE"
    """CASE_INSENSITIVE or CASE_SENSITIVE."""
    transformation: tuple[PipeColumn, ...] = ()
    """Takes the place of matching by name, where there is one."""
    is_default: bool = False
    """Made by the service on demand: it can't be altered or dropped, and needs no grant."""
    paused: bool = False
    source: FileSource | None = None
    """The files of a stage; None where rows are streamed."""
    loads: LoadHistory = field(default_factory=LoadHistory, repr=False)
    """Of files. It goes with the pipe: one that is made again has loaded nothing."""

    @property
    def matches_case(self) -> bool:
        return self.match_by_column_name == "CASE_SENSITIVE"

    @property
    def is_live(self) -> bool:
        """True if rows can go through it: it exists, and its table too."""
        return self.table.is_live and (self.is_default or super().is_live)


@dataclass(kw_only=True)
class Channel:
    """A named channel, as SHOW CHANNELS lists it. `name` keeps its case; the counts are of committed rows."""

    name: str
    pipe: Pipe
    created_on: datetime
    client_sequencer: int = 0
    """Rises with every opening; an append with an older one is stale."""
    row_sequencer: int = 0
    """Rises with every append since the opening."""
    offset_token: str | None = None
    """The last committed one."""
    rows_inserted: int = 0
    rows_parsed: int = 0
    rows_error_count: int = 0


ERROR_COLUMNS = tuple(
    Column(name=name, type=DataType.parse(type_name))
    for name, type_name in (
        ("TIMESTAMP", "TIMESTAMP_LTZ"),
        ("QUERY_ID", "VARCHAR"),
        ("ERROR_CODE", "NUMBER"),
        ("ERROR_METADATA", "OBJECT"),
        ("ERROR_DATA", "OBJECT"),
    )
)


@dataclass(frozen=True, kw_only=True)
class ErrorRow:
    """A row that could not be written to its table."""

    timestamp: datetime
    error_code: int
    error_metadata: dict[str, Any]
    """error_code, error_message, error_source, sql_state, service, details."""
    error_data: dict[str, Any]
    """The payload as it was sent, under the key "$1"."""
    query_id: str | None = None

    def as_row(self) -> dict[str, Any]:
        return {
            "TIMESTAMP": self.timestamp,
            "QUERY_ID": self.query_id,
            "ERROR_CODE": self.error_code,
            "ERROR_METADATA": json.dumps(self.error_metadata),
            "ERROR_DATA": json.dumps(self.error_data),
        }
