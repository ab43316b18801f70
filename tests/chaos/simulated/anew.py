"""Acts of the theme of channels that begin anew while another table holds their shard back: dropped, expired, replaced, and a
person who says to go on after what was proven.
"""

from collections import Counter
from collections.abc import Collection

from firnline_ingest.ledger.resume import resume_from
from firnline_ingest.ledger.row import ResumeFrom, ShardRow
from tests.chaos.oracle import place_of
from tests.chaos.simulated.acts import HOUR_S, act, channel_is_dropped, put_some, replace_table, run_for
from tests.chaos.simulated.snowflake import EVENTS, SIDE
from tests.chaos.simulated.world import World

THEME = "anew"
DAYS = 24
PROVEN = "--from proven"


@act(THEME, weight=4)
def one_table_is_held_back(world: World) -> None:
    """Long enough that the ledger hears of the other one's proofs, and sometimes that this one's appends are over."""
    if not world.running:
        world.start()
    world.snowflake.trouble.held = world.rng.choice((EVENTS, SIDE))
    for _ in range(world.rng.randint(1, 3)):
        put_some(world)
        run_for(world, world.rng.choice((5.0, 20.0)))
    run_for(world, world.rng.choice((5.0, 40.0, 100.0)))
    if world.rng.random() < 0.6:
        for process in world.running:
            process.kill()
    world.snowflake.trouble.held = ""


@act(THEME, weight=2, loses=True)
def a_channel_is_dropped_while_a_table_is_held_back(world: World) -> None:
    one_table_is_held_back(world)
    channel_is_dropped(world)


@act(THEME, weight=1, loses=True)
def the_other_table_is_replaced(world: World) -> None:
    one_table_is_held_back(world)
    replace_table(world, SIDE)


@act(THEME, weight=1, loses=True)
def nobody_runs_for_a_month(world: World) -> None:
    """Nothing leaves the stream; channels that nobody wrote to expire. Not where a row of the ledger is lost, which would be two
    memories.
    """
    if not world.snowflake.channels.keys() <= world.listed_channels:
        return
    for stream in world.streams:
        stream.found.keep_for(100 * DAYS, world.simulation.now_ms)
    one_table_is_held_back(world)
    for process in world.running:
        process.kill()
    world.simulation.pass_time(31 * DAYS * HOUR_S)
    world.start()


@act(THEME, weight=4, loses=True)
def a_person_goes_on_from_proven(world: World) -> None:
    resume(world)
    world.start()


def resume(world: World) -> bool:
    """Each shard that says so is resumed, sometimes twice. Whether there was one."""
    asked = [
        row
        for shard, row in sorted(world.rows.items())
        if (stop := world.stopped.get(shard)) and PROVEN in stop.next_step
    ]
    if not asked:
        return False
    for process in world.running:
        process.kill()
    for row in asked:
        note(world, row)
        for _ in range(world.rng.randint(1, 2)):
            known = world.ledger.memory.read(row.key)
            assert known is not None
            taken = world.ledger.memory.take(row.key, known.fence, "a person", known.start)
            world.ledger.memory.reset(resume_from(taken, ResumeFrom.PROVEN, world.simulation.now_ms))
        del world.stopped[world.shard_of(row.key)]
    return True


def watch_drops(world: World) -> None:
    """A channel that goes between a person's decision and the opening that carries it out is as one that was gone before."""

    def note_gone(name: str) -> None:
        for row in world.rows.values():
            if row.reset and name in row.channels:
                note(world, row, {name})

    world.snowflake.on_drop = note_gone


def note(world: World, row: ShardRow, gone: Collection[str] = ()) -> None:
    """Notes what was proven, which is settled for good; what was committed beyond it in a channel that is gone may come again."""
    there = Counter([found for each in world.found() for found in each])
    counts = world.counts()
    for name, entry in row.channels.items():
        line, table = entry.settled_through, entry.target.table
        through = place_of(line.sequence_number, line.sub_sequence_number) if line else -1
        channel = world.snowflake.channels.get(name)
        is_gone = channel is None or channel.committed is None or name in gone
        for found, times in there.items():
            if found.shard != world.shard_of(row.key) or found.table != table:
                continue
            if found.number <= through:
                key = table, found.shard, found.number
                world.settled.setdefault(key, counts[key])
            elif is_gone:
                world.may_come_again[found] = times
