"""Spark's checkpoint is the last resort: an engine that begins a new one goes on from its ledger, exactly once."""

import random

import pytest

from tests.chaos.oracle import problems
from tests.chaos.records import Fate
from tests.chaos.simulated.acts import run_for, split
from tests.chaos.simulated.process import Checkpoint
from tests.chaos.simulated.staged import on_stage
from tests.chaos.simulated.story import StoryOutcome, come_to_an_end
from tests.chaos.simulated.world import World
from tests.tiers import seeds

pytestmark = pytest.mark.chaos


def moved(seed: int, *, at: str, is_killed: bool) -> tuple[World, list[str]]:
    """Some records, a split, the engine ends, its checkpoint is elsewhere, and another one starts."""
    rng, outcome = random.Random(seed), StoryOutcome(seed, ())
    world = World(seed=seed, shards=2, initial_position={"at": at}, discards_on_open=rng.random() < 0.5)
    with on_stage(world):
        engine = world.start()
        run_for(world, 12.0)
        for moment in range(3):
            for fate in Fate:
                world.put(fate)
            if moment == 1:
                split(world, rng.choice(world.stream.open_shards))
            run_for(world, rng.uniform(0.2, 15.0))
        if is_killed:
            engine.kill()
        engine.is_leaving = True
        run_for(world, 60.0)
        assert engine not in world.running
        world.checkpoint = Checkpoint()
        world.put(Fate.ROW)
        come_to_an_end(world, outcome)
    return world, [*outcome.problems, *world.watch.problems, *problems(world.evidence())]


@pytest.mark.parametrize("is_killed", [False, True], ids=["stopped", "killed"])
@pytest.mark.parametrize("at", ["TRIM_HORIZON", "LATEST"])
@pytest.mark.parametrize("seed", seeds(range(6)))
def test_a_new_checkpoint_goes_on_from_the_ledger_exactly_once(seed: int, at: str, is_killed: bool) -> None:
    world, found = moved(seed, at=at, is_killed=is_killed)
    assert found == []
    assert len(world.puts) == 3 * len(Fate) + 1
    assert world.evidence().losses == []
