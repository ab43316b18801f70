"""Many schedules, a few at a time: each lane has servers of its own, so that schedules don't meet one another's faults."""

from collections.abc import Collection, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from queue import SimpleQueue

from tests.chaos.drill import Drill, Outcome
from tests.chaos.lane import Lane
from tests.chaos.schedule import Schedule


def run_schedules(
    seeds: Iterable[int], *, lanes: int = 2, without: Collection[str] = (), sabotage: str | None = None
) -> Generator[Outcome, None, None]:
    """In the order in which they end. Whoever has seen enough closes the generator: no further schedule begins then."""
    free: SimpleQueue[Lane] = SimpleQueue()

    def play(seed: int) -> Outcome:
        lane = free.get()
        try:
            return Drill(lane, Schedule.of(seed, without), sabotage).play()
        finally:
            free.put(lane)

    with ExitStack() as stack:
        for _ in range(lanes):
            free.put(stack.enter_context(Lane()))
        threads = stack.enter_context(ThreadPoolExecutor(lanes))
        stack.callback(threads.shutdown, cancel_futures=True)
        for future in as_completed([threads.submit(play, seed) for seed in seeds]):
            yield future.result()
