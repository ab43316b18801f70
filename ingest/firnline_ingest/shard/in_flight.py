"""Rows between the append and the proof.

A range is proven when the committed token has reached it and the channel's counters grew by exactly the rows that lie
in it (docs/design/ledger.md, section 4). Counters may trail the token for a moment; a difference that lasts is an error.
"""

import bisect
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from firnline_ingest.ledger.errors import LedgerBehind
from firnline_ingest.ledger.row import Proven
from firnline_ingest.snowflake.errors import CountsDisagree
from firnline_ingest.values import ChannelState, Position, ShardKey

PATIENCE_S = 30.0


@dataclass(slots=True)
class Chunk:
    """Rows of one append, by the sequence numbers of their records, and the position that the append accounts for."""

    end: Position
    sequence_numbers: Sequence[str]
    bytes: int

    def rows_up_to(self, position: Position) -> int:
        if position >= self.end:
            return len(self.sequence_numbers)
        return bisect.bisect_right(self.sequence_numbers, position.sequence_number, key=int)


class InFlightRows:
    """What was sent and is not proven yet; compares it with what the channel says."""

    def __init__(self, key: ShardKey, baseline: Proven, read_through: Position | None) -> None:
        self.key = key
        self.proven = baseline
        self.accounted = read_through
        """Every record up to here was appended, or is a durable dead letter."""
        self.bytes = 0
        self._read_through = read_through
        self._chunks: deque[Chunk] = deque()
        self._disagrees_since: float | None = None

    @property
    def is_empty(self) -> bool:
        return not self._chunks

    @property
    def read_through(self) -> Position | None:
        """As the ledger may have it: never past a row that is not proven."""
        return self._read_through if self._chunks else self.accounted

    def add(self, chunk: Chunk) -> None:
        is_proven = self.proven.position is not None and chunk.end <= self.proven.position
        if chunk.sequence_numbers and not is_proven:
            self._chunks.append(chunk)
            self.bytes += chunk.bytes
        self.accounted = chunk.end

    def confirm(self, state: ChannelState, now_s: float) -> Proven | None:
        """The new proof that `state` gives, None where it gives none. Raises LedgerBehind or CountsDisagree."""
        committed, before = state.committed, self.proven
        if committed is None:
            return None
        if before.position is not None and committed < before.position:
            raise LedgerBehind(self.key, committed=committed.token, proven=before.position.token)
        expected = sum(chunk.rows_up_to(committed) for chunk in self._chunks)
        counted = state.rows_inserted + state.rows_error - before.rows_inserted - before.rows_error
        if counted != expected:
            self._disagree(expected, counted, committed, now_s)
            return None
        self._disagrees_since = None
        if committed == before.position:
            return None
        return Proven(committed, state.rows_inserted, state.rows_error)

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
            head.sequence_numbers = head.sequence_numbers[done:]
            self._read_through = proven.position
            if not head.sequence_numbers:
                self._chunks.popleft()
                self.bytes -= head.bytes

    def _disagree(self, expected: int, counted: int, committed: Position, now_s: float) -> None:
        if self._disagrees_since is None:
            self._disagrees_since = now_s
        elif now_s - self._disagrees_since > PATIENCE_S:
            raise CountsDisagree(str(self.key), sent=expected, counted=counted, at=committed.token)
