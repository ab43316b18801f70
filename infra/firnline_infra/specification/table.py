"""What a table is that a pipeline fills, and what the engine may do with it."""

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from firnline_infra.specification.containers import ObjectOrigin
from firnline_infra.specification.identifier import IdentifierText
from firnline_ingest.config.document import Section


class TableKind(StrEnum):
    """What kind of table rows land in."""

    STANDARD = "standard"
    """In Snowflake's own storage; the only kind with row timestamps."""
    ICEBERG = "iceberg"
    """In a bucket of yours, through an external volume."""
    INTERACTIVE = "interactive"
    """For queries within a second, through an interactive warehouse."""


class TablePrivilege(StrEnum):
    """What the engine may do with its table."""

    INSERT = "insert"
    """INSERT, and EVOLVE SCHEMA where the schema evolves; the deploy role owns the table."""
    OWNERSHIP = "ownership"
    """The engine owns it: for accounts where other tools demand that."""


class Pipe(Section):
    """A pipe of one's own in place of the table's default pipe."""

    name: IdentifierText
    """In the schema of its table. A new name ends the old pipe's channels."""
    origin: ObjectOrigin = Field(default=ObjectOrigin.CREATE, strict=False)
    """`adopt` uses a pipe that exists, and leaves it as it is."""
    select: str | None = Field(default=None, min_length=1)
    """What of a record becomes a row, over DATA_SOURCE(TYPE => 'STREAMING'): an expression for each column of the table, in their
    order, `$1:KINESISMETADATA, $1:id::NUMBER, …`, whose keys keep their case. With `origin: create`,
    and schema_evolution: false."""

    @model_validator(mode="after")
    def _one_that_is_made_selects(self) -> Self:
        if (self.origin is ObjectOrigin.CREATE) != (self.select is not None):
            raise ValueError("give select with origin: create, and only then")
        return self
