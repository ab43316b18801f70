"""Writes one partition of a batch through its channel, each row once, however often Spark runs the batch.

Rows that the channel has are not sent again: they are held against the digest in its token first. What was sent and is not
committed stays in memory, so that a channel that is lost can be opened again. No Spark is needed.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

import msgspec

from firnline_ingest.config.rows import Tolerance
from firnline_ingest.datasource.snowpipe.errors import (
    AttemptReplaced,
    BatchDiffers,
    CheckpointBehind,
    FrameRowsRejected,
    QueryForeign,
    RowsUncounted,
    RowTooLarge,
    RowUnwritable,
)
from firnline_ingest.datasource.snowpipe.place import Place, RowDigest
from firnline_ingest.records.rejection import RejectReason
from firnline_ingest.snowflake.channel import ChannelOpener, settled_counters
from firnline_ingest.snowflake.channel_errors import ChannelLost, ChannelStalled, ClientLost
from firnline_ingest.snowflake.sdk_channel import STALE
from firnline_ingest.snowflake.sending import APPEND_BYTES, Pace, SendWindow, append_when_taken
from firnline_ingest.values import ChannelState, Position, TargetTable

MOST_ROW_BYTES = 4_000_000
"""The most that a request of Snowpipe Streaming holds."""
MOST_UNPROVEN_BYTES = 16_000_000
POLL_S = 0.02
SETTLE_S = 2.0
STALLED_S = 120.0
COUNTED_S = 30.0
LOSSES = 5
"""The number of times that a channel is opened again while no row is committed."""


@dataclass(frozen=True, slots=True)
class PartitionKey:
    """The identity of a partition of a batch, and its channel."""

    query: str
    batch: int
    partition: int
    channel: str


@dataclass(frozen=True, slots=True)
class Written:
    """The rows of a partition, by what became of them."""

    rows: int
    known: int
    """Of these, those that an earlier attempt had added."""
    rejected: int
    dead_letters: int = 0
    """Rows that no channel takes, and that are kept elsewhere."""


@dataclass(frozen=True, slots=True)
class UnwritableRow:
    """A row that can't be written as JSON, in a form that can be kept; the same row has the same text."""

    text: bytes
    cause: str


@dataclass(frozen=True, slots=True)
class RowFault:
    """The reason why a row is not one for a channel."""

    reason: RejectReason
    detail: str
    error: RowTooLarge | RowUnwritable
    """The error that the query stops with if the row is not kept."""


class RowKeeper(Protocol):
    """Keeps rows that no channel takes."""

    def keep(self, number: int, row: bytes, fault: RowFault) -> None:
        """Returns when it is durable; the same row is kept once, however often it comes. Raises DeadLetterError."""


@dataclass(frozen=True, slots=True)
class Append:
    """Rows that were handed over together."""

    rows: list[msgspec.Raw]
    start: Position
    end: Position
    size: int


class PartitionWriter:
    """Used once; not thread-safe."""

    def __init__(
        self,
        opener: ChannelOpener,
        target: TargetTable,
        key: PartitionKey,
        *,
        tolerance: Tolerance = Tolerance.NONE,
        letters: RowKeeper | None = None,
        settle_s: float = SETTLE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._opener = opener
        self._target = target
        self._key = key
        self._tolerance = tolerance
        self._letters = letters
        self._settle_s = settle_s
        self._clock = clock
        self._digest = RowDigest()
        self._number = 0
        self._pending: list[msgspec.Raw] = []
        self._pending_bytes = 0
        self._first_pending = 0
        self._dead_letters = 0
        self._unproven: deque[Append] = deque()
        self._unproven_bytes = 0
        self._pace = Pace()
        self._losses = 0
        self._sent = 0
        self._rejected = 0
        self._proven_s = clock()
        self._proven: Position | None = None
        self._channel, state = opener.open(target, key.channel)
        self._window = SendWindow(self._channel)
        self._done = self._done_by(state)
        self._base = self._baseline(state)

    def write(self, rows: Iterable[bytes | UnwritableRow]) -> Written:
        """Returns when every row is committed, or kept as a dead letter.

        Raises QueryForeign, CheckpointBehind, BatchDiffers, RowTooLarge, RowUnwritable, FrameRowsRejected, AttemptReplaced,
        RowsUncounted, DeadLetterError and what appending raises. Whatever it raises, another attempt goes on behind what is
        committed.
        """
        try:
            for row in rows:
                self._take(row)
            if self._number < self._done.rows:
                raise self._differs(f"it had {self._done.rows:,} rows at least, and now has {self._number:,}")
            self._send(is_end=True)
            self._prove(lambda: not self._unproven)
            self._count()
        finally:
            self._channel.close()
        return Written(self._number, min(self._done.rows, self._number), self._rejected, self._dead_letters)

    def _take(self, row: bytes | UnwritableRow) -> None:
        """Takes the next row. One that no channel takes has a number, and a part in the digest, as every other."""
        self._number += 1
        text, fault = row.text if isinstance(row, UnwritableRow) else row, self._fault(row)
        if fault and self._letters is None:
            raise fault.error
        is_new = self._number > self._done.rows
        if is_new and self._done.is_end:
            raise self._differs(f"it had {self._done.rows:,} rows, and now has more")
        if is_new and not fault and self._pending_bytes + len(text) > APPEND_BYTES:
            self._send(is_end=False)
        self._digest.add(text)
        if self._number == self._done.rows and self._digest.value != self._done.digest:
            raise self._differs(f"its first {self._number:,} rows are not those that it had")
        if fault:
            self._keep(text, fault, is_new=is_new)
        elif is_new:
            self._first_pending = self._first_pending if self._pending else self._number
            self._pending.append(msgspec.Raw(text))
            self._pending_bytes += len(text)

    def _fault(self, row: bytes | UnwritableRow) -> RowFault | None:
        number, partition = self._number, self._key.partition
        if isinstance(row, UnwritableRow):
            return RowFault(RejectReason.MALFORMED, row.cause, RowUnwritable(number, partition, row.cause))
        if len(row) > MOST_ROW_BYTES:
            detail = f"it has {len(row):,} bytes as JSON, and at most {MOST_ROW_BYTES:,} can be sent"
            return RowFault(RejectReason.TOO_LARGE, detail, RowTooLarge(number, partition, len(row), MOST_ROW_BYTES))
        return None

    def _keep(self, row: bytes, fault: RowFault, *, is_new: bool) -> None:
        """Keeps a row before the token that covers it is sent: what a token covers was kept by the attempt that sent it."""
        assert self._letters is not None, "the query would have stopped"
        self._dead_letters += 1
        if is_new:
            self._letters.keep(self._number, row, fault)

    def _send(self, *, is_end: bool) -> None:
        """Hands the pending rows over, with the dead letters among and behind them: it is called before the next row is taken."""
        if not self._pending:
            return
        number, size = self._number if is_end else self._number - 1, self._pending_bytes
        first = Place(self._key.query, self._key.batch, self._first_pending, 0)
        end = Place(self._key.query, self._key.batch, number, self._digest.value, is_end)
        append = Append(self._pending, first.position, end.position, size)
        self._pending, self._pending_bytes = [], 0
        self._unproven.append(append)
        self._unproven_bytes += size
        self._sent += len(append.rows)
        time.sleep(self._pace.delay_s(size))
        self._kept_open(lambda: self._append(append))
        self._prove(lambda: self._unproven_bytes <= MOST_UNPROVEN_BYTES)

    def _append(self, append: Append) -> None:
        self._window.make_room(append.size)
        append_when_taken(self._channel, append.rows, start=append.start.token, end=append.end.token)

    def _prove(self, is_enough: Callable[[], bool]) -> None:
        """Returns when what is committed is enough. Raises ChannelStalled where nothing is committed for long."""
        self._proven_s = self._clock()
        while not is_enough():
            self._kept_open(self._look)
            if not is_enough():
                time.sleep(POLL_S)

    def _look(self) -> None:
        state = self._channel.state()
        self._refuse_others(state.committed)
        if self._forget_committed(state.committed):
            self._proven_s, self._losses = self._clock(), 0
        elif self._unproven and self._clock() - self._proven_s > STALLED_S:
            self._proven_s = self._clock()
            raise ChannelStalled.after(self._key.channel, STALLED_S)

    def _refuse_others(self, committed: Position | None) -> None:
        """Raises AttemptReplaced where the token is of rows that were sent elsewhere; the same rows have the same token."""
        place = Place.of(committed) if committed else None
        if place is None or not place.is_of(self._key.query, self._key.batch):
            return
        if committed not in {append.end for append in self._unproven} | {self._done.position, self._proven}:
            raise AttemptReplaced(
                self._key.channel, f"{place.rows:,} rows of the partition are in it, which were sent elsewhere"
            )

    def _forget_committed(self, committed: Position | None) -> bool:
        before = len(self._unproven)
        while self._unproven and committed is not None and self._unproven[0].end <= committed:
            append = self._unproven.popleft()
            self._unproven_bytes -= append.size
            self._proven = append.end
        self._window.holds_at_most(self._unproven_bytes)
        return len(self._unproven) < before

    def _kept_open(self, act: Callable[[], None]) -> None:
        """Acts; a channel that is lost is opened again, and what it had not committed is sent again."""
        try:
            return act()
        except (ChannelLost, ClientLost) as error:
            lost: ChannelLost | ClientLost = error
        while True:
            if STALE in lost.what:
                raise AttemptReplaced(self._key.channel, lost.what) from lost
            self._losses += 1
            if self._losses > LOSSES:
                raise lost
            try:
                return self._open_again()
            except (ChannelLost, ClientLost) as error:
                lost = error

    def _open_again(self) -> None:
        """Raises AttemptReplaced where somebody else's rows are in the channel by now."""
        self._channel.close()
        self._channel, state = self._opener.open(self._target, self._key.channel)
        self._window = SendWindow(self._channel)
        self._refuse_others(state.committed)
        self._forget_committed(state.committed)
        left = list(self._unproven)
        self._base, self._sent = self._baseline(state), sum(len(append.rows) for append in left)
        for append in left:
            self._append(append)

    def _count(self) -> None:
        """Waits for the counters, which may trail the token. Raises FrameRowsRejected and RowsUncounted."""
        state, give_up_s = self._channel.state(), self._clock() + COUNTED_S
        while (counted := _counted(state) - _counted(self._base)) < self._sent:
            if self._clock() > give_up_s:
                raise RowsUncounted(self._key.channel, self._sent, counted)
            time.sleep(POLL_S)
            state = self._channel.state()
        self._rejected += max(0, state.rows_error - self._base.rows_error)
        through = Place.of(state.error_through) if state.error_through else None
        is_of_batch = through is not None and through.is_of(self._key.query, self._key.batch)
        if self._tolerance is Tolerance.NONE and (self._rejected or is_of_batch):
            count = f"{self._rejected:,} rows" if self._rejected else "rows"
            raise FrameRowsRejected(
                str(self._target), self._key.batch, self._key.partition, count, self._channel.last_error()
            )

    def _baseline(self, state: ChannelState) -> ChannelState:
        """The counters before this attempt's rows; those of an attempt that was cut off may trail its token."""
        place = Place.of(state.committed) if state.committed else None
        if state.committed is None or place is None or not place.is_of(self._key.query, self._key.batch):
            return state
        return settled_counters(self._channel, state.committed, self._settle_s)

    def _done_by(self, state: ChannelState) -> Place:
        """Returns how much of this partition the channel has."""
        nothing = Place(self._key.query, self._key.batch, 0, 0)
        if state.committed is None:
            return nothing
        place = Place.of(state.committed)
        if place is None or place.query != self._key.query:
            self._channel.close()
            raise QueryForeign(self._key.channel, place.query if place else None, self._key.query)
        if place.batch > self._key.batch:
            self._channel.close()
            raise CheckpointBehind(self._key.channel, self._key.batch, place.batch)
        return place if place.batch == self._key.batch else nothing

    def _differs(self, why: str) -> BatchDiffers:
        return BatchDiffers(self._key.channel, self._key.batch, why)


def _counted(state: ChannelState) -> int:
    return state.rows_inserted + state.rows_error
