"""Snowflake channels in memory, for tests that need no server: sequencers, delayed commits, counters, rejected rows.

What was appended is committed when `commit()` says so, whole requests in order, as the service does. Opening a channel
makes every earlier handle stale; what is uncommitted then is committed first or discarded, as the test chooses.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import msgspec

from firnline_ingest.snowflake.channel_errors import ChannelLost
from firnline_ingest.values import ChannelState, Position, TargetTable


def _nothing(_row: bytes) -> bool:
    return False


def _itself(row: bytes) -> Sequence[bytes]:
    return [row]


def _at_once(_name: str) -> None:
    """Nothing holds an opening up."""


@dataclass(slots=True)
class ServedChannel:
    """The server's side of one channel."""

    opens: int = 0
    closes: int = 0
    created_ms: int = 0
    committed: Position | None = None
    rows: list[bytes] = field(default_factory=list)
    """The table's rows from this channel, in commit order."""
    rejected: list[bytes] = field(default_factory=list)
    table: list[bytes] = field(default_factory=list)
    """The rows as the pipe made them."""
    more: int = 0
    """The number of rows beyond those that were sent."""
    pending: deque[tuple[Position, Sequence[bytes]]] = field(default_factory=deque)

    @property
    def state(self) -> ChannelState:
        return ChannelState(self.committed, len(self.rows) + self.more, len(self.rejected), self.created_ms)


@dataclass(slots=True)
class MemoryChannels:
    """Implements snowflake.channel.ChannelOpener; thread-safe."""

    commits_at_once: bool = True
    holds: str = ""
    """The end of the names of channels that commit nothing meanwhile."""
    rejects: Callable[[bytes], bool] = _nothing
    """Which rows the table refuses."""
    pipe: Callable[[bytes], Sequence[bytes]] = _itself
    """The rows that the pipe makes of one."""
    discards_on_open: bool = False
    opening: Callable[[str], object] = _at_once
    """Happens before a channel is opened: it may block, or refuse."""
    served: dict[str, ServedChannel] = field(default_factory=dict)
    fingerprint: str = ""
    made: int = 0
    """How many channels there ever were."""
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def open(self, target: TargetTable, name: str) -> tuple["MemoryChannel", ChannelState]:
        self.opening(name)
        with self._lock:
            if name not in self.served:
                self.made += 1
                self.served[name] = ServedChannel(created_ms=self.made)
            served = self.served[name]
            if self.discards_on_open:
                served.pending.clear()
            self.commit(name)
            served.opens += 1
            return MemoryChannel(self, name, served, served.opens), served.state

    def drop(self, target: TargetTable, name: str) -> None:
        with self._lock:
            self.served.pop(name, None)

    def look_for_new_key(self) -> None:
        """Nobody signs anything here."""

    def commit(self, name: str, requests: int | None = None) -> None:
        """Commits the oldest requests of a channel, all of them by default."""
        with self._lock:
            served = self.served[name]
            while served.pending and requests != 0:
                token, rows = served.pending.popleft()
                served.rejected += [row for row in rows if self.rejects(row)]
                taken = [row for row in rows if not self.rejects(row)]
                served.rows += taken
                made = [each for row in taken for each in self.pipe(row)]
                served.table += made
                served.more += len(made) - len(taken)
                served.committed = token
                requests = None if requests is None else requests - 1


@dataclass(slots=True)
class MemoryChannel:
    """Implements snowflake.channel.ShardChannel: one opener's handle."""

    channels: MemoryChannels
    name: str
    served: ServedChannel
    sequencer: int

    def append(self, rows: Sequence[msgspec.Raw], *, start: str, end: str) -> None:
        with self.channels._lock:
            self._refuse_stale()
            self.served.pending.append((Position.from_token(end), [bytes(row) for row in rows]))
            held = self.channels.holds
            if self.channels.commits_at_once and not (held and self.name.endswith(held)):
                self.channels.commit(self.name)

    def state(self) -> ChannelState:
        """The channel's, whoever holds it: that a handle is stale shows when it appends, not here."""
        with self.channels._lock:
            return self.served.state

    def last_error(self) -> str:
        return "the test rejects it"

    def flush(self, timeout_s: float) -> None:
        """Nothing waits here: an append has arrived when it returns."""

    def close(self) -> None:
        self.served.closes += 1

    def _refuse_stale(self) -> None:
        if self.sequencer != self.served.opens:
            raise ChannelLost(self.name, "STALE_CONTINUATION_TOKEN_SEQUENCER")
