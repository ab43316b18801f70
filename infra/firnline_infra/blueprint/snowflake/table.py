"""A table that a pipeline fills through its default pipe.

It begins with the metadata column alone; schema evolution adds the rest. The default pipe comes into being with the
first channel, so there is nothing to create for it.
"""

from dataclasses import dataclass
from typing import ClassVar

from firnline_infra.spec.identifier import Identifier, QualifiedName


@dataclass(frozen=True, kw_only=True)
class Table:
    kind: ClassVar[str] = "Snowflake table"

    name: QualifiedName
    metadata_column: Identifier
    schema_evolution: bool
    error_logging: bool
    row_timestamp: bool

    @property
    def create(self) -> str:
        return (
            f"CREATE TABLE IF NOT EXISTS {self.name.sql} ({self.metadata_column.sql} OBJECT) "
            f"ENABLE_SCHEMA_EVOLUTION = {_switch(self.schema_evolution)} "
            f"ERROR_LOGGING = {_switch(self.error_logging)} "
            f"ROW_TIMESTAMP = {_switch(self.row_timestamp)}"
        )

    @property
    def drop(self) -> str:
        return f"DROP TABLE IF EXISTS {self.name.sql}"


def _switch(on: bool) -> str:
    return "TRUE" if on else "FALSE"
