"""Acts of the theme of shards that are kept together: backlogs of one shard, idle ones, merges of what is hours apart."""

from tests.chaos.records import Fate
from tests.chaos.simulated.acts import MOST_SHARDS, act, merge_two_shards, run_for, split
from tests.chaos.simulated.world import World

THEME = "alignment"
AHEAD_S = (60, 600, 3600)
LEFT_OUT_S = (60, 90, 300)
"""A shard that has stopped holds the others back for so long, and a story goes on: less than an outage lasts, and more."""
CATCH_UP_S = 330.0  # longer than a shard may stand still without a word


@act(THEME, weight=2)
def hours_of_backlog_in_some_shards(world: World) -> None:
    """Nobody runs; one shard has records of each hour, the others of some, or of none."""
    for process in world.running:
        process.kill()
    for _ in range(world.rng.randint(2, 5)):
        for shard in world.open_shards:
            if world.rng.random() < 0.6:
                world.put(Fate.ROW, shard)
        world.simulation.pass_time(world.rng.choice((40.0, 700.0, 4000.0)))
    world.start()


@act(THEME, weight=2)
def a_shard_is_split_inside_a_backlog(world: World) -> None:
    hours_of_backlog_in_some_shards(world)
    if len(world.open_shards) < MOST_SHARDS:
        shard = world.rng.choice(world.open_shards)
        split(world, shard)
    hours_of_backlog_in_some_shards(world)


@act(THEME, weight=2)
def shards_are_merged_inside_a_backlog(world: World) -> None:
    """Their child begins where both have ended, of which one may be held back."""
    hours_of_backlog_in_some_shards(world)
    merge_two_shards(world)
    hours_of_backlog_in_some_shards(world)


@act(THEME, weight=2)
def they_catch_up(world: World) -> None:
    """With an engine that nobody stops, whatever else is on."""
    if not world.running:
        world.start()
    run_for(world, CATCH_UP_S)


def are_all_read(world: World) -> bool:
    """But what a shard stopped at, and what comes behind it, is not."""
    return all(world.is_read(shard) for shard in world.all_shards if shard.records)
