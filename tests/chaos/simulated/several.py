"""Acts of the theme of several streams: one that is named, and others that a pattern finds, which come and go.

An engine goes on with the others where one has stopped, as `on_failure: continue` says.
"""

from tests.chaos.records import Fate
from tests.chaos.simulated.acts import act, put_some, run_for
from tests.chaos.simulated.world import World

THEME = "several-streams"
NAMES = ("more-0", "more-1", "more-2")
LOOK_S = 12.0  # until a stream that has come is found


def begin(world: World) -> None:
    """Some are there before the first engine is, and may have a table in common."""
    world.goes_on, world.shared_table = True, world.rng.random() < 0.3
    for _ in range(world.rng.randint(0, 2)):
        _make(world)


@act(THEME, weight=3)
def a_stream_appears(world: World) -> None:
    """The stream's first records come before it is found."""
    if _make(world):
        put_some(world)
        run_for(world, world.rng.choice((0.5, LOOK_S)))


@act(THEME, weight=2, loses=True)
def a_stream_disappears(world: World) -> None:
    """Sometimes with what was not read yet, and sometimes before it was found."""
    if world.others:
        stream = world.others.pop(world.rng.randrange(len(world.others)))
        if not world.is_found(stream):
            world.unseen.add(stream.name)
        stream.delete()


@act(THEME, weight=3)
def one_stream_is_flooded(world: World) -> None:
    shards = world.rng.choice(world.streams).open_shards
    for _ in range(world.rng.choice((15, 40))):
        world.put(world.rng.choice((Fate.ROW, Fate.ROW, Fate.DEAD_LETTER)), world.rng.choice(shards))


@act(THEME, weight=2)
def streams_can_not_be_listed(world: World) -> None:
    world.kinesis.trouble.down.add("ListStreams")
    a_stream_appears(world)
    run_for(world, world.rng.choice((LOOK_S, 60.0)))
    world.kinesis.trouble.down.discard("ListStreams")


def _make(world: World) -> bool:
    """Under a name that no stream had before."""
    free = [name for name in NAMES if not any(shard.startswith(f"{name}/") for shard in world.parents)]
    if free:
        world.others.append(
            world.kinesis.fake.create_stream(
                free[0], shards=world.rng.choice((1, 1, 2)), retention_hours=world.retention_hours
            )
        )
        world.note_lineage()
    return bool(free)
