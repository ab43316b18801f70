"""A shard's letters, journal and channel in memory, where every effect is a place to be killed or frozen at."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from firnline_ingest.dead_letters import DeadLetter
from firnline_ingest.dead_letters.conversion import Conversion, DeadLetterConverter
from firnline_ingest.dead_letters.journal import Journal
from firnline_ingest.dead_letters.named_objects import NamedObjects
from firnline_ingest.dead_letters.shard_replay import ReplayReport, ShardReplay
from firnline_ingest.dead_letters.transport import ChannelTransport, replay_channel, replay_tables
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rejection import RejectedRecord, RejectReason
from firnline_ingest.snowflake.target import TargetState
from firnline_ingest.values import ShardKey, TargetTable
from tests.fakes.channels import MemoryChannel, MemoryChannels
from tests.fakes.configs import pipeline
from tests.fakes.kills import Killed

SHARD = ShardKey("orders", 1_700_000_000_000, "shardId-000000000000")
TARGET = TargetTable("DB", "RAW", "ORDERS", "2026-01-01T00:00:00.000+00:00", "ORDERS-STREAMING")
CHANNEL = replay_channel("app", SHARD)
Effect = Callable[[str], None]


def at_place(place: int, happens: Callable[[], object]) -> Effect:
    """At the effect of that number, counted from 0."""
    count = itertools.count()
    return lambda _: happens() if next(count) == place else None


def when(named: str, happens: Callable[[], object]) -> Effect:
    """At each effect of that name."""
    return lambda name: happens() if name == named else None


def die() -> None:
    raise Killed


def killed_at(place: int) -> Effect:
    return at_place(place, die)


def killed_when(name: str) -> Effect:
    return when(name, die)


def effects(world: Any) -> int:
    """Returns how many there are where nothing happens."""
    count = itertools.count()
    world.run(lambda _: next(count))
    return next(count)


def letter(number: int, data: bytes = b"{broken", *, row: int = 0, reason: str = "not-json") -> DeadLetter:
    record = Record(str(number), data, "p", 1763725995.123)
    return DeadLetter.of(RejectedRecord(0, RejectReason(reason), "x", row), record, SHARD)


@dataclass
class MemoryObjects:
    """Implements NamedObjects."""

    kept: dict[str, bytes] = field(default_factory=dict)

    def create(self, name: str, content: bytes) -> bool:
        return self.kept.setdefault(name, content) is content

    def read(self, name: str) -> bytes:
        return self.kept[name]

    def names(self, folder: str) -> Iterator[str]:
        return iter(sorted(name for name in self.kept if name.startswith(folder)))


@dataclass
class Watched:
    """Calls `effect` before and after whatever changes something, or decides something by what it sees."""

    inner: Any
    effect: Effect
    watched: Sequence[str]

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.inner, name)
        if name not in self.watched:
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            self.effect(f"before {name}")
            answer = found(*arguments, **named)
            if isinstance(answer, tuple) and isinstance(answer[0], MemoryChannel):
                answer = Watched(answer[0], self.effect, ["append", "state", "close"]), answer[1]
            self.effect(f"after {name}")
            return answer

        return call


@dataclass
class World:
    objects: MemoryObjects = field(default_factory=MemoryObjects)
    channels: MemoryChannels = field(default_factory=MemoryChannels)
    letters: list[DeadLetter] = field(default_factory=list)
    fixed: Callable[[bytes], bytes | None] = lambda data: b'{"fixed":%d}' % len(data)
    keeps_rejected: bool = True
    format: dict[str, Any] = field(default_factory=lambda: {"type": "json"})
    target: TargetTable = TARGET
    routes: dict[str, Any] | None = None
    beside: Sequence[TargetTable] = ()
    """The tables that the routes lead to."""
    now_s: float = 0.0

    def replay(self, effect: Effect = lambda _: None) -> ShardReplay:
        maker = DeadLetterConverter(pipeline(stream="orders", format=self.format, routes=self.routes), SHARD.shard_id)

        def make(one: DeadLetter) -> Conversion:
            repaired = self.fixed(one.data)
            return Conversion(why_not="left alone") if repaired is None else maker.make(one, repaired)

        objects: NamedObjects = Watched(self.objects, effect, ["create", "names", "read"])  # type: ignore[assignment]
        channels: Any = Watched(self.channels, effect, ["open"])
        beside = tuple(TargetState(each, evolves=True, logs_errors=self.keeps_rejected) for each in self.beside)
        state = TargetState(self.target, evolves=True, logs_errors=self.keeps_rejected, beside=beside)
        tables = {
            name: replace(table, transport=self._timed(table.transport))
            for name, table in replay_tables(channels, "app", SHARD, state).items()
        }
        journal = Journal(objects, "app", SHARD)
        return ShardReplay(shard=SHARD, journal=journal, tables=tables, make=make)

    def _timed(self, transport: Any) -> ChannelTransport:
        return replace(transport, sleep=self._sleep, clock=lambda: self.now_s, counters_rest_s=0.0)

    def run(self, effect: Effect = lambda _: None) -> ReplayReport:
        return self.replay(effect).run(lambda: iter(self.letters))

    @property
    def rows(self) -> list[bytes]:
        return [row for served in self.channels.served.values() for row in served.rows]

    @property
    def numbers(self) -> list[int]:
        """Sequence numbers of the rows in the table."""
        return sorted(int(row.split(b'"sequenceNumber":"')[1].split(b'"')[0]) for row in self.rows)

    def _sleep(self, seconds: float) -> None:
        self.now_s += seconds
        for name in self.channels.served:
            self.channels.commit(name)


@pytest.fixture
def world() -> World:
    return World(letters=[letter(number) for number in range(100, 105)])
