"""Rows between the append and the proof.

A row is proven when the committed token has reached it, and the channel's counters have reached it too: requests commit in
order, so counters that grew by n rows counted the first n (docs/design/ledger.md, section 4). Counters may trail the token
or run ahead of it, and an answer may go back. What stays away for half a minute, or is more than was sent, is an error. Behind
a pipe that drops or multiplies rows the token alone is the proof.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from firnline_ingest.ledger.errors import LedgerBehind
from firnline_ingest.ledger.row import Proven
from firnline_ingest.snowflake.channel_errors import CountsDisagree
from firnline_ingest.snowflake.row_positions import RowPositions
from firnline_ingest.values import ChannelState, Position, ShardKey

TIMEOUT_S = 30.0


@dataclass(slots=True)
class Chunk:
    """Rows of one append, by their positions, and the position that the append accounts for."""

    end: Position
    positions: RowPositions
    bytes: int
    sent_s: float = 0.0
    """The time at which the append was made; 0 of rows that were only read again."""

    def rows_up_to(self, position: Position) -> int:
        if position >= self.end:
            return len(self.positions)
        return self.positions.count_up_to(position)

    def position_of(self, row: int) -> Position:
        """The position of the row with this number, counted from 1; the last row stands for the whole chunk."""
        return self.end if row == len(self.positions) else self.positions[row - 1]


@dataclass(frozen=True, slots=True)
class ObservedToken:
    """A token that was seen, how many rows the channel must have counted by then, and when it was seen first."""

    token: Position
    rows: int
    seen_s: float


class InFlightRows:
    """Rows that were sent and are not proven yet; compares them with what the channel says.

    Rows are numbered as the channel counts them, since it was made.
    """

    def __init__(
        self,
        key: ShardKey,
        baseline: Proven,
        read_through: Position | None,
        drops_through: Position | None = None,
        *,
        are_counted: bool = True,
    ) -> None:
        """`are_counted`: whether the channel's counters rise by each row that is sent. Behind a pipe that drops or multiplies
        rows they do not, and the committed token alone is the proof."""
        self.key = key
        self.proven = baseline
        self._drops_through = drops_through
        self._are_counted = are_counted
        self.accounted = read_through
        """Every record up to here was appended, or is a durable dead letter."""
        self.bytes = 0
        self._read_through = read_through
        self._chunks: deque[Chunk] = deque()
        self._sent = _counted(baseline)
        self._uncounted: deque[ObservedToken] = deque()
        self._counts: deque[Proven] = deque()
        """Counters that ran ahead of the token, without their positions."""
        self._behind_since_s: float | None = None
        self._answer, self._answered_s = 0.0, float("-inf")
        """The last answer, as ChannelState.answered_s says which it is, and when it was seen first."""

    @property
    def is_empty(self) -> bool:
        return not self._chunks

    @property
    def unproven(self) -> Sequence[Chunk]:
        return tuple(self._chunks)

    @property
    def waits_since_s(self) -> float | None:
        """Time when the oldest row was sent that is not proven; None if none is."""
        return next((chunk.sent_s for chunk in self._chunks if chunk.sent_s), None)

    @property
    def is_only_read_again(self) -> bool:
        """True if something is in flight, and nothing of it was sent since the channel was opened."""
        return bool(self._chunks) and self.waits_since_s is None

    @property
    def read_through(self) -> Position | None:
        """The position for the ledger: never past a row that is not proven."""
        return self._read_through if self._chunks else self.accounted

    @property
    def sent_through(self) -> Position | None:
        """The end of the last append; what is proven where nothing is in flight."""
        return self._chunks[-1].end if self._chunks else self.proven.position

    @property
    def _settled_through(self) -> Position | None:
        """Position through which everything has been counted, in this channel or in the one before."""
        return max(filter(None, (self.proven.position, self._drops_through)), default=None)

    def add(self, chunk: Chunk) -> None:
        settled = self._settled_through
        is_settled = settled is not None and chunk.end <= settled
        if chunk.positions and not is_settled:
            if not self._chunks:
                self._read_through = self.accounted
            self._chunks.append(chunk)
            self.bytes += chunk.bytes
            self._sent += len(chunk.positions)
        self.accounted = chunk.end

    def add_known(self, chunk: Chunk) -> None:
        """Rows that the channel had committed when it was opened; those of them that are proven are not counted again."""
        settled = self._settled_through
        done = chunk.rows_up_to(settled) if settled is not None else 0
        self.add(Chunk(chunk.end, chunk.positions.without_first(done), chunk.bytes) if done else chunk)

    def confirm(self, state: ChannelState, now_s: float) -> Proven | None:
        """The new proof that `state` gives, None where it gives none. Raises LedgerBehind or CountsDisagree."""
        committed, seen_s = state.committed, self._seen_s(state, now_s)
        if committed is None or self._is_behind(committed, seen_s):
            return None
        if not self._are_counted:
            return self._proof_by_token(Proven(committed, state.rows_inserted, state.rows_error))
        counted = state.rows_inserted + state.rows_error
        if counted > self._sent:
            raise CountsDisagree(self.key, sent=self._sent, counted=counted, at=committed.token)
        reached = _counted(self.proven) + sum(chunk.rows_up_to(committed) for chunk in self._chunks)
        self._wait_for(ObservedToken(committed, reached, seen_s), counted)
        return self._proof(committed, reached, Proven(None, state.rows_inserted, state.rows_error))

    def accept(self, proven: Proven) -> None:
        """Takes a proof that `confirm` gave, and forgets the rows that it covers."""
        assert proven.position is not None
        self.proven = proven
        while self._chunks and self._chunks[0].end <= proven.position:
            chunk = self._chunks.popleft()
            self.bytes -= chunk.bytes
            self._read_through = chunk.end
        if self._chunks and (done := self._chunks[0].rows_up_to(proven.position)):
            head = self._chunks[0]
            head.positions = head.positions.without_first(done)
            self._read_through = proven.position
            if not head.positions:
                self._chunks.popleft()
                self.bytes -= head.bytes

    def rebase(self, baseline: Proven) -> None:
        """Counts from `baseline` on, whatever was counted before: what lies up to its position can't be proven any more."""
        if baseline.position is not None:
            self.accept(baseline)
        self.proven = baseline
        self._sent = _counted(baseline) + sum(len(chunk.positions) for chunk in self._chunks)
        self._uncounted.clear()
        self._counts.clear()

    def _seen_s(self, state: ChannelState, now_s: float) -> float:
        """Returns when this answer was seen first: one that is given again says nothing new. After a time without answers, an
        outage's or a frozen process's, the wait starts over.
        """
        if not state.answered_s:
            return now_s
        if state.answered_s != self._answer:
            if now_s - self._answered_s > TIMEOUT_S:
                self._uncounted.clear()
                self._behind_since_s = None
            self._answer, self._answered_s = state.answered_s, now_s
        return self._answered_s

    def _is_behind(self, committed: Position, now_s: float) -> bool:
        """Returns whether this answer is older than what was proven. Raises LedgerBehind if such answers don't end."""
        proven = self.proven.position
        if proven is None or committed >= proven:
            self._behind_since_s = None
            return False
        if self._behind_since_s is None:
            self._behind_since_s = now_s
        elif now_s - self._behind_since_s > TIMEOUT_S:
            raise LedgerBehind(self.key, committed=committed.token, proven=proven.token)
        return True

    def _wait_for(self, reached: ObservedToken, counted: int) -> None:
        """Raises CountsDisagree where the rows up to a token that was seen were not counted for too long."""
        waiting = self._uncounted
        if not waiting or reached.token > waiting[-1].token:
            waiting.append(reached)
        while waiting and waiting[0].rows <= counted:
            waiting.popleft()
        if waiting and reached.seen_s - waiting[0].seen_s > TIMEOUT_S:
            first, base = waiting[0], _counted(self.proven)
            raise CountsDisagree(self.key, sent=first.rows - base, counted=counted - base, at=first.token.token)

    def _proof(self, committed: Position, reached: int, seen: Proven) -> Proven | None:
        """The newest counters that the token has reached, with the position of the last row that they counted."""
        if not self._counts or _counted(self._counts[-1]) < _counted(seen):
            self._counts.append(seen)
        counts = None
        while self._counts and _counted(self._counts[0]) <= reached:
            counts = self._counts.popleft()
        if counts is None or _counted(counts) < _counted(self.proven):
            return None
        position = committed if _counted(counts) == reached else self._position_of(_counted(counts))
        if position is None or position == self.proven.position:
            return None
        return Proven(position, counts.rows_inserted, counts.rows_error)

    def _proof_by_token(self, seen: Proven) -> Proven | None:
        """Rejected rows are counted by the server, maybe later than their token was committed: then a proof of the same position
        brings them."""
        is_further = self.proven.position is None or seen.position != self.proven.position
        return seen if is_further or seen.rows_error > self.proven.rows_error else None

    def _position_of(self, row: int) -> Position | None:
        """Returns None for a row that is proven already."""
        before = _counted(self.proven)
        for chunk in self._chunks:
            if before < row <= before + len(chunk.positions):
                return chunk.position_of(row - before)
            before += len(chunk.positions)
        return None


def _counted(proven: Proven) -> int:
    return proven.rows_inserted + proven.rows_error
