"""What the two sides of a comparison are made of: a record of the stream, and what became of one.

Both are ordered by position, and one shard is compared at a time. Values only; whoever reads a side fills them.
"""

from enum import Enum, StrEnum
from typing import NamedTuple


class Standing(Enum):
    """How a record stands to the claim that an audit is about."""

    CLAIMED = "it has to be somewhere"
    BEFORE_START = "it arrived before the pipeline's beginning, and may be absent"
    LATER = "it arrived after the audit's end, and may be absent"


class StreamRecord(NamedTuple):
    """A record as Kinesis returned it."""

    sequence_number: int
    data: bytes
    standing: Standing = Standing.CLAIMED
    partition_key: str = ""
    arrived_ms: int | None = None


class Place(StrEnum):
    """Where a record may have gone."""

    TABLE = "table"
    ERROR_TABLE = "error table"
    DEAD_LETTERS = "dead letters"


class Outcome(NamedTuple):
    """One row, error row or dead letter, by the position that it bears."""

    sequence_number: int
    sub_sequence_number: int
    place: Place
    arrived_ms: int | None = None
    content: object = None
    """What a ContentCheck needs of it; None where contents are not compared."""

    @property
    def position(self) -> str:
        """As people and SQL find it again."""
        return position_text(self.sequence_number, self.sub_sequence_number)


def position_text(sequence_number: int, sub_sequence_number: int = 0) -> str:
    return f"{sequence_number}.{sub_sequence_number}" if sub_sequence_number else str(sequence_number)
