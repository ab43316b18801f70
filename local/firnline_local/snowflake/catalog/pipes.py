"""Streaming pipes: the default one that each table has, and those that CREATE PIPE made."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from firnline_local.snowflake.catalog import kinds
from firnline_local.snowflake.catalog.objects import CatalogObject

if TYPE_CHECKING:
    from firnline_local.snowflake.catalog.tables import Table

DEFAULT_SUFFIX = "-STREAMING"


@dataclass(frozen=True, slots=True)
class PipeColumn:
    """What a pipe with a transformation puts into one column."""

    column: str
    path: tuple[str, ...]
    """Keys from the row down to the value; the row itself where empty."""


@dataclass(kw_only=True, eq=False)
class Pipe(CatalogObject):
    """A way into one table. It leads nowhere once its table is gone, even if a new table gets the same name."""

    kind = kinds.PIPE
    table: "Table" = field(repr=False)
    definition: str
    """The COPY statement, byte for byte as it was given."""
    match_by_column_name: str = "CASE_INSENSITIVE"
    """CASE_INSENSITIVE or CASE_SENSITIVE."""
    transformation: tuple[PipeColumn, ...] = ()
    """Takes the place of matching by name, where there is one."""
    is_default: bool = False
    """Made by the service on demand: it can't be altered or dropped, and needs no grant."""
    paused: bool = False

    @property
    def is_live(self) -> bool:
        """Whether rows can go through it: it exists, and its table too."""
        return self.table.is_live and (self.is_default or super().is_live)
