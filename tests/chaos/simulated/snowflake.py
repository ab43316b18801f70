"""Snowflake's channels in memory: tables that are replaced, channels that are dropped or expire, counters that trail.

Appends are buffered by the handle, as the SDK does, accepted by the service later or never, and committed later still.
Opening a channel finds it by its table's name: what was made again under its name begins without channels.
"""

import json
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from firnline_ingest.records.key_shape import column_key
from firnline_ingest.snowflake.channel_errors import Backpressure, ChannelLost
from firnline_ingest.snowflake.errors import SnowflakeUnavailable
from firnline_ingest.values import ChannelState, Position, TargetTable
from tests.chaos.simulated.simulation import Simulation, pause, sleep

IDLE_S = 30 * 24 * 3600.0  # a channel that nobody wrote to for so long is gone
MOST_NEW_COLUMNS = 100  # in one request
EVENTS, SIDE, THIRD = "EVENTS", "SIDE", "THIRD"
MOST_TRAILING = 10  # answers in a row with counters of before: the protocol waits for half a minute
INLINE_BYTES = 1_048_000  # a row above it goes by an upload, which costs the channel where the bucket can't be reached


@dataclass(eq=False)
class Table:
    """One table, until it is replaced."""

    created_on: str
    rows: list[bytes] = field(default_factory=list)
    """In the order of their commits."""
    rejected: list[bytes] = field(default_factory=list)
    columns: set[str] = field(default_factory=set)
    name: str = ""


@dataclass(eq=False)
class Channel:
    """The service's side."""

    table: Table
    used_s: float
    created_ms: int
    opens: int = 0
    committed: Position | None = None
    inserted: int = 0
    errors: int = 0
    before: tuple[int, int] = (0, 0)
    """The counters before the newest commit."""
    token_before: Position | None = None
    is_first: bool = False
    """No shard's channel had its name before."""
    pending: deque[tuple[Position, Sequence[bytes]]] = field(default_factory=deque)
    is_gone: bool = False
    trailed: int = 0
    """So many answers in a row had the counters of before."""
    known_columns: frozenset[str] = frozenset()
    """Those of the table when it was opened."""

    @property
    def state(self) -> ChannelState:
        return ChannelState(self.committed, self.inserted, self.errors, self.created_ms)


@dataclass(frozen=True)
class Replica:
    """An account that is behind: of each table, how many rows and rejected ones it has, and its columns; and its channels."""

    tables: dict[str, tuple[Table, int, int, set[str]]]
    channels: dict[str, Channel]


@dataclass
class SnowflakeTrouble:
    """Trouble of Snowflake that is going on."""

    holds_commits: bool = False
    held: str = ""
    """The table that commits nothing, where it is one alone."""
    trailing: float = 0.0
    """How many answers have the counters of one commit ago, from 0 to 1."""
    goes_back: float = 0.0
    """How many answers have the token of one commit ago, and its counters."""
    ahead: float = 0.0
    """How many answers have the token of one commit ago, with the counters of now."""
    down: set[str] = field(default_factory=set)
    """Of "open", "status", "append", "sql": what is not answered."""
    lost: float = 0.0


class SimulatedSnowflake:
    """Tables, each of which may be replaced, and their channels; one is there as soon as it is asked for."""

    def __init__(self, simulation: Simulation, *, discards_on_open: bool) -> None:
        self.simulation = simulation
        self.trouble = SnowflakeTrouble()
        self.tables: dict[str, list[Table]] = {}
        """By name, the newest last."""
        self.channels: dict[str, Channel] = {}
        """Those of the newest tables."""
        self.on_drop: Callable[[str], None] = lambda name: None
        """Told before a channel is gone."""
        self.clock_ahead_s = 0.0
        """Of the clock by which channels know when they were made: nobody else's."""
        self.under_old_identity = 0
        """Rows that a table took from an opener that took it for the one before it, and had opened its channel before."""
        self.own_columns: frozenset[str] | None = None
        """The columns of tables that get no others by themselves; None where tables evolve."""
        self.dropped: list[tuple[str, str]] = []
        """Tables and keys of values that had no column when the table took them."""
        self.replica: Replica | None = None
        self.acknowledges_fenced = False
        """Whether it takes what an earlier opener appends, and says nothing of it."""
        self.columns_of_opening = False
        """Whether a channel takes no value of a column that was added since it was opened."""
        self._names: set[str] = set()
        self._discards_on_open = discards_on_open

    @property
    def made(self) -> set[tuple[str, int]]:
        """The channels that there are, with when they were made."""
        return {(name, channel.created_ms) for name, channel in self.channels.items()}

    def table(self, name: str) -> Table:
        return self.tables.setdefault(name, [Table("2026-01-01T00:00:00.000+00:00", name=name)])[-1]

    def target(self, name: str) -> TargetTable:
        return TargetTable("DB", "RAW", name, self.table(name).created_on, f"{name}-STREAMING")

    def replace_table(self, name: str) -> None:
        """Replaces the table: what the channels of the old one still wait to commit gets nowhere."""
        old, tables = self.table(name), self.tables[name]
        tables.append(Table(f"2026-01-01T00:00:00.{len(tables):03}+00:00", name=name))
        for channel in [each for each, channel in self.channels.items() if channel.table is old]:
            self.drop(channel)

    def drop(self, name: str) -> None:
        self.on_drop(name)
        channel = self.channels.pop(name)
        channel.pending.clear()
        channel.is_gone = True

    def settle(self) -> None:
        """Some of what was accepted becomes visible."""
        if self.trouble.holds_commits:
            return
        held = self.table(self.trouble.held) if self.trouble.held else None
        for channel in [each for each in self.channels.values() if each.table is not held]:
            self._commit(channel, self.simulation.rng.randint(0, 3))

    def trails(self, channel: Channel) -> bool:
        """Returns whether the next answer has the counters of before."""
        is_behind = self.simulation.rng.random() < self.trouble.trailing and channel.trailed < MOST_TRAILING
        channel.trailed = channel.trailed + 1 if is_behind else 0
        return is_behind

    def opened(self, name: str, target: TargetTable) -> Channel:
        """The channel for one more opener."""
        channel, now_s = self.channels.get(name), self.simulation.now_s
        if channel is not None and not channel.pending and now_s - channel.used_s > IDLE_S:
            self.drop(name)
            channel = None
        if channel is None:
            made_ms = self.simulation.now_ms + int(self.clock_ahead_s * 1000)
            channel = self.channels[name] = Channel(
                self.table(target.table), now_s, made_ms, is_first=name not in self._names
            )
            self._names.add(name)
        if self._discards_on_open:
            channel.pending.clear()
        self._commit(channel, len(channel.pending))
        channel.opens += 1
        channel.used_s = self.simulation.now_s
        channel.known_columns = frozenset(channel.table.columns)
        return channel

    def accept(self, channel: Channel, opened: int, target: TargetTable, end: Position, rows: Sequence[bytes]) -> None:
        """Raises ChannelLost."""
        if channel.is_gone and channel.table is not self.table(target.table):
            return  # into nowhere: the service takes it and says nothing
        if channel.is_gone:
            raise ChannelLost("channel", "ERR_CHANNEL_DOES_NOT_EXIST_OR_IS_NOT_AUTHORIZED")
        if opened != channel.opens and self.acknowledges_fenced:
            return  # acknowledged, and gone: the status is the newer opening's
        if opened != channel.opens:
            raise ChannelLost("channel", "STALE_CONTINUATION_TOKEN_SEQUENCER")
        self._refuse_wide_and_large(channel, rows)
        self._drop_without_column(channel, rows)
        channel.used_s = self.simulation.now_s
        channel.pending.append((end, rows))
        if target != self.target(target.table) and not channel.is_first:
            self.under_old_identity += len(rows)

    def _refuse_wide_and_large(self, channel: Channel, rows: Sequence[bytes]) -> None:
        if any(len(row) > INLINE_BYTES for row in rows):
            channel.opens += 1
            raise ChannelLost("channel", "InvalidChannelError: the upload of a file failed")
        if any(b'"wide' in row for row in rows):
            new = {key for row in rows for key in json.loads(row)} - channel.table.columns
            if len(new) > MOST_NEW_COLUMNS:
                channel.opens += 1
                raise ChannelLost("channel", "ERR_CHANNEL_MUST_BE_REOPENED: Schema evolution failed")
            channel.table.columns |= new

    def _drop_without_column(self, channel: Channel, rows: Sequence[bytes]) -> None:
        if self.own_columns is None:
            return
        added = channel.known_columns if self.columns_of_opening else channel.table.columns
        known = set(map(column_key, self.own_columns | added))
        for row in rows:
            keys = {column_key(key) for key, value in json.loads(row).items() if value is not None}
            self.dropped += [(channel.table.name, key) for key in sorted(keys - known)]

    def refresh_replica(self) -> None:
        """Another account has what there is now."""
        tables = {name: made[-1] for name, made in self.tables.items()}
        self.replica = Replica(
            {name: (table, len(table.rows), len(table.rejected), set(table.columns)) for name, table in tables.items()},
            {name: replace(channel, pending=deque()) for name, channel in self.channels.items()},
        )

    def fail_over(self) -> bool:
        """To the replica, whose tables are the same ones with less; not where one was replaced since. Whether it came to that."""
        replica, self.replica = self.replica, None
        if replica is None or any(self.table(name) is not table for name, (table, *_) in replica.tables.items()):
            return False
        for name in list(self.channels):
            gone = self.channels.pop(name)
            gone.pending.clear()
            gone.is_gone = True
        for made in self.tables.values():
            table = made[-1]
            _, rows, rejected, columns = replica.tables.get(table.name, (table, 0, 0, set()))
            del table.rows[rows:], table.rejected[rejected:]
            table.columns = set(columns)
        self.channels = {name: replace(channel, pending=deque()) for name, channel in replica.channels.items()}
        return True

    def _commit(self, channel: Channel, requests: int) -> None:
        while channel.pending and requests:
            token, rows = channel.pending.popleft()
            channel.before, channel.token_before = (channel.inserted, channel.errors), channel.committed
            rejected = [row for row in rows if b"not a number" in row]
            channel.table.rejected += rejected
            channel.table.rows += [row for row in rows if row not in rejected]
            channel.inserted += len(rows) - len(rejected)
            channel.errors += len(rejected)
            channel.committed = token
            requests -= 1


class SimulatedChannels:
    """Implements snowflake.channel.ChannelOpener: one process's."""

    fingerprint = ""

    def __init__(self, service: SimulatedSnowflake) -> None:
        self._service = service

    def open(self, target: TargetTable, name: str) -> tuple["BufferedChannel", ChannelState]:
        pause()
        trouble = self._service.trouble
        if "open" in trouble.down:
            sleep(30.0)
            raise SnowflakeUnavailable(f"open {name}", "503")
        channel = self._service.opened(name, target)
        opens, state = channel.opens, channel.state
        if self._service.trails(channel):
            state = ChannelState(channel.committed, *channel.before, channel.created_ms)
        pause()
        if self._service.simulation.rng.random() < trouble.lost:
            raise SnowflakeUnavailable(f"open {name}", "the answer was lost")
        return BufferedChannel(self._service, channel, opens, target, name, state), state

    def look_for_new_key(self) -> None:
        """Nobody signs anything here."""

    def drop(self, target: TargetTable, name: str) -> None:
        pause()
        if name in self._service.channels:
            self._service.drop(name)


class BufferedChannel:
    """Implements ShardChannel as the SDK does: that a handle is stale shows when the server refuses an append."""

    def __init__(
        self,
        service: SimulatedSnowflake,
        channel: Channel,
        opened: int,
        target: TargetTable,
        name: str,
        state: ChannelState,
    ) -> None:
        """`opened`: which of the channel's openings it is; another one may have come while the answer was on its way."""
        self._service, self._channel, self._target, self._name, self._state = service, channel, target, name, state
        self._opened = opened
        self._buffer: list[tuple[Position, Sequence[bytes]]] = []
        self._lost: ChannelLost | None = None

    def append(self, rows: Sequence[msgspec.Raw], *, start: str, end: str) -> None:
        self._refuse_lost()
        if len(self._buffer) > 50:
            raise Backpressure(self._name, "ReceiverSaturated")
        self._buffer.append((Position.from_token(end), [bytes(row) for row in rows]))
        if self._service.simulation.rng.random() < 0.5:
            self._send()

    def flush(self, timeout_s: float) -> None:
        self._send()
        self._refuse_lost()
        if self._buffer:
            sleep(timeout_s)
            raise SnowflakeUnavailable(f"take the rows of {self._name}", "503")

    def state(self) -> ChannelState:
        pause()
        self._refuse_lost()
        rng, trouble, channel = self._service.simulation.rng, self._service.trouble, self._channel
        if "status" in trouble.down:
            raise SnowflakeUnavailable(f"tell the status of {self._name}", "503")
        if channel.is_gone or rng.random() < 0.3:
            return self._state  # a second old; a channel that is gone has no status
        self._state = channel.state
        if self._service.trails(channel):
            return ChannelState(channel.committed, *channel.before)
        if channel.token_before is not None and rng.random() < trouble.goes_back:
            return ChannelState(channel.token_before, *channel.before)
        if channel.token_before is not None and rng.random() < trouble.ahead:
            return ChannelState(channel.token_before, channel.inserted, channel.errors)
        return self._state

    def last_error(self) -> str:
        return "the table refuses it"

    def close(self) -> None:
        self._buffer.clear()

    def _send(self) -> None:
        while self._buffer and self._lost is None and "append" not in self._service.trouble.down:
            end, rows = self._buffer.pop(0)
            pause()
            try:
                self._service.accept(self._channel, self._opened, self._target, end, rows)
            except ChannelLost as lost:
                self._lost = lost

    def _refuse_lost(self) -> None:
        if self._lost is not None:
            raise self._lost


def metadata_of(row: bytes) -> dict[str, Any]:
    metadata: dict[str, Any] = json.loads(row)["KINESISMETADATA"]
    return metadata
