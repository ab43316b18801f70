"""A table that a pipeline fills.

It begins with the metadata column alone; schema evolution adds the rest. The default pipe comes into being with the
first channel, so there is nothing to create for it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from firnline_infra.blueprint.snowflake.alteration import Alteration
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.model import Durability


@dataclass(frozen=True, kw_only=True)
class Table:
    column_type: ClassVar[str] = "OBJECT"

    name: QualifiedName
    metadata_column: Identifier
    schema_evolution: bool = True
    error_logging: bool = True
    row_timestamp: bool = True
    durability: Durability = Durability.PROTECTED
    comment: str = ""

    @property
    def alterations(self) -> tuple[Alteration, ...]:
        """What the provider's resource can't say."""
        return tuple(self._alterations())

    def _alterations(self) -> Iterator[Alteration]:
        loses_nothing = self.durability is Durability.EPHEMERAL
        if self.schema_evolution:
            yield Alteration.of(self.name, "ENABLE_SCHEMA_EVOLUTION", is_reverted=True)
        if self.error_logging:
            yield Alteration.of(self.name, "ERROR_LOGGING", is_reverted=loses_nothing)
        if self.row_timestamp:
            yield Alteration.of(self.name, "ROW_TIMESTAMP", is_reverted=loses_nothing)


@dataclass(frozen=True, kw_only=True)
class IcebergTable:
    """In the format's third version, the first that knows VARIANT."""

    column_type: ClassVar[str] = "VARIANT"
    catalog: ClassVar[str] = "SNOWFLAKE"
    format_version: ClassVar[int] = 3

    name: QualifiedName
    metadata_column: Identifier
    volume: Identifier
    base_location: str
    schema_evolution: bool = True
    error_logging: bool = True
    durability: Durability = Durability.PROTECTED
    comment: str = ""

    @property
    def alterations(self) -> tuple[Alteration, ...]:
        if not self.schema_evolution:
            return ()
        return (Alteration.of(self.name, "ENABLE_SCHEMA_EVOLUTION", is_reverted=True, kind="ICEBERG TABLE"),)
