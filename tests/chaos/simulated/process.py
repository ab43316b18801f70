"""One engine in simulated time: a driver that plans epochs, and an actor for each shard of an epoch.

The planner, the runners and what they use are the engine's own; what Spark does between them is here, a checkpoint whose
last epoch is replayed included.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self
from unittest.mock import patch

from firnline_ingest.config.model import EngineConfig, PollingConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.shard import runner
from firnline_ingest.shard.deadline import Deadline
from firnline_ingest.shard.receipt import Receipt, ShardProblem, ShardState, Tally
from firnline_ingest.shard.runner import ShardRunner
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.spark import planner
from firnline_ingest.spark.assignment import Assignment, PlannedShard
from firnline_ingest.spark.planner import PlanRow, ShardPlanner, SourceOffset
from firnline_ingest.values import ShardKey
from tests.chaos.simulated.simulation import (
    Actor,
    SimulatedEvent,
    pause,
    simulated_time,
    sleep,
    wall_clock,
)
from tests.chaos.simulated.snowflake import SimulatedChannels

if TYPE_CHECKING:
    from tests.chaos.simulated.world import World

PAUSE_S = 1.0  # before an epoch that follows one which failed


@dataclass
class Checkpoint:
    """What Spark keeps on disk: the last epoch that was planned, and whether it came to its end."""

    offset: SourceOffset = field(default_factory=SourceOffset)
    is_committed: bool = True


@dataclass(eq=False)
class EngineProcess:
    """A driver and its workers, which live and die together; a pause of the driver alone is possible."""

    world: "World"
    config: EngineConfig
    number: int
    page: int
    """Records a read returns at most."""
    epoch_s: float
    arrival_ms: int | None = None
    clock_ahead_s: float = 0.0
    is_leaving: bool = False
    """It ends after the epoch at hand."""
    finished: set[ShardKey] = field(default_factory=set)
    runners: dict[ShardKey, ShardRunner] = field(default_factory=dict)
    actors: list[Actor] = field(default_factory=list)

    def start(self) -> Self:
        self.driver = self._actor(self._drive)
        return self

    @property
    def is_over(self) -> bool:
        return all(actor.is_over for actor in self.actors)

    @property
    def is_frozen(self) -> bool:
        return any(actor.is_frozen for actor in self.actors)

    def kill(self) -> None:
        for actor in self.actors:
            actor.kill()
            if actor in self.world.simulation.actors:
                self.world.simulation.actors.remove(actor)

    def freeze(self, *, is_frozen: bool) -> None:
        for actor in self.actors:
            actor.is_frozen = is_frozen

    def set_clock(self, ahead_s: float) -> None:
        self.clock_ahead_s = ahead_s
        for actor in self.actors:
            actor.clock_ahead_s = ahead_s

    def _actor(self, run: Callable[[], None]) -> Actor:
        actor = self.world.simulation.start(run)
        actor.clock_ahead_s = self.clock_ahead_s
        self.actors.append(actor)
        return actor

    def _drive(self) -> None:
        services = self._services()
        planned = ShardPlanner(self.config, services.kinesis, services.ledger, sleep=sleep)
        checkpoint = self.world.checkpoint
        while not self.is_leaving:
            pause()
            try:
                if checkpoint.is_committed:
                    checkpoint.offset = planned.next_offset(checkpoint.offset)
                    checkpoint.is_committed = False
                rows = list(planned.rows(checkpoint.offset))
            except FirnlineError as error:
                self.world.hear_of_pipeline(self, ShardProblem.of(error))
                sleep(PAUSE_S)
                continue
            receipts = self._epoch(services, rows)
            checkpoint.is_committed = True
            if self.arrival_ms is not None and not receipts:
                return

    def _epoch(self, services: ShardServices, rows: Iterable[PlanRow]) -> list[Receipt]:
        pause()
        target = self.world.snowflake.target
        for row in rows:
            if row.problem:
                self.world.hear_of_pipeline(self, ShardProblem(**_loads(row.problem)))
        planned = [PlannedShard.of(row, target) for row in rows if not row.problem]
        shards = tuple(shard for shard in planned if not self._is_done_with(shard.key))
        works = Assignment(self.config, services.run_id, shards, self.epoch_s).works
        for key in set(self.runners) - {work.key for work in works}:
            self.runners.pop(key).close()
        receipts: list[Receipt] = []
        actors = [self._shard_actor(services, work, receipts) for work in works]
        while not all(actor.is_over for actor in actors):
            sleep(0.1)
        self.actors = [self.driver]
        for receipt in receipts:
            self._judge(receipt)
        if not works or any(receipt.state is ShardState.FAILED for receipt in receipts):
            sleep(PAUSE_S)
        return receipts

    def _is_done_with(self, key: ShardKey) -> bool:
        return key in self.finished or (self.arrival_ms is not None and key.shard_id in self.world.stopped)

    def _shard_actor(self, services: ShardServices, work: ShardWork, receipts: list[Receipt]) -> Actor:
        shard = self.runners.setdefault(work.key, ShardRunner(services))
        deadline = Deadline(self.world.simulation.now_s + self.epoch_s, self.arrival_ms)
        deadline._stopped = SimulatedEvent()  # type: ignore[assignment] # the real one would stop all actors
        return self._actor(lambda: receipts.append(shard.run(work, deadline, Tally())))

    def _judge(self, receipt: Receipt) -> None:
        self.world.hear(self, receipt)
        if self.arrival_ms is not None and receipt.state in (ShardState.DONE, ShardState.ENDED):
            self.finished.add(receipt.key)

    def _services(self) -> ShardServices:
        ledger: Any = self.world.ledger
        return ShardServices(
            ledger=ledger,
            kinesis=self.world.kinesis.client(),
            channels=SimulatedChannels(self.world.snowflake),
            dead_letters=self.world.letters,
            polling=PollingConfig.model_construct(max_records=self.page, interval_ms=1000),
            run_id=f"engine{self.number}",
            observer=lambda step, key: pause(),
            now_ms=lambda: int(wall_clock() * 1000),
        )


def _loads(text: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(text)
    return loaded


class AtOnce:
    """A ThreadPoolExecutor whose work is done by whoever hands it in: a thread of its own would have no turns."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def map(self, function: Callable[..., Any], *iterables: Iterable[Any]) -> Iterator[Any]:
        return iter([function(*arguments) for arguments in zip(*iterables, strict=False)])


def at_once(function: Callable[[], Any]) -> "Future[Any]":
    """An opening, in the thread of its shard."""
    future: Future[Any] = Future()
    try:
        future.set_result(function())
    except Exception as error:
        future.set_exception(error)
    return future


@contextmanager
def simulated() -> Iterator[None]:
    """While the block lasts, the engine has simulated time, and no threads but its actors."""
    with ExitStack() as stack:
        stack.enter_context(simulated_time())
        stack.enter_context(patch.object(runner, "_in_background", at_once))
        stack.enter_context(patch.object(planner, "ThreadPoolExecutor", AtOnce))
        yield
