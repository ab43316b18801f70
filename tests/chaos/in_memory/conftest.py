"""The real shard runner over memory, one effect at a time: a seed says who acts next, who dies, whose answer is lost.

One thread runs at a time, so a seed that fails fails again. Nothing sleeps: whoever waits gives its turn away. What this
tier lacks (processes, the SDK, the services' own protocols) the schedules beside it have.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from firnline_ingest.config.running import PollingConfig
from firnline_ingest.dead_letters import LocalFolder
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.errors import LedgerUnavailable
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.shard import channel_writer, channel_writers, checkpointer, pages, runner
from firnline_ingest.shard.differences import ReceiptDifferences
from firnline_ingest.shard.receipt import Receipt, ShardState
from firnline_ingest.shard.runner import ShardRunner
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.snowflake import sending
from firnline_ingest.snowflake.channel_errors import ChannelLost
from firnline_ingest.snowflake.errors import SnowflakeUnavailable
from firnline_ingest.values import ChannelState, ShardKey, TargetTable
from firnline_local.kinesis import FakeKinesis, StreamHandle
from tests.chaos.simulated.process import at_once
from tests.chaos.turns import TurnTaker, current_taker
from tests.fakes.channels import MemoryChannel, MemoryChannels, ServedChannel
from tests.fakes.configs import TARGET, pipeline
from tests.fakes.kinesis import client_of
from tests.fakes.ledger import MemoryLedger

PIPELINE = pipeline(tolerance="all")
GOOD, REJECTED, UNUSABLE = b'{"n": "good"}', b'{"n": "rejected"}', b"no json"
FAR_MS = 10**15
ENDLESS = 10**5
LAST_ENGINES = 20  # more than one where the channel was lost behind the last one's back


def pause() -> None:
    engine = current_taker()
    assert engine is not None
    engine.give_turn_away()


class Paused:
    """Stands before a collaborator: the engine pauses before each call, and `lose` may keep the answer from it."""

    def __init__(self, real: Any, lose: Callable[[str], None] = lambda name: None) -> None:
        self._real, self._lose = real, lose

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            pause()
            answer = getattr(self._real, name)(*arguments, **named)
            self._lose(name)
            return answer

        return call


class BufferedChannel:
    """A channel as the SDK has it: appends reach the server later or never, a status may be a second old and is anybody's.

    That the handle is stale shows when the server refuses an append, not before.
    """

    def __init__(self, real: MemoryChannel, state: ChannelState, rng: random.Random) -> None:
        self._real, self._state, self._rng = real, state, rng
        self._buffer: list[tuple[Any, str, str]] = []
        self._lost: ChannelLost | None = None

    def append(self, rows: Any, *, start: str, end: str) -> None:
        self._refuse_lost()
        self._buffer.append((rows, start, end))
        if self._rng.random() < 0.5:
            self._send()

    def flush(self, timeout_s: float) -> None:
        self._send()
        self._refuse_lost()

    def state(self) -> ChannelState:
        pause()
        self._refuse_lost()
        if self._rng.random() < 0.7:
            self._state = self._real.served.state
        return self._state

    def last_error(self) -> str:
        return "the table refuses it"

    def close(self) -> None:
        self._buffer.clear()

    def _send(self) -> None:
        while self._buffer and self._lost is None:
            rows, start, end = self._buffer.pop(0)
            pause()
            try:
                self._real.append(rows, start=start, end=end)
            except ChannelLost as lost:
                self._lost = lost

    def _refuse_lost(self) -> None:
        if self._lost is not None:
            raise self._lost


@dataclass
class Turns:
    """Stands in for Demand: it lasts some looks at it, and waiting gives the turn away."""

    work: ShardWork
    left: int
    arrival_ms: int | None

    @property
    def is_over(self) -> bool:
        self.left -= 1
        return self.left < 0

    def close(self) -> None:
        """Nobody renews it."""

    def close_if_over(self) -> bool:
        return self.left < 0

    def wait(self, seconds: float) -> bool:
        pause()
        return self.left < 0


class World:
    """One shard, its channel, its ledger row; engines come and go."""

    def __init__(self, seed: int, kinesis: FakeKinesis, client: Any, folder: Path) -> None:
        self.rng = random.Random(seed)
        self.stream: StreamHandle = kinesis.create_stream(f"events-{seed}")
        self.ledger = MemoryLedger()
        self.channels = MemoryChannels(
            commits_at_once=False,
            rejects=lambda row: b"rejected" in row,
            discards_on_open=self.rng.random() < 0.5,
        )
        self.dead_letters = LocalFolder(folder / str(seed))
        self.receipts: list[Receipt] = []
        self.reported: list[Receipt] = []
        """The same as a driver has them that hears each receipt at once."""
        self._differences = ReceiptDifferences(lambda owner: True)
        self.is_calm = False
        self.has_lost_row = self.had_others = False
        """Whether the row was lost, and whether several engines were there then or later: one may be frozen with counts."""
        self._kinesis = client
        self._engines = 0

    @property
    def key(self) -> ShardKey:
        return ShardKey(self.stream.name, self.stream.found.created_ms, self.stream.shard().id)

    @property
    def row(self) -> ShardRow:
        return self.ledger.kept[self.key]

    @property
    def served(self) -> ServedChannel:
        return self.channels.served.get("channel", ServedChannel())

    def put(self, count: int) -> None:
        for data in self.rng.choices([GOOD, REJECTED, UNUSABLE], [7, 1, 2], k=count):
            self.stream.shard().put(data)

    def lose_row(self) -> None:
        self.has_lost_row = True
        self.ledger.forget(self.key)

    def settle(self) -> None:
        """Some of what the server accepted becomes visible."""
        for name in self.channels.served:
            self.channels.commit(name, self.rng.randint(1, 2))

    def start(self, *, is_last: bool = False) -> TurnTaker:
        self._engines += 1
        services = self._services(f"engine{self._engines}", page=self.rng.randint(1, 5))
        return TurnTaker(lambda: self._run(services, is_last=is_last))

    def _run(self, services: ShardServices, *, is_last: bool) -> None:
        for epoch in range(1 if is_last else self.rng.randint(1, 4)):
            is_bounded = is_last or self.rng.random() < 0.2
            turns = ENDLESS if is_last else self.rng.randint(0, 40)
            demand: Any = Turns(self._work(epoch), turns, FAR_MS if is_bounded else None)
            shard = ShardRunner(services, demand)
            shard.run()
            self._hear(shard.receipt())
            pause()

    def _hear(self, receipt: Receipt) -> None:
        self.receipts.append(receipt)
        self.reported += self._differences.of([receipt])

    def _work(self, epoch: int) -> ShardWork:
        return ShardWork(
            key=self.key,
            epoch=epoch,
            start=TrimHorizon(),
            pipeline=PIPELINE,
            target=TARGET,
            channel="channel",
            retention_hours=24,
            reported=self._differences.reported(self.key),
        )

    def _services(self, run_id: str, *, page: int) -> ShardServices:
        ledger: Any = Paused(self.ledger, self._lose_an_answer)
        channels: Any = SimpleNamespace(open=self._open, fingerprint="")
        dead_letters: Any = Paused(self.dead_letters)
        return ShardServices(
            ledger=ledger,
            kinesis=self._kinesis,
            channels=channels,
            dead_letters=dead_letters,
            polling=PollingConfig.model_construct(max_records=page, interval_ms=0),
            run_id=run_id,
            observer=lambda step, key: pause(),
            prove_every_s=0.0,
            write_every_s=0.0,
            final_commit_s=90.0,
            counter_settle_s=0.0,
            reopen_delay_s=0.0,
            jitter=self.rng.random,
        )

    def _open(self, target: TargetTable, name: str) -> tuple[BufferedChannel, Any]:
        pause()
        handle, state = self.channels.open(target, name)
        if self._loses_an_answer():
            raise SnowflakeUnavailable(f"open {name}", "the answer was lost")
        return BufferedChannel(handle, state, self.rng), state

    def _lose_an_answer(self, operation: str) -> None:
        if self._loses_an_answer():
            raise LedgerUnavailable("ledger", f"the answer to {operation} was lost")

    def _loses_an_answer(self) -> bool:
        return not self.is_calm and self.rng.random() < 0.03


def interleave(world: World) -> None:
    """Kills, freezes, thaws at random; then everybody who is left goes on to the end, and a last engine after them."""
    rng, alive, frozen = world.rng, [world.start()], list[TurnTaker]()
    world.put(rng.randint(1, 8))
    for _ in range(rng.randint(20, 300)):
        world.had_others |= world.has_lost_row and len(alive) + len(frozen) > 1
        chance = rng.random()
        if chance < 0.15:
            world.settle()
        elif chance < 0.18 and len(alive) < 3:
            alive.append(world.start())
        elif chance < 0.20 and alive:
            alive.pop(rng.randrange(len(alive))).kill()
        elif chance < 0.23 and alive:
            frozen.append(alive.pop(rng.randrange(len(alive))))
        elif chance < 0.26 and frozen:
            alive.append(frozen.pop(rng.randrange(len(frozen))))
        elif chance < 0.30:
            world.put(rng.randint(1, 4))
        elif chance < 0.304:
            world.lose_row()
        elif alive:
            engine = rng.choice(alive)
            engine.take_turn()
            alive = [engine for engine in alive if not engine.is_over]
    come_to_an_end(world, [*frozen, *alive])


def come_to_an_end(world: World, engines: list[TurnTaker]) -> None:
    world.is_calm = True
    for engine in engines:
        finish(world, engine)
    for _ in range(LAST_ENGINES):
        finish(world, world.start(is_last=True))
        if world.receipts[-1].state is ShardState.DONE:
            return
    raise AssertionError(f"no engine comes to the end: {world.receipts[-1].problem}")


def finish(world: World, engine: TurnTaker) -> None:
    while not engine.is_over:
        engine.take_turn()
        world.settle()


@pytest.fixture(scope="session")
def kinesis() -> tuple[FakeKinesis, Any]:
    fake = FakeKinesis(read_limits=False)
    return fake, client_of(fake)


@pytest.fixture
def run_seed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kinesis: tuple[FakeKinesis, Any]
) -> Callable[[int], World]:
    """Plays one seed to its end."""
    clock = SimpleNamespace(now_s=0.0)

    def sleep(seconds: float) -> None:
        clock.now_s += seconds
        pause()

    time = SimpleNamespace(monotonic=lambda: clock.now_s, sleep=sleep)
    for module in (channel_writer, channel_writers, checkpointer, pages, sending):
        monkeypatch.setattr(module, "time", time)
    monkeypatch.setattr(runner, "_in_background", at_once)

    def run(seed: int) -> World:
        world = World(seed, *kinesis, tmp_path)
        interleave(world)
        return world

    return run
