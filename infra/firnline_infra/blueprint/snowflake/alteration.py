"""One property of a table that the provider's resource can't set: switched on by a statement of its own.

Its text is frozen by a golden test, because changing it reverts the property and sets it again.
"""

from dataclasses import dataclass
from typing import Self

from firnline_infra.specification.identifier import QualifiedName


@dataclass(frozen=True, kw_only=True)
class Alteration:
    property: str
    """As SHOW TABLES names its column, in upper case."""
    execute: str
    revert: str

    @classmethod
    def of(cls, table: QualifiedName, property_: str, *, is_reverted: bool, kind: str = "TABLE") -> Self:
        """Where reverting would lose data (error rows, timestamps), the statement that reverts does nothing."""
        off = f"ALTER {kind} IF EXISTS {table.sql} SET {property_} = FALSE"
        return cls(
            property=property_,
            execute=f"ALTER {kind} {table.sql} SET {property_} = TRUE",
            revert=off if is_reverted else "SELECT 1",
        )
