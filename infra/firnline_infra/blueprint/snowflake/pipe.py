"""A pipe of one's own for Snowpipe Streaming."""

from dataclasses import dataclass

from firnline_infra.specification.identifier import QualifiedName
from firnline_infra.specification.model import Durability


@dataclass(frozen=True, kw_only=True)
class Pipe:
    """To replace it ends every channel on it."""

    name: QualifiedName
    table: QualifiedName
    select: str
    durability: Durability = Durability.PROTECTED
    comment: str = ""

    @property
    def copy_statement(self) -> str:
        """Snowflake repeats it byte for byte, and any difference replaces the pipe."""
        return f"COPY INTO {self.table.sql} FROM (SELECT {self.select} FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')))"
