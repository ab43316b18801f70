"""Which dead letters the engine is done with, as its ledger says: a replay takes no other.

Before the engine has passed a record, it may read it again and make a row of it. Where it was read again from the horizon, by a
person's word, that may have happened already.
"""

from dataclasses import dataclass
from functools import cached_property

from firnline_ingest.dead_letters.conversion import DeadLetterConverter
from firnline_ingest.dead_letters.journal import RecordPlace, place_of
from firnline_ingest.dead_letters.letter import DeadLetter
from firnline_ingest.ledger.resume import read_again_through
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.records.rejection import RejectReason

NOT_PASSED = "the engine has not passed it yet, and may read it again"
FORGOTTEN = "the ledger does not know its shard"
READ_AGAIN = "the engine has read it again since, and may have made a row of it"


@dataclass(frozen=True)
class PassedRecords:
    """Of one shard. `routing` is of the configuration that the replay has, `maker` makes what an engine with it would."""

    row: ShardRow | None
    routing: str
    maker: DeadLetterConverter
    takes_forgotten: bool = False
    takes_read_again: bool = False

    def why_not(self, letter: DeadLetter) -> str:
        """Returns why the dead letter has to stay one; empty where it may be replayed."""
        if self.row is None:
            return "" if self.takes_forgotten else FORGOTTEN
        if not has_passed(self.row, letter):
            return NOT_PASSED
        return READ_AGAIN if not self.takes_read_again and self._may_be_row(letter, self.row) else ""

    def _may_be_row(self, letter: DeadLetter, row: ShardRow) -> bool:
        """Not a misplaced one, which every reading leaves to its copy; nor one that would be a dead letter again."""
        through = self._read_again_through
        if through is None or place_of(letter.key.position) > through or letter.reason == RejectReason.MISPLACED:
            return False
        return row.read_again != self.routing or bool(self.maker.make(letter).rows)

    @cached_property
    def _read_again_through(self) -> RecordPlace | None:
        through = read_again_through(self.row) if self.row else None
        return place_of(through) if through else None


def has_passed(row: ShardRow, letter: DeadLetter) -> bool:
    """Whether the engine will never read the letter's record again."""
    if row.reset is not None or row.read_through is None:
        return False
    place, through = place_of(letter.key.position), row.read_through
    return place < place_of(through) or (place == place_of(through) and not through.is_inside_record)
