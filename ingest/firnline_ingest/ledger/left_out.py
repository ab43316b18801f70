"""Records that are neither row nor dead letter because their pipeline's query drops them, as a shard's row of the ledger tells
them from records that are lost (docs/design/ledger.md, section 3).

Marks are running totals at some positions: two of them say how many records between them were left out, and which, by a sum
that tells any other set of records from these.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from firnline_ingest.values import Position

BEGINNING = Position(0)
"""Before every record."""
MOST_MARKS = 24
HOUR_MS = 3_600_000
SUMS = 1 << 64


@dataclass(frozen=True, slots=True)
class LeftOutMark:
    """A count of the records that were dropped up to a position, since the first mark of all, and the sum of their hashes."""

    through: Position = BEGINNING
    records: int = 0
    sum: int = 0
    made_ms: int = 0

    @property
    def text(self) -> str:
        """Returns what `parse` reads."""
        return f"{self.through.token} {self.records} {self.sum:x} {self.made_ms}"

    @classmethod
    def parse(cls, text: str) -> "LeftOutMark":
        token, records, of_hashes, made_ms = text.split(" ")
        return cls(Position.from_token(token), int(records), int(of_hashes, 16), int(made_ms))


def sum_of(records: Iterable[tuple[int, int]]) -> int:
    """Returns the sum of the hashes of records by their sequence and sub-sequence numbers, in whatever order they come."""
    return sum(_hash(*each) for each in records) % SUMS


def added(first: int, second: int) -> int:
    return (first + second) % SUMS


def difference(last: int, first: int) -> int:
    return (last - first) % SUMS


def _hash(sequence_number: int, sub_sequence_number: int) -> int:
    return int.from_bytes(blake2b(b"%d.%d" % (sequence_number, sub_sequence_number), digest_size=8).digest(), "big")


def moved(
    marks: Sequence[LeftOutMark], through: Position, records: Iterable[Position], now_ms: int, retention_hours: int
) -> tuple[LeftOutMark, ...]:
    """Returns the marks of a shard that was read further, with these records left out behind the last mark.

    The last mark moves along; every now and then it stays, and another one is behind it, so that a stream whose oldest records
    leave it has marks among those that it keeps.
    """
    last, left = marks[-1], [(each.sequence_number, each.sub_sequence_number) for each in records]
    now = LeftOutMark(through, last.records + len(left), added(last.sum, sum_of(left)), now_ms)
    every_ms = max(1, retention_hours) * HOUR_MS // MOST_MARKS
    stays = len(marks) == 1 or now_ms - marks[-2].made_ms >= every_ms
    kept = marks if stays else marks[:-1]
    return (*kept, now)[-MOST_MARKS - 2 :]
