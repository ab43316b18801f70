"""Tables and their columns; the rows are in the store."""

from dataclasses import dataclass, field

from firnline_local.snowflake.catalog import kinds
from firnline_local.snowflake.catalog.databases import Schema
from firnline_local.snowflake.catalog.objects import CatalogObject
from firnline_local.snowflake.catalog.pipes import Pipe
from firnline_local.snowflake.catalog.types import DataType
from firnline_local.snowflake.catalog.volumes import ExternalVolume

COMMIT_TIME = "METADATA$ROW_LAST_COMMIT_TIME"
"""The column that ROW_TIMESTAMP adds: it can be asked for by name, and `*` doesn't show it."""


@dataclass(frozen=True, slots=True)
class Default:
    """What a column gets when a row doesn't say: as it was written, and as the store computes it."""

    text: str
    expression: str
    """In DuckDB's SQL."""
    is_identity: bool = False


@dataclass(kw_only=True)
class Column:
    name: str
    type: DataType
    nullable: bool = True
    default: Default | None = None
    comment: str = ""
    primary_key: bool = False
    """Declared, not enforced; so is `unique`."""
    unique: bool = False
    evolution: str | None = None
    """The SchemaEvolutionRecord, JSON text; None where a person made the column or has altered it since."""


@dataclass(frozen=True, kw_only=True)
class Iceberg:
    """What an Iceberg table has besides: where its files would be, in a real account."""

    external_volume: ExternalVolume
    base_location: str
    version: int = 2
    catalog: str = "SNOWFLAKE"


@dataclass(kw_only=True, eq=False)
class Table(CatalogObject):
    kind = kinds.TABLE
    columns: list[Column]
    enable_schema_evolution: bool = False
    error_logging: bool = False
    row_timestamp: bool = False
    change_tracking: bool = False
    transient: bool = False
    cluster_by: tuple[str, ...] = ()
    """The expressions, as they were written."""
    iceberg: Iceberg | None = None
    interactive: bool = False
    default_pipe: Pipe | None = field(default=None, repr=False)
    """`<TABLE>-STREAMING`; None until somebody asks for it."""

    @property
    def variety(self) -> str:
        """As CREATE and SHOW call it: TABLE, ICEBERG TABLE or INTERACTIVE TABLE."""
        return "ICEBERG TABLE" if self.iceberg else "INTERACTIVE TABLE" if self.interactive else "TABLE"

    @property
    def schema(self) -> Schema:
        assert isinstance(self.container, Schema)
        return self.container

    def column(self, name: str) -> Column | None:
        """By stored name: case counts."""
        return next((column for column in self.columns if column.name == name), None)
