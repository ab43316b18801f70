"""Writes a shard's rows into one table: its channel, what is in flight there, and the proof of it.

A shard has one writer; if its pipeline has routes, one for each table. What the channel had committed when it was opened is
counted and never sent again (docs/design/ledger.md, sections 4 and 5).
"""

import time
from collections.abc import Callable, Sequence
from operator import add
from typing import cast

import msgspec

from firnline_ingest.config.rows import PipeRows
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import UserRecord
from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.ledger.row import Proven, ShardRow
from firnline_ingest.records.rows import Rows
from firnline_ingest.shard.append_bisection import AppendBisection
from firnline_ingest.shard.opening import ResumedChannel
from firnline_ingest.shard.receipt import Tally
from firnline_ingest.shard.report import ShardReport
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.snowflake.channel_errors import ChannelStalled
from firnline_ingest.snowflake.errors import SnowflakeUnavailable
from firnline_ingest.snowflake.in_flight import Chunk, InFlightRows
from firnline_ingest.snowflake.row_positions import ROWS, RowPositions
from firnline_ingest.snowflake.sending import Pace, SendWindow, append_bounds, append_when_taken
from firnline_ingest.values import ChannelState, Position

STALLED_S = 120.0  # as long as the SDK waits for another opener's rows


class ChannelWriter:
    """Writes a session's rows through one channel; not thread-safe."""

    def __init__(
        self,
        opened: ResumedChannel,
        row: ShardRow,
        *,
        work: ShardWork,
        services: ShardServices,
        report: ShardReport,
        bisection: AppendBisection,
        before_append: Callable[["ChannelWriter"], None],
        after_append: Callable[[], None],
        pace: Pace | None = None,
    ) -> None:
        """`row` is the ledger's as it was when the channel was opened. `before_append` has the ledger say that rows may be in
        flight, before any is.
        """
        self.destination = opened.destination
        self.channel = opened.channel
        self.bisection = bisection
        self.committed_before = opened.resume.committed
        """The channel's token when it was opened."""
        self.drops_through = opened.resume.drops_through
        """Records up to here were proven before the channel was restarted."""
        self.in_flight = InFlightRows(
            work.key,
            opened.resume.baseline,
            row.read_through,
            self.drops_through,
            are_counted=work.pipeline.pipe_rows is PipeRows.ONE,
        )
        self.seen: Position | None = None
        """The furthest committed token that any answer had."""
        self.opened_ms = services.now_ms()
        self.sent_ms = 0
        """When rows were handed over last; 0 before the first append."""
        self._opened_row = row
        self._work, self._services, self._report = work, services, report
        self._before_append, self._after_append = before_append, after_append
        self._known_before = self.known_before
        self._pace, self._window = pace or Pace(), SendWindow(opened.channel)
        self._timeout_factor = bisection.commit_timeout_factor
        self._error_through: Position | None = None
        self._waits_since_s: float | None = None

    @property
    def name(self) -> str:
        """The channel's."""
        return self.destination.channel

    @property
    def known_before(self) -> Position | None:
        """Records up to here were in the table, or had been, when the channel was opened."""
        return max(filter(None, (self.committed_before, self.drops_through)), default=None)

    @property
    def has_caught_up(self) -> bool:
        """True if it has read again what was committed; until then the counters hold rows that were not read again yet."""
        known = self.committed_before
        return known is None or (self.in_flight.accounted is not None and self.in_flight.accounted >= known)

    def append(self, records: Sequence[Record], made: Rows, tally: Tally) -> None:
        """Appends all rows of a page. An append's end token is the position of its last accounted record, dead letters included.

        Raises ChannelLost, ClientLost, SnowflakeUnavailable, or Backpressure that lasted.
        """
        if not made.rows:
            self.in_flight.add(Chunk(self._work.end_of(records[-1]), RowPositions(()), 0))
        for first, last, size in append_bounds(made.sizes):
            positions = _positions_of(records, made, first, last)
            chunk = Chunk(self._end(records, made, positions, last), positions, size)
            self._append_chunk(made.rows[first:last], chunk, tally)

    def prove(self, now_s: float) -> bool:
        """Returns whether everything sent is proven now; what is proven makes room in the window.

        Raises CountsDisagree, LedgerBehind, RowsRejected or ChannelLost.
        """
        sent_s = self.in_flight.waits_since_s
        confirmed = None if self.in_flight.is_empty else self.in_flight.confirm(self._state(), now_s)
        if sent_s is not None:
            self._report.proved(max(0, int((now_s - sent_s) * 1000)))
        if confirmed is not None:
            self._services.observer(EpochStep.COMMITTED, self._work.key)
            self._refuse_rejected(confirmed)
            self.in_flight.accept(confirmed)
            self._services.observer(EpochStep.PROVEN, self._work.key)
        if confirmed is not None or self.in_flight.is_empty:
            self._waits_since_s = None
        else:
            self._wait(now_s)
        self._window.holds_at_most(self.in_flight.bytes)
        return self.in_flight.is_empty

    def overdue(self, now_s: float) -> SnowflakeUnavailable | None:
        """Returns what to report of a commit that takes longer than usual, before the channel is opened again for it."""
        waits_s = 0.0 if self._waits_since_s is None else now_s - self._waits_since_s
        if waits_s <= STALLED_S:
            return None
        return SnowflakeUnavailable(f"commit the rows of {self.name}", f"they wait for {waits_s:.0f} s")

    def rejected_before(self, state: ChannelState) -> Incident | None:
        """Returns an incident for rejected rows that no proof has shown, if counting from `state` on takes any along."""
        assert state.committed is not None
        unseen = state.rows_error - self.in_flight.proven.rows_error
        if unseen <= 0:
            return None
        detail = f"{unseen} rows were rejected up to {state.committed.token}, and no proof had shown them"
        return Incident(IncidentKind.REJECTED_UNSEEN, self._services.now_ms(), detail, state.committed)

    def rebase(self, state: ChannelState) -> None:
        """Counts from what the channel says on: what lies before can't be proven. Raises RowsRejected if that takes rejected rows
        along.
        """
        baseline = Proven(state.committed, state.rows_inserted, state.rows_error)
        self._refuse_rejected(baseline)
        self.in_flight.rebase(baseline)

    def flush(self) -> None:
        """Returns when the server has every row. Raises what `ShardChannel.flush` raises."""
        self._window.empty()

    def close(self) -> None:
        """Gives the channel back; its committed token stays."""
        self.channel.close()

    def _append_chunk(self, rows: Sequence[msgspec.Raw], chunk: Chunk, tally: Tally) -> None:
        known, counted, whole = self._rows_known(chunk), self._rows_counted(chunk), chunk
        new_bytes = chunk.bytes - sum(len(bytes(row)) for row in rows[:counted])
        if known:
            assert self._known_before is not None
            upto = min(self._known_before, chunk.end)
            self.in_flight.add_known(Chunk(upto, chunk.positions.first(known), 0))
            rows = rows[known:]
            chunk = Chunk(chunk.end, chunk.positions.without_first(known), chunk.bytes)
        if rows:
            self._send(rows, chunk)
            chunk.sent_s = time.monotonic()
        tally.bytes += new_bytes
        tally.reread_rows += counted
        tally.rows += known + len(rows) - counted
        self._report.sent(whole)
        self.in_flight.add(chunk)
        self._report.counts(self.name, chunk.end)

    def _rows_counted(self, chunk: Chunk) -> int:
        """Returns how many of its rows a receipt has counted, or will. Sent or not, a row is counted once."""
        return chunk.rows_up_to(min(self._report.counted_of(self.name), chunk.end))

    def _rows_known(self, chunk: Chunk) -> int:
        return chunk.rows_up_to(self._known_before) if self._known_before else 0

    def _end(self, records: Sequence[Record], made: Rows, positions: RowPositions, last: int) -> Position:
        """Returns the position that an append with these rows accounts for: also of records without a row, up to the next row's.

        A record whose rows end before its last one is accounted for in whole: a dead letter has the rest of it.
        """
        of_row = positions[len(positions) - 1]
        if of_row.is_inside_record:
            return of_row if last < len(made.rows) else of_row.whole
        return self._work.end_of(records[made.indexes[last] - 1 if last < len(made.rows) else -1])

    def _send(self, rows: Sequence[msgspec.Raw], chunk: Chunk) -> None:
        if self.in_flight.is_only_read_again:
            self.prove(time.monotonic())  # before its token moves on: a person accepts rejected rows by their position
        self._before_append(self)
        if (delay_s := self._pace.delay_s(chunk.bytes)) > 0:
            time.sleep(delay_s)
        self._window.make_room(chunk.bytes)
        append_when_taken(self.channel, rows, start=chunk.positions[0].token, end=chunk.end.token)
        self._after_append()

    def _state(self) -> ChannelState:
        state = self.channel.state()
        self.seen = max(filter(None, (state.committed, self.seen)), default=None)
        self._error_through = state.error_through
        return state

    def _wait(self, now_s: float) -> None:
        """Raises ChannelStalled after a while: another opener discards rows that wait, and only an append would tell."""
        if self._waits_since_s is None:
            self._waits_since_s = now_s
        elif now_s - self._waits_since_s > STALLED_S * self._timeout_factor:
            raise ChannelStalled.after(self.name, STALLED_S * self._timeout_factor)

    def _refuse_rejected(self, confirmed: Proven) -> None:
        assert confirmed.position is not None
        rejected = confirmed.rows_error - self.in_flight.proven.rows_error
        cause = self.channel.last_error()
        if rejected > 0:
            self._report.rejected(rejected, cause, self._rejected_through(confirmed.position).token)
        self._work.refuse_rejected(self.destination, self._opened_row, rejected, up_to=confirmed.position, cause=cause)

    def _rejected_through(self, confirmed: Position) -> Position:
        """Returns the server's own bound, unless it is of rows that were reported before."""
        through, before = self._error_through, self.in_flight.proven.position
        is_of_these = through is not None and through <= confirmed and (before is None or before < through)
        return through if through and is_of_these else confirmed


def _positions_of(records: Sequence[Record], made: Rows, first: int, last: int) -> RowPositions:
    """The positions of the rows from `first` to before `last` that were made of the records."""
    numbers = [records[index].SequenceNumber for index in made.indexes[first:last]]
    within: Sequence[int] = made.row_numbers[first:last]
    if isinstance(records[0], UserRecord):
        aggregated = cast("Sequence[UserRecord]", records)  # a page is plain in whole, or not at all
        subs = [aggregated[index].SubSequenceNumber * ROWS for index in made.indexes[first:last]]
        within = list(map(add, subs, within)) if within else subs
    return RowPositions(numbers, within if any(within) else ())
