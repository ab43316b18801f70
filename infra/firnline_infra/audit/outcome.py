"""The two sides of a comparison: a record of the stream, and what became of one.

Both are ordered by position, and one shard is compared at a time.
"""

from enum import Enum, StrEnum
from typing import NamedTuple

from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rejection import LeftOut

NOWHERE = "no table"
"""The table of a record that no route takes: it is a dead letter."""


class ClaimStatus(Enum):
    """Claim of the audit that a record is somewhere."""

    CLAIMED = "it has to be somewhere"
    BEFORE_CLAIM = "it arrived before the pipeline's beginning, and may be absent"
    TAKEN_BEFORE = "the consumer that was migrated from took it in, and it has to be absent"
    AFTER_CLAIM = "it arrived after the audit's end, and may be absent"


class StreamRecord(NamedTuple):
    """A record as Kinesis returned it, a user record out of an aggregate, or one of the rows that it becomes."""

    sequence_number: int
    data: bytes
    status: ClaimStatus = ClaimStatus.CLAIMED
    partition_key: str = ""
    arrived_ms: int | None = None
    row: int = 0
    not_ingested: LeftOut | None = None
    """The reason why it is intentionally not ingested."""
    whole: bytes | None = None
    """The record's own bytes, where `data` is one row of what a format makes of them."""
    sub_sequence_number: int = 0
    read: Record | None = None
    """What it was made of."""
    unknown: frozenset[str] = frozenset()
    """First-level keys, in upper case, whose values the audit's readers do not say."""
    is_unreadable: bool = False
    """True if the audit's reader of the pipeline's format can make no row of it."""
    table: str | None = None
    """Where its pipeline's routes send it: a table's name, or NOWHERE. None where there are none, or nobody can tell."""

    @property
    def position(self) -> str:
        return position_text(self.sequence_number, self.sub_sequence_number, self.row)


class RecordPlace(StrEnum):
    """The places to which a record may have gone."""

    TABLE = "table"
    ERROR_TABLE = "error table"
    DEAD_LETTERS = "dead letters"


class LetterContent(NamedTuple):
    """Contents of a dead letter about its record."""

    digest: bytes
    reason: str


class AuditOutcome(NamedTuple):
    """One row, error row or dead letter, by the position that it bears."""

    sequence_number: int
    sub_sequence_number: int
    place: RecordPlace
    arrived_ms: int | None = None
    content: object = None
    """An error row's Rejection; else what a ContentCheck needs of it; None where contents are not compared."""
    row: int = 0
    table: str = ""
    """The name of the table, where a pipeline has several."""

    @property
    def where(self) -> str:
        """The place, with the table's name where there are several."""
        return f"{self.place} {self.table}".rstrip()

    @property
    def position(self) -> str:
        """The number in the row's metadata, by which a person or a query finds the row."""
        return position_text(self.sequence_number, self.sub_sequence_number, self.row)


def position_text(sequence_number: int, sub_sequence_number: int = 0, row: int = 0) -> str:
    """Zeros at the end are left out."""
    if row:
        return f"{sequence_number}.{sub_sequence_number}.{row}"
    return f"{sequence_number}.{sub_sequence_number}" if sub_sequence_number else str(sequence_number)
