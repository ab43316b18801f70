"""Parts that stories with a plot of their own share: their stage, engines that read all there is, and where a row belongs."""

from collections.abc import Iterator
from contextlib import contextmanager

from firnline_ingest.dead_letters import DeadLetter
from tests.chaos.oracle import place_of
from tests.chaos.simulated import beyond
from tests.chaos.simulated.acts import run_for, split
from tests.chaos.simulated.process import simulated
from tests.chaos.simulated.snowflake import metadata_of
from tests.chaos.simulated.world import World

END_S = 1200.0
MOST_SHARDS = 4


@contextmanager
def on_stage(world: World) -> Iterator[None]:
    """While the block lasts, the world has its own time; no engine outlives it."""
    with simulated():
        try:
            yield
        finally:
            for process in world.processes:
                process.kill()


def reshard(world: World) -> None:
    if len(world.open_shards) < MOST_SHARDS:
        split(world, world.rng.choice(world.open_shards))


def read_all(world: World) -> None:
    """By an engine that ends when it is done, or has stopped."""
    engine = world.start(arrival_ms=world.simulation.now_ms + 1000)
    end_s = world.simulation.now_s + END_S
    while not engine.is_over and world.simulation.now_s < end_s:
        run_for(world, 0.5)
    assert engine.is_over, world.last_problem


def drain(world: World, *, tries: int = 3, end_s: float = END_S) -> None:
    """By earlier configurations what is in flight by them, and all that is left by the newest."""
    for _ in range(tries):
        read_all(world)
        if not beyond.finish_with_old_configurations(world, end_s):
            return


def place_of_row(row: bytes) -> tuple[str, int]:
    metadata = metadata_of(row)
    return metadata["shardId"], place_of(int(metadata["sequenceNumber"]), metadata["subSequenceNumber"])


def place_of_letter(letter: DeadLetter) -> tuple[str, int]:
    return letter.shard_id, place_of(int(letter.sequence_number), letter.sub_sequence_number)
