"""A pipeline whose stream is flooded, beside one whose stream trickles, in one process: counted in turns, not in seconds."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.config.running import PollingConfig
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.shard.group import ShardGroup
from firnline_ingest.shard.request import Deadline
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.values import ShardKey, TargetTable
from firnline_local.kinesis import StreamHandle
from tests.chaos.records import Fate, payload
from tests.chaos.simulated.kinesis import SimulatedKinesis
from tests.chaos.simulated.memory import SimulatedLedger, SimulatedLetters
from tests.chaos.simulated.process import simulated
from tests.chaos.simulated.simulation import SimulatedEvent, Simulation, pause
from tests.fakes.channels import MemoryChannels

pytestmark = pytest.mark.chaos

QUIET, FLOODED = "quiet", "flooded"
TURNS = 10
"""The most that the flooded shard takes while a record of the quiet stream waits to be read and appended."""
FLOOD = 3_000
PAGE = 100
LONG_S = 120.0


@dataclass
class Process:
    """One worker with a shard of each stream. `kind` is what the flood consists of."""

    kind: Fate = Fate.ROW
    simulation: Simulation = field(default_factory=lambda: Simulation(1))
    turns: Counter[str] = field(default_factory=Counter)
    most_at_once: int = 0
    """Rows that the flooded shard appended in one turn."""

    def __post_init__(self) -> None:
        self.kinesis = SimulatedKinesis(self.simulation)
        self.channels = MemoryChannels()
        self.letters = SimulatedLetters(self.simulation)
        self.streams = {name: self.kinesis.fake.create_stream(name) for name in (QUIET, FLOODED)}
        self._appended = 0

    def flood(self) -> None:
        for number in range(FLOOD):
            self.streams[FLOODED].shards[0].put(payload(self.kind, number))

    def rows(self, stream: str) -> int:
        served = self.channels.served.get(stream)
        return len(served.rows) if served else 0

    def start(self) -> None:
        services = self._services()
        group = ShardGroup(services, start=lambda runner: self._take_on(runner.run))
        deadline = Deadline(self.simulation.now_s + LONG_S)
        deadline._stopped = SimulatedEvent()  # type: ignore[assignment] # the real one would stop all actors
        works = [_work(stream) for stream in self.streams.values()]
        self._take_on(lambda: group.run(works, deadline))

    def _take_on(self, run: Any) -> None:
        actor = self.simulation.start(run)
        actor.start_another = self._take_on

    def _step(self, step: EpochStep, key: ShardKey) -> None:
        self.turns[key.stream] += 1
        if key.stream == FLOODED:
            self.most_at_once = max(self.most_at_once, self.rows(FLOODED) - self._appended)
            self._appended = self.rows(FLOODED)
        pause()

    def turns_until_it_is_a_row(self, record: bytes) -> int:
        """Returns those that the flooded shard took meanwhile."""
        before, turns = self.rows(QUIET), self.turns[FLOODED]
        self.streams[QUIET].shards[0].put(record)
        while self.rows(QUIET) == before and self.turns[FLOODED] - turns <= 10 * TURNS:
            self.simulation.run_until(self.simulation.now_s + 0.01)
        return self.turns[FLOODED] - turns

    def _services(self) -> ShardServices:
        ledger: Any = SimulatedLedger(self.simulation)
        return ShardServices(
            ledger=ledger,
            kinesis=self.kinesis.client(),
            channels=self.channels,
            dead_letters=self.letters,
            polling=PollingConfig.model_construct(max_records=PAGE, interval_ms=200),
            run_id="run",
            observer=self._step,
            jitter=self.simulation.rng.random,
            counter_settle_s=0.0,
        )


def _work(stream: StreamHandle) -> ShardWork:
    return ShardWork(
        key=ShardKey(stream.name, stream.found.created_ms, stream.shards[0].id),
        epoch=1,
        start=TrimHorizon(),
        pipeline=PipelineConfig.model_validate({"stream": stream.name, "database": "DB", "schema": "RAW"}),
        target=TargetTable("DB", "RAW", stream.name, "2026-01-01T00:00:00.000+00:00", f"{stream.name}-STREAMING"),
        channel=stream.name,
        retention_hours=24,
    )


@contextmanager
def running(process: Process) -> Iterator[Process]:
    with simulated():
        try:
            process.start()
            process.simulation.run_until(5.0)
            yield process
        finally:
            for actor in list(process.simulation.actors):
                actor.kill()


@pytest.mark.parametrize("kind", [Fate.ROW, Fate.DEAD_LETTER])
def test_a_record_beside_a_flood_is_a_row_within_some_turns_of_the_flood(kind: Fate) -> None:
    with running(Process(kind)) as process:
        process.flood()
        waited = [process.turns_until_it_is_a_row(payload(Fate.ROW, number)) for number in range(10)]
        handled = process.rows(FLOODED) + len(process.letters.kept)
        assert max(waited) <= TURNS, waited
        assert PAGE < handled < FLOOD, "the flood was neither over nor waiting"
        assert process.most_at_once <= PAGE
