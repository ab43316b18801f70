"""Sends the rows of a batch through the shard's replay channel, and proves them: each row once, however often it is called.

The channel's committed token says which rows of which batch are in, and opening the channel shuts out the writer that had it open
before. So a replay that was killed, frozen or run twice at once goes on behind the last row that is in.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec

from firnline_ingest.dead_letters.errors import ReplayedElsewhere, ReplayUnfinished, ReplayUnprovable
from firnline_ingest.dead_letters.journal import Batch
from firnline_ingest.dead_letters.presence import Lacking, SentBatch, lacking
from firnline_ingest.identifiers import CHANNEL_SEPARATOR, channel_name, routed_channel
from firnline_ingest.ledger.row import Proven
from firnline_ingest.snowflake.channel import ChannelOpener, ShardChannel, settled_counters
from firnline_ingest.snowflake.channel_errors import Backpressure, ChannelLost, ChannelStalled, ClientLost
from firnline_ingest.snowflake.errors import SnowflakeUnavailable
from firnline_ingest.snowflake.in_flight import Chunk, InFlightRows
from firnline_ingest.snowflake.row_positions import RowPositions
from firnline_ingest.snowflake.sending import append_bounds
from firnline_ingest.snowflake.target import TargetState
from firnline_ingest.values import DIGITS, ChannelState, Position, ShardKey, TargetTable

BY_FILE = "file:"
"""How the channel of a batch begins that goes by file (file_transport.py)."""
ATTEMPTS = 5
PROOF_S = 120.0
POLL_S = 0.5
COUNTERS_REST_S = 30.0
PASSING = (ChannelLost, ClientLost, SnowflakeUnavailable, Backpressure)


def replay_channel(application: str, shard: ShardKey) -> str:
    """Into the pipeline's own table. No engine has one of this name, or of the longer ones into routes' tables: theirs are an
    application, a stream, a time and a shard, and a table's name where a route leads to it.
    """
    engines = channel_name(application, shard.stream, shard.stream_created_ms, shard.shard_id)
    return f"{engines}{CHANNEL_SEPARATOR}REPLAY"


@dataclass(frozen=True, slots=True)
class OpenTransport:
    """The channel as this replay holds it, where it stands, and its counters there."""

    channel: ShardChannel
    created_ms: int
    proven: Proven
    begun_ms: int = 0
    """When, where that has to be known later: a pipe forgets what it has loaded (file_transport.py)."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The proof that all rows of a batch are in the table, or were refused by it."""

    opened: OpenTransport
    rejected: int
    rejection: str


class ReplayTransport(Protocol):
    """Carries one shard's replay into one table, by a channel or by files."""

    @property
    def target(self) -> TargetTable: ...

    @property
    def channel(self) -> str: ...

    def lacking(self, sent: Sequence[SentBatch]) -> Lacking: ...

    def open(self, last: Batch | None, counters: Proven | None) -> OpenTransport: ...

    def load(self, batch: Batch, opened: OpenTransport | None = None) -> Proof: ...


@dataclass(frozen=True, slots=True)
class ReplayTable:
    """One of the pipeline's tables, and the way into it."""

    transport: ReplayTransport
    keeps_rejected: bool
    """True if it has an error table. Where it has none, each row is a batch of its own, because a row that is refused would be
    nowhere: its dead letter then stays one, and the next replay sends what is lacking of it.
    """

    def has(self, batch: Batch | SentBatch) -> bool:
        return (batch.header.target, batch.header.channel) == (self.transport.target, self.transport.channel)


@dataclass(frozen=True, kw_only=True)
class ChannelTransport:
    """A ReplayTransport: rows are streamed."""

    channels: ChannelOpener
    target: TargetTable
    channel: str
    counts_rows: bool = True
    """True if the counters rise by each row that is sent (TargetState)."""
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    counters_rest_s: float = COUNTERS_REST_S
    """How long counters are watched that no proof vouches for."""

    def lacking(self, sent: Sequence[SentBatch]) -> Lacking:
        """Returns the channel's batches that the table lacks. Opens the channel, which shuts out who had it open.

        Raises ReplayedElsewhere, and what opening raises.
        """
        channel, state = self.channels.open(self.target, self.channel)
        channel.close()
        if (found := lacking(sent, state)) is None:
            token = state.committed.token if state.committed else ""
            raise ReplayedElsewhere(self.channel, token, "this place's journal")
        return found

    def open(self, last: Batch | None, counters: Proven | None) -> OpenTransport:
        """Opens the channel for a new batch. `last` is the channel's last batch; `counters` are those at its proof, None if
        there are none.

        Raises ReplayedElsewhere if the channel stands anywhere but in `last`, and what opening raises.
        """
        channel, state = self.channels.open(self.target, self.channel)
        token = state.committed
        if token is None:
            return OpenTransport(channel, state.created_ms, Proven(None, state.rows_inserted, state.rows_error))
        if last is None or not _is_of(token, last):
            channel.close()
            raise ReplayedElsewhere(self.channel, token.token, "this place's journal")
        if counters is None or token != last.end:
            state = settled_counters(channel, token, self.counters_rest_s)
            counters = Proven(token, state.rows_inserted, state.rows_error)
        return OpenTransport(channel, state.created_ms, counters)

    def load(self, batch: Batch, opened: OpenTransport | None = None) -> Proof:
        """Returns when every row of the batch is in the table once, or was refused by it. `opened`: where the batch was
        made on it a moment ago.

        Raises ReplayUnprovable, ReplayedElsewhere, ReplayUnfinished, CountsDisagree, and what opening raises.
        """
        for attempt in range(ATTEMPTS):
            try:
                return self._attempt(batch, opened)
            except PASSING as error:
                opened, last_error = None, error
                self.sleep(min(2.0**attempt, 30.0))
        raise ReplayUnfinished(str(batch), f"after {ATTEMPTS} attempts: {last_error}") from last_error

    def _attempt(self, batch: Batch, opened: OpenTransport | None) -> Proof:
        if opened is not None:
            channel, done = opened.channel, 0
        else:
            channel, state = self.channels.open(self.target, self.channel)
            done = self._rows_in(batch, state)
        try:
            in_flight = InFlightRows(batch.shard, batch.baseline, None, are_counted=self.counts_rows)
            for first, last in chunks(batch.rows, done):
                if last > done:
                    rows = [msgspec.Raw(row) for row in batch.rows[first:last]]
                    channel.append(rows, start=batch.position(first + 1).token, end=batch.position(last).token)
                    channel.flush(PROOF_S)
                in_flight.add(Chunk(batch.position(last), places_of(batch, first, last), 0))
            proven = self._prove(batch, channel, in_flight)
        except BaseException:
            channel.close()
            raise
        rejected = proven.rows_error - batch.baseline.rows_error
        held = OpenTransport(channel, batch.header.channel_created_ms, proven)
        return Proof(held, rejected, channel.last_error() if rejected else "")

    def _rows_in(self, batch: Batch, state: ChannelState) -> int:
        """The number of the batch's rows that the channel has committed."""
        if state.created_ms != batch.header.channel_created_ms:
            raise ReplayUnprovable(str(batch), f"its channel {self.channel} was dropped, or expired, and recreated")
        if state.committed == batch.baseline.position:
            return 0
        if state.committed is None or not _is_of(state.committed, batch):
            token = state.committed.token if state.committed else "no token"
            raise ReplayedElsewhere(self.channel, token, "this place's journal")
        return state.committed.row

    def _prove(self, batch: Batch, channel: ShardChannel, in_flight: InFlightRows) -> Proven:
        give_up_s = self.clock() + PROOF_S
        while True:
            state = channel.state()
            if self._is_elsewhere(state, batch):
                raise ChannelLost(self.channel, "another replay sent rows to it")
            if confirmed := in_flight.confirm(state, self.clock()):
                in_flight.accept(confirmed)
            if in_flight.is_empty:
                return in_flight.proven
            if self.clock() > give_up_s:  # another replay may have opened it, which discards what waits
                raise ChannelStalled.after(self.channel, PROOF_S)
            self.sleep(POLL_S)

    @staticmethod
    def _is_elsewhere(state: ChannelState, batch: Batch) -> bool:
        token = state.committed
        return token is not None and token != batch.baseline.position and not _is_of(token, batch)


def chunks(rows: Sequence[bytes], done: int) -> Iterator[tuple[int, int]]:
    """Yields index ranges: what is in the table already, then one range an append (snowflake/sending.py)."""
    if done:
        yield 0, done
    for first, last, _ in append_bounds([len(row) for row in rows], done):
        yield first, last


def places_of(batch: Batch, first: int, last: int) -> RowPositions:
    """The positions of the rows from `first` to before `last`, as InFlightRows counts them."""
    within = [batch.digest * 10**DIGITS + row + 1 for row in range(first, last)]
    return RowPositions([str(batch.header.number)] * (last - first), within)


def _is_of(token: Position, batch: Batch) -> bool:
    return (token.sequence_number, token.sub_sequence_number) == (batch.header.number, batch.digest)


def replay_tables(
    channels: ChannelOpener, application: str, shard: ShardKey, own: TargetState
) -> dict[str, ReplayTable]:
    """One channel into each of the pipeline's tables."""
    name, found = replay_channel(application, shard), dict[str, ReplayTable]()
    for table, state in tables_of(own).items():
        channel = routed_channel(name, table) if table else name
        transport = ChannelTransport(
            channels=channels, target=state.target, channel=channel, counts_rows=state.counts_rows
        )
        found[table] = ReplayTable(transport, state.logs_errors)
    return found


def tables_of(own: TargetState) -> dict[str, TargetState]:
    """The tables by the names that the pipeline's routes use; its own table has the empty name."""
    return {"": own} | {state.target.table: state for state in own.beside}
