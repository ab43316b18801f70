"""Running one shard in a test: through what is there now, or up to a step at which it freezes."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from firnline_ingest.shard.deadline import Deadline
from firnline_ingest.shard.receipt import Receipt, Tally
from firnline_ingest.shard.runner import ShardRunner
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardWork
from tests.ingest.shard.conftest import World

SOON_MS = 1000  # what was put just now may bear the next instant


def bounded(runner: ShardRunner, work: ShardWork, seconds: float = 20.0) -> Receipt:
    """Reads what is there now."""
    return runner.run(work, Deadline.after(seconds, arrival_ms=int(time.time() * 1000) + SOON_MS), Tally())


def numbers(rows: list[bytes]) -> list[int]:
    return [json.loads(row)["n"] for row in rows]


@contextmanager
def frozen_at(step: EpochStep, world: World) -> Iterator[list[Receipt]]:
    """A zombie that froze at the step; it goes on when the block ends, and gives its receipt."""
    frozen, thawed = threading.Event(), threading.Event()
    receipts: list[Receipt] = []

    def freeze(reached: EpochStep, key: object) -> None:
        if reached is step:
            frozen.set()
            assert thawed.wait(10)

    zombie = world.runner("zombie", observer=freeze)
    thread = threading.Thread(target=lambda: receipts.append(bounded(zombie, world.work())))
    thread.start()
    try:
        assert frozen.wait(10)
        yield receipts
    finally:
        thawed.set()
        thread.join(10)
