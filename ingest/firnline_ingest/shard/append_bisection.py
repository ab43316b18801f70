"""Isolates the row that breaks a channel: how much to append at once after a loss, and which record can never be sent.

Some rows cost the channel each time that they are sent: a record with more new keys than a table may gain at once, one that
has to be uploaded where uploads don't get through. Sent again as they were, they would hold their shard for ever. So after
the second loss at one place appends get smaller, each one proven before the next, until the place is passed, or one record
alone has cost the channel twice; that one becomes a dead letter. It lives as long as the
shard's runner.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rejection import RejectedRecord, RejectReason
from firnline_ingest.records.rows import Rows
from firnline_ingest.shard.opening import OpenedShard
from firnline_ingest.shard.work import Destination
from firnline_ingest.snowflake.channel_errors import AppendsRefused, ChannelLost, ChannelStalled
from firnline_ingest.snowflake.in_flight import Chunk
from firnline_ingest.values import Position

SMALLER = (256, 32, 4, 1)  # records of an append; each step is one more loss
LOSSES = 2  # at one place, before it is taken for the rows' doing
UNEXPLAINED = 3  # rows given up one after the other, without a word from the service: then it is not the rows
LONGEST_WAIT = 32  # times the usual wait for a commit
LONGEST_WORDS = 300  # characters: the ledger keeps them, too
CAUSE = "Inner Error: "  # stands in the SDK's words between its advice and what happened


@dataclass(frozen=True, slots=True)
class Step:
    """The number of records to take at once, for everything up to a position."""

    records: int
    through: Position


@dataclass(frozen=True, slots=True)
class Refused:
    """A record from one of its rows on: of a large one, rows before it may have gone."""

    place: Position
    words: str
    """The service's."""

    def row_of(self, rows: int) -> int:
        """Returns the row's number, from 0, in a record of so many rows."""
        return min(max(0, self.place.row - 1), rows - 1)


@dataclass(slots=True)
class AppendBisection:
    """Isolates the records of one shard that break a channel; not thread-safe."""

    channel: str
    refused: dict[Position, Refused] = field(default_factory=dict)
    """Records that cost the channel by themselves."""
    _steps: list[Step] = field(default_factory=list)
    """Each one smaller and shorter than the one before."""
    _place: Position | None = None
    _losses: int = 0
    _stalls: int = 0
    _unexplained: int = 0
    _suspects: Sequence[Chunk] = ()
    _reason: ChannelLost | None = None

    @property
    def commit_timeout_factor(self) -> int:
        """The factor by which to multiply the usual wait for a commit: each wait that was too short at one place doubles it."""
        return min(1 << self._stalls, LONGEST_WAIT)

    def forget(self, through: Position | None) -> None:
        """Records before this one are never read again."""
        place = through and (through.sequence_number, through.sub_sequence_number)
        if place and self.refused:
            kept = {
                at: each for at, each in self.refused.items() if (at.sequence_number, at.sub_sequence_number) >= place
            }
            self.refused = kept

    def lost(self, error: ChannelLost, unproven: Sequence[Chunk]) -> None:
        """The channel was lost with these rows in flight; what is to blame is known when it is open again."""
        self._reason, self._suspects = error, unproven

    def opened(self, committed: Position | None) -> None:
        """The channel is open again, and stands here. Raises AppendsRefused where no row at all is taken any more."""
        error, suspects = self._reason, _beyond(committed, self._suspects)
        self._reason, self._suspects = None, ()
        if committed != self._place:
            self._place, self._losses, self._stalls = committed, 0, 0
        if isinstance(error, ChannelStalled):
            self._stalls += 1
        elif error is not None and suspects:
            self._losses += 1
            self._take_smaller_steps(error, suspects)

    def records_at_once(self, records: Sequence[Record]) -> int:
        """The number of these records to take next; a refused one is taken alone."""
        if not self.refused and not self._steps:
            return len(records)
        first = records[0].position
        if first in self.refused:
            return 1
        self._steps = [step for step in self._steps if first <= step.through]
        most = self._steps[-1].records if self._steps else len(records)
        taken = records[:most]
        return next((index for index, one in enumerate(taken) if one.position in self.refused), len(taken))

    def is_needed_for(self, records: Sequence[Record]) -> bool:
        """Returns whether these must be proven before anything else is appended."""
        return bool(self._steps) or (bool(self.refused) and records[0].position in self.refused)

    def passed(self) -> None:
        """Rows went through."""
        self._unexplained = 0

    def without_refused(self, made: Rows, records: Sequence[Record]) -> Rows:
        """The rows that may go; a refused record, which stands alone, is rejected from the row on that could not go."""
        refused = self.refused.get(records[0].position) if self.refused else None
        if refused is None or not made.rows:
            return made
        row = refused.row_of(len(made.rows))
        table = next(iter(made.tables), "")
        rejected = RejectedRecord(0, RejectReason.REFUSED, refused.words, row, len(made.rows), table)
        return replace(
            made,
            rows=made.rows[:row],
            sizes=made.sizes[:row],
            indexes=made.indexes[:row],
            tables=made.tables[:row],
            rejected=[rejected],
        )

    def _take_smaller_steps(self, error: ChannelLost, suspects: Sequence[Chunk]) -> None:
        records, is_careful = suspects[0].positions.records, bool(self._steps)
        if records == 1 and is_careful and self._steps[-1].records == 1 and self._losses >= LOSSES:
            self._refuse(error, suspects[0])
        elif is_careful or self._losses >= LOSSES:
            through = suspects[0].end if is_careful else suspects[-1].end
            smaller = next((step for step in SMALLER if step < records), 1)
            if not is_careful or smaller < self._steps[-1].records:
                self._steps.append(Step(smaller, through))
                self._losses = 0

    def _refuse(self, error: ChannelLost, chunk: Chunk) -> None:
        if not error.server_message:
            self._unexplained += 1
            if self._unexplained > UNEXPLAINED:
                raise AppendsRefused(self.channel, UNEXPLAINED, error.what) from error
        place = chunk.positions[0]
        words = error.server_message or error.what.rpartition(CAUSE)[2]
        self.refused[replace(place, row=0)] = Refused(place, words[:LONGEST_WORDS])
        self._losses = 0


class AppendBisections:
    """The bisections of one shard's channels, for as long as its tables are the same; not thread-safe."""

    def __init__(self, destinations: Iterable[Destination]) -> None:
        self.destinations = tuple(destinations)
        self._by_channel = {each.channel: AppendBisection(each.channel) for each in self.destinations}

    def of(self, channel: str) -> AppendBisection:
        return self._by_channel[channel]

    def lost(self, error: ChannelLost, unproven: Callable[[str], Sequence[Chunk]]) -> None:
        """Notes that the channel which the error names was lost, with these rows in flight; all were if it names none of them.

        A stall concerns every channel: all are opened again for it, and what they wait for begins anew.
        """
        is_its_own = error.channel in self._by_channel and not isinstance(error, ChannelStalled)
        for channel in [error.channel] if is_its_own else self._by_channel:
            self._by_channel[channel].lost(error, unproven(channel))

    def opened(self, opened: OpenedShard) -> None:
        """Notes that every channel is open again. What was refused before a restart stays refused, in whichever channel.

        Raises as AppendBisection.opened.
        """
        for decided in opened.row.decided:
            if decided.refused:
                own = self._by_channel[opened.channels[0].destination.channel]
                own.refused.setdefault(replace(decided.first, row=0), Refused(decided.first, decided.refused))
        for each in opened.channels:
            self._by_channel[each.destination.channel].opened(each.resume.committed)


def _beyond(committed: Position | None, chunks: Sequence[Chunk]) -> list[Chunk]:
    """Returns what of the chunks was not committed."""
    left = []
    for chunk in chunks:
        positions = chunk.positions.without_first(chunk.rows_up_to(committed) if committed else 0)
        if positions:
            left.append(Chunk(chunk.end, positions, chunk.bytes))
    return left
