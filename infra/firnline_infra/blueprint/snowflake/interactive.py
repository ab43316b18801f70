"""Tables that answer within a second, and the warehouse that they need for it."""

from dataclasses import dataclass

from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.model import Durability


@dataclass(frozen=True, kw_only=True)
class InteractiveTable:
    """The one object that the provider has no resource for."""

    name: QualifiedName
    metadata_column: Identifier
    cluster_by: tuple[Identifier, ...]
    durability: Durability = Durability.PROTECTED

    @property
    def create(self) -> str:
        columns = ", ".join(
            [f"{self.metadata_column.sql} OBJECT", *(f"{each.sql} VARCHAR" for each in self.cluster_by)]
        )
        sorting = ", ".join(each.sql for each in self.cluster_by)
        return f"CREATE INTERACTIVE TABLE IF NOT EXISTS {self.name.sql} ({columns}) CLUSTER BY ({sorting})"

    @property
    def drop(self) -> str:
        """Keeps the table where it is protected."""
        return f"DROP TABLE IF EXISTS {self.name.sql}" if self.durability is Durability.EPHEMERAL else "SELECT 1"

    @property
    def query(self) -> str:
        *container, name = self.name.parts
        return f"SHOW INTERACTIVE TABLES LIKE '{name.name}' IN SCHEMA {'.'.join(part.sql for part in container)}"


@dataclass(frozen=True, kw_only=True)
class InteractiveWarehouse:
    name: Identifier
    size: str
    tables: tuple[QualifiedName, ...]
    comment: str = ""
