"""The column that a first-level key gets in a table: its definition, and whether a person has to give its type."""

from typing import NamedTuple

from firnline_ingest.identifiers import quoted
from firnline_ingest.snowflake.target import TargetState

TYPES = {
    "text": "VARCHAR",
    "integer": "NUMBER(38, 0)",
    "number": "FLOAT",
    "boolean": "BOOLEAN",
    "null": "VARCHAR",
    "object": "VARIANT",
}
OF_ICEBERG = {"TIMESTAMP_LTZ(9)": "TIMESTAMP_LTZ(6)"}
"""Iceberg's timestamptz has microseconds."""
UNSAID = "…"


class NewColumn(NamedTuple):
    """A column for a key; `kind` is what the key's value was (records/first_sight.py)."""

    key: str
    kind: str
    approved: str = ""
    """The definition that a person has approved: that one, whatever the kind of a later record is."""

    declared: str = ""
    """The type that the record's schema declares; empty where `kind` decides."""

    def definition(self, state: TargetState) -> str:
        """Returns it as ADD COLUMN takes it; with … where a person has to name a type."""
        return self.approved or f"{quoted(self.key.upper())} {self._type(state)}"

    def is_a_persons(self, state: TargetState) -> bool:
        """Returns whether only a person can give its type: an Iceberg table has arrays of one type alone, and without VARIANT
        objects of named keys alone."""
        return self.definition(state).endswith(f"({UNSAID})")

    def _type(self, state: TargetState) -> str:
        if self.declared:
            return OF_ICEBERG.get(self.declared, self.declared) if state.is_iceberg else self.declared
        if self.kind == "array":
            return f"ARRAY({UNSAID})" if state.is_iceberg else "ARRAY"
        if self.kind == "object" and not state.has_variant:
            return f"OBJECT({UNSAID})"
        return TYPES[self.kind]
