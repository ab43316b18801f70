"""Compares what a journal calls proven with the table as it is now: an account may have failed over to a replica that has less.

A channel's committed token is the proof, and it is the table's: batches numbered beyond it are not in the table. Where the
channel is another one than a batch was sent through (dropped, unused for 30 days, or not in the replica), nothing says so.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firnline_ingest.dead_letters.journal import BatchHeader, Journal, Outcome
from firnline_ingest.values import ChannelState, Position


@dataclass(frozen=True, slots=True)
class SentBatch:
    """A batch of a journal without its rows."""

    header: BatchHeader
    digest: int
    rows: int
    outcome: Outcome | None
    """None where it is not over."""
    is_lost: bool

    @property
    def number(self) -> int:
        return self.header.number

    def has(self, token: Position) -> bool:
        return (token.sequence_number, token.sub_sequence_number) == (self.number, self.digest)


@dataclass(frozen=True, slots=True)
class Lacking:
    """The numbers of the batches that a table is without."""

    lost: frozenset[int] = frozenset()
    """No row of them is in the table."""
    unknown: frozenset[int] = frozenset()
    """Proven once, and nothing says whether their rows are still there."""
    part: int | None = None
    """The batch of which the last rows are not in the table."""


def sent_batches(journal: Journal) -> Iterator[SentBatch]:
    """Every batch of the journal, in order."""
    for number, is_over in journal.numbers().items():
        outcome, batch = journal.end_then(number).outcome if is_over else None, journal.summary(number)
        yield SentBatch(batch.header, batch.digest, batch.rows, outcome, number in journal.lost)


def lacking(sent: Sequence[SentBatch], state: ChannelState) -> Lacking | None:
    """Compares the batches of one channel with where it stands; None where no batch explains its token. `sent` are those of
    before the channel was opened.
    """
    proven = [each for each in sent if each.outcome is Outcome.PROVEN and not each.is_lost]
    token = state.committed
    if token is None:
        lost = {each.number for each in proven if each.header.channel_created_ms == state.created_ms}
        return Lacking(frozenset(lost), frozenset(each.number for each in proven) - lost)
    at = next((each for each in sent if each.has(token) and not each.is_lost), None)
    if at is None:
        return None
    created_ms = at.header.channel_created_ms
    begun = [each for each in sent if each.outcome is None and each.header.before != token.token]
    return Lacking(
        lost=frozenset(each.number for each in (*proven, *begun) if each.number > at.number),
        unknown=frozenset(
            each.number for each in proven if each.number < at.number and each.header.channel_created_ms != created_ms
        ),
        part=at.number if at.outcome is Outcome.PROVEN and token.row < at.rows else None,
    )
