"""Dead letters that the engine is done with, as its ledger says: a replay takes no other.

Before the engine has passed a record, it may read it again and make a row of it. Where it was read again from the horizon, by a
person's word, that may have happened already.
"""

from dataclasses import dataclass

from firnline_ingest.dead_letters.conversion import DeadLetterConverter
from firnline_ingest.dead_letters.journal import place_of
from firnline_ingest.dead_letters.letter import DeadLetter
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.records.rejection import RejectReason

NOT_PASSED = "the engine has not passed it yet, and may read it again"
FORGOTTEN = "the ledger does not know its shard"
READ_AGAIN = "the engine has read it again since, and may have made a row of it"


@dataclass(frozen=True)
class PassedRecords:
    """The records of one shard that a replay may take. `routing` is its configuration's, and so is the `maker`."""

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
        """False for a misplaced one, which every reading leaves to its copy, and for one that would be a dead letter again."""
        again = row.read_again
        if again is None or place_of(letter.key.position) > place_of(again.through):
            return False
        if letter.reason == RejectReason.MISPLACED:
            return False
        return again.routing != self.routing or bool(self.maker.make(letter).rows)


def has_passed(row: ShardRow, letter: DeadLetter) -> bool:
    """Returns whether the engine will never read the letter's record again."""
    if row.reset is not None or row.read_through is None:
        return False
    place, through = place_of(letter.key.position), row.read_through
    return place < place_of(through) or (place == place_of(through) and not through.is_inside_record)
