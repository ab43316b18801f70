"""Running one shard in a test: through what is there now, for a while, or up to a step at which it freezes."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from firnline_ingest.shard.group import ShardGroup
from firnline_ingest.shard.receipt import Receipt
from firnline_ingest.shard.request import Deadline, ShardRequest
from firnline_ingest.shard.runner import ShardRunner
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardServices, ShardWork
from tests.fakes.receipts import adding_up
from tests.ingest.shard.conftest import World
from tests.ingest.waiting import HANGS_S

SOON_MS = 1000  # what was put just now may bear the next instant


def bounded(services: ShardServices, work: ShardWork, seconds: float = 20.0) -> Receipt:
    """Reads what is there now."""
    return run(services, ShardRequest.lasting(work, seconds, arrival_ms=now_ms()))


def drained(services: ShardServices, work: ShardWork) -> Receipt:
    """Drains as `firnline drain` does: nothing that arrived after the beginning of time, but what is committed."""
    return run(services, ShardRequest.lasting(work, 20.0, arrival_ms=0))


def run(services: ShardServices, request: ShardRequest) -> Receipt:
    runner = ShardRunner(services, request)
    runner.run()
    return adding_up(runner.receipt())


def soon(seconds: float = 0.1) -> Deadline:
    """An epoch that is over before long; shards go on."""
    return Deadline.after(seconds)


def epochs(group: ShardGroup, works: Sequence[ShardWork], is_enough: Callable[[], object]) -> list[Receipt]:
    """Epoch after epoch, until it is enough; their receipts. At least one."""
    receipts = group.run(works, soon())
    give_up_s = time.monotonic() + HANGS_S
    while not is_enough():
        assert time.monotonic() < give_up_s, receipts
        receipts += group.run(works, soon())
    return receipts


@contextmanager
def reading(world: World, records: int = 1, run_id: str = "run", **services: object) -> Iterator[ShardGroup]:
    """A process by which so many records are rows of the table."""
    world.stream.shard(records=records)
    with world.group(run_id, **services) as group:
        epochs(group, [world.work()], has_rows(world, records))
        yield group


def has_rows(world: World, count: int) -> Callable[[], bool]:
    """Returns whether the table has so many by now."""
    return lambda: len(world.channels.served) == 1 and len(world.served.rows) == count


def now_ms() -> int:
    """The bound of a run that takes in what is there now."""
    return int(time.time() * 1000) + SOON_MS


def numbers(rows: list[bytes]) -> list[int]:
    return [json.loads(row)["n"] for row in rows]


@contextmanager
def frozen_at(step: EpochStep, world: World, work: ShardWork | None = None) -> Iterator[list[Receipt]]:
    """A zombie that froze at the step; it goes on when the block ends, and gives its receipt."""
    frozen, thawed = threading.Event(), threading.Event()
    receipts: list[Receipt] = []

    def freeze(reached: EpochStep, key: object) -> None:
        if reached is step:
            frozen.set()
            assert thawed.wait(10)

    zombie = world.services("zombie", observer=freeze)
    thread = threading.Thread(target=lambda: receipts.append(bounded(zombie, work or world.work())))
    thread.start()
    try:
        assert frozen.wait(10)
        yield receipts
    finally:
        thawed.set()
        thread.join(10)
