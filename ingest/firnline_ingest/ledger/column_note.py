"""Notes of when each column of a table was seen first, by the engine that writes into it.

A record that was sent before its key had a column has no value there, and nothing in the table says so. The driver keeps the note
(spark/column_notes.py), and the audit reads it: nothing of what the engine does depends on it.
"""

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

import msgspec

MOST_BYTES = 300_000
"""An item of DynamoDB holds 400 KB (ServiceQuotas.html, read 2026-11-28)."""


class ColumnDecision(StrEnum):
    """A person's word about a planned column."""

    OPEN = "open"
    APPROVED = "approved"
    DECLINED = "declined"


@dataclass(frozen=True, slots=True)
class PlannedColumn:
    """A column that the engine would add, and the first record with its key."""

    key: str
    definition: str
    """As ADD COLUMN takes it."""
    shard: str
    sequence_number: str
    records: int
    """How many of the page with the first one have the key."""
    seen_ms: int
    decision: ColumnDecision = ColumnDecision.OPEN


@dataclass(frozen=True, slots=True)
class ColumnNote:
    """The columns of one table as it is now; one that is gone is forgotten."""

    table_created_on: str
    """The moment of its creation: another table of the name begins a note of its own."""
    since_ms: Mapping[str, int]
    """By stored name, the driver's time at which a look at the table had the column, and the one before had not. 0 where
    nothing shows that rows are older than the column."""
    evolves_since_ms: int | None = None
    """Since when a key without a column gets one from Snowflake itself; None while it gets none."""
    planned: Mapping[str, PlannedColumn] = field(default_factory=dict)
    """Columns that wait for a person's word, or have it, by their keys whatever the case (planned_columns.py)."""
    number: int = 1
    """Each change of the note has a higher one."""

    @classmethod
    def begun(cls, created_on: str, columns: Iterable[str], *, evolves: bool) -> "ColumnNote":
        return cls(created_on, dict.fromkeys(columns, 0), 0 if evolves else None)

    def after(self, columns: Iterable[str], *, evolves: bool, now_ms: int) -> "ColumnNote":
        """Returns the note after another look at the same table. A column that schema evolution added is as old as the first
        record with its key, but for records from before the table evolved."""
        evolves_since = None if not evolves else now_ms if self.evolves_since_ms is None else self.evolves_since_ms
        new_ms = now_ms if evolves_since is None else evolves_since
        since = {name: self.since_ms.get(name, new_ms) for name in columns}
        planned = {name: each for name, each in self.planned.items() if each.key.upper() not in since}
        found = replace(self, since_ms=since, evolves_since_ms=evolves_since, planned=planned)
        return self if found == self else replace(found, number=self.number + 1)

    @property
    def is_nearly_full(self) -> bool:
        """True if there may be no room for the next key, which then can't be planned."""
        return len(self.to_bytes()) > MOST_BYTES * 19 // 20

    def to_bytes(self) -> bytes:
        return zlib.compress(msgspec.json.encode(self, order="deterministic"))

    @property
    def can_be_kept(self) -> bool:
        return len(self.to_bytes()) <= MOST_BYTES


def note_from_bytes(packed: bytes) -> ColumnNote | None:
    """Returns None for what is not in the form of this release."""
    try:
        return msgspec.json.decode(zlib.decompress(packed), type=ColumnNote)
    except (zlib.error, msgspec.MsgspecError):
        return None
