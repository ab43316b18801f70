"""One engine in simulated time: a driver that plans epochs, and an actor for each of its shards.

The planner, the group, the runners and what they use are the engine's own; what Spark does between them is here, and a
checkpoint whose last epoch is replayed.
"""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Self
from unittest.mock import patch

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.config.running import PollingConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis import subscription
from firnline_ingest.kinesis.consumers import Consumers
from firnline_ingest.shard import group, request, retirement, runner
from firnline_ingest.shard.group import ShardGroup
from firnline_ingest.shard.receipt import Receipt, ShardProblem, ShardState
from firnline_ingest.shard.request import Deadline
from firnline_ingest.shard.retirement import Retirement
from firnline_ingest.shard.runner import ShardRunner
from firnline_ingest.shard.work import ShardServices
from firnline_ingest.spark import planner
from firnline_ingest.spark.assignment import Assignment, PlannedShard
from firnline_ingest.spark.planner import PlanRow, ShardPlanner, SourceOffset
from firnline_ingest.values import ShardKey
from tests.chaos.simulated.simulation import (
    Actor,
    SimulatedEvent,
    current_actor,
    monotonic,
    pause,
    simulated_time,
    sleep,
    wall_clock,
)
from tests.chaos.simulated.snowflake import SimulatedChannels
from tests.fakes.receipts import adding_up

if TYPE_CHECKING:
    from tests.chaos.simulated.world import World

PLANS_TO_BE_DONE = (
    2  # as in spark/job.py: a listing may leave shards out, and a replayed plan knows nothing of new ones
)
AHEAD_BYTES = 400  # of a subscription: so little that stories come upon it
LOOK_EVERY_S = 0.5  # of a group at its shards: each look is a turn
PAUSE_S = 1.0  # before an epoch that follows one which failed


@dataclass
class Checkpoint:
    """Spark's files on disk: the last epoch that was planned, and whether it came to its end."""

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
    actors: list[Actor] = field(default_factory=list)

    def start(self) -> Self:
        self.deadline = Deadline(0.0)
        self.driver = self._actor(self._drive)
        return self

    @property
    def is_over(self) -> bool:
        return all(actor.is_over for actor in self.actors)

    @property
    def is_frozen(self) -> bool:
        return any(actor.is_frozen for actor in self.actors)

    def kill(self) -> None:
        self.world.was_disturbed = self.world.was_disturbed or not self.is_over
        for actor in self.actors:
            actor.kill()
            if actor in self.world.simulation.actors:
                self.world.simulation.actors.remove(actor)

    def freeze(self, *, is_frozen: bool) -> None:
        self.world.was_disturbed = self.world.was_disturbed or (is_frozen and not self.is_over)
        for actor in self.actors:
            actor.is_frozen = is_frozen

    def set_clock(self, ahead_s: float) -> None:
        self.clock_ahead_s = ahead_s
        for actor in self.actors:
            actor.clock_ahead_s = ahead_s

    def _actor(self, run: Callable[[], None]) -> Actor:
        actor = self.world.simulation.start(run)
        actor.clock_ahead_s = self.clock_ahead_s
        actor.start_another = self._take_on_helper
        self.actors.append(actor)
        return actor

    def _drive(self) -> None:
        services = self._services()
        group, retirement = ShardGroup(services, start=self._take_on), Retirement(services, clock=monotonic)
        planned = ShardPlanner(
            self.config, services.kinesis, services.ledger, sleep=sleep, jitter=self.world.rng.random
        )
        checkpoint = self.world.checkpoint
        plans_without_work = 0
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
            receipts = self._epoch(group, retirement, rows)
            checkpoint.is_committed = True
            is_refused = any(row.problem and ShardProblem(**_loads(row.problem)).is_retryable for row in rows)
            plans_without_work = 0 if receipts or is_refused else plans_without_work + 1
            if self.arrival_ms is not None and plans_without_work >= PLANS_TO_BE_DONE:
                break
        for receipt in group.finish():
            self._judge(receipt)
        group.close()

    def _take_on_helper(self, run: Callable[[], None]) -> None:
        self.actors = [actor for actor in self.actors if not actor.is_over]
        self._actor(run)

    def _take_on(self, runner: ShardRunner) -> None:
        self._take_on_helper(runner.run)

    def _epoch(self, group: ShardGroup, retirement: Retirement, rows: Iterable[PlanRow]) -> list[Receipt]:
        pause()
        for row in rows:
            if row.problem:
                self.world.hear_of_pipeline(self, ShardProblem(**_loads(row.problem)), row.stream)
        planned = [self._planned(row) for row in rows if not row.problem]
        shards = tuple(shard for shard in planned if not self._is_done_with(shard.key))
        works = Assignment(self.config, group.services.run_id, shards, self.epoch_s).works
        retirement.tick(works)
        self.deadline = deadline = Deadline(self.world.simulation.now_s + self.epoch_s, self.arrival_ms)
        deadline._stopped = SimulatedEvent()  # type: ignore[assignment] # the real one would stop all actors
        receipts = group.run(works, deadline)
        for receipt in receipts:
            self._judge(receipt)
        if not works or any(receipt.state is ShardState.FAILED for receipt in receipts):
            sleep(PAUSE_S)
        return receipts

    def _planned(self, row: PlanRow) -> PlannedShard:
        pipeline, snowflake = self.config.pipeline_of(row.stream), self.world.snowflake
        routed = pipeline.routes.names if pipeline.routes else ()
        target = snowflake.target(self.world.table_of(row.stream))
        reported = self.world.differences.reported(ShardKey(row.stream, row.created_ms, row.shard))
        tables = tuple((table, snowflake.target(table)) for table in routed)
        return PlannedShard.of(row, target, routed=tables, reported=reported)

    def stop(self) -> None:
        """At once, as a request in the ledger does: what was sent is proven, and the epoch is over."""
        self.is_leaving = True
        self.deadline.stop()

    def _is_done_with(self, key: ShardKey) -> bool:
        return key in self.finished or (self.arrival_ms is not None and self.world.shard_of(key) in self.world.stopped)

    def _judge(self, receipt: Receipt) -> None:
        self.world.hear(self, adding_up(receipt))
        if self.arrival_ms is not None and receipt.state in (ShardState.DONE, ShardState.ENDED):
            self.finished.add(receipt.key)

    def _services(self) -> ShardServices:
        ledger: Any = self.world.ledger
        kinesis = self.world.kinesis.client()
        return ShardServices(
            ledger=ledger,
            kinesis=kinesis,
            consumers=Consumers(kinesis),
            channels=SimulatedChannels(self.world.snowflake),
            dead_letters=self.world.letters,
            new_columns=self.world.new_columns(),
            polling=PollingConfig.model_construct(max_records=self.page, interval_ms=1000),
            run_id=f"engine{self.number}",
            observer=lambda step, key: pause(),
            now_ms=lambda: int(wall_clock() * 1000),
            jitter=self.world.rng.random,
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
    """An opening, in the thread of its shard: two threads of one engine could not be told whose turn it is."""
    future: Future[Any] = Future()
    try:
        future.set_result(function())
    except Exception as error:
        future.set_exception(error)
    return future


class HelpingActor:
    """threading.Thread of an engine in simulated time: it lives and dies with whoever started it."""

    def __init__(self, target: Callable[..., None], args: Sequence[Any] = (), **_: Any) -> None:
        self._target = partial(target, *args)

    def start(self) -> None:
        actor = current_actor()
        assert actor is not None, "only an engine's own threads start others"
        actor.start_another(self._target)


@contextmanager
def simulated() -> Iterator[None]:
    """While the block lasts, the engine has simulated time, and no threads but its actors."""
    with ExitStack() as stack:
        stack.enter_context(simulated_time())
        stack.enter_context(patch.object(runner, "_in_background", at_once))
        stack.enter_context(patch.object(subscription, "AHEAD_BYTES", AHEAD_BYTES))
        stack.enter_context(patch.object(group, "LOOK_EVERY_S", LOOK_EVERY_S))
        for module in (request, retirement, runner, subscription):
            events = SimpleNamespace(
                Lock=threading.Lock, Event=SimulatedEvent, Thread=HelpingActor, get_ident=threading.get_ident
            )
            stack.enter_context(patch.object(module, "threading", events))
        stack.enter_context(patch.object(planner, "ThreadPoolExecutor", AtOnce))
        yield
