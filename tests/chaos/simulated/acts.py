"""Acts of a story, by name. An act changes the world at once, and may leave something that goes on.

`loses` says that an act can cost records or proofs, so that an incident or a stop after it can be true.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from firnline_ingest.kinesis.missing import LOOKS
from firnline_local.kinesis import ShardHandle
from tests.chaos.records import Fate
from tests.chaos.simulated.snowflake import MOST_NEW_COLUMNS
from tests.chaos.simulated.world import World

HOUR_S = 3600.0
LARGE_BYTES = 990_000  # what is above may be too large for a row, with the metadata that goes with it
MOST_SHARDS = 5  # open ones, of all streams
LONG_S = 420.0  # a fault that lasts: longer than the engine may be silent about it


@dataclass(frozen=True)
class ActKind:
    """One entry of the menu."""

    play: Callable[[World], None]
    theme: str
    """A story has some themes; acts of the theme "always" are in every one."""
    weight: float
    loses: bool


ACTS: dict[str, ActKind] = {}

Play = Callable[[World], None]


def act(theme: str, *, weight: float = 1.0, loses: bool = False) -> Callable[[Play], Play]:
    def added(play: Play) -> Play:
        ACTS[play.__name__.replace("_", "-")] = ActKind(play, theme, weight, loses)
        return play

    return added


# What every story has


@act("always", weight=8)
def put_some(world: World) -> None:
    for fate in world.rng.choices(list(Fate), [8, 1, 2], k=world.rng.randint(1, 6)):
        world.put(fate)


@act("always", weight=4)
def let_time_pass(world: World) -> None:
    run_for(world, world.rng.choice((1.0, 3.0, 10.0, 20.0)))


@act("always", weight=3)
def start_an_engine(world: World) -> None:
    """Two may run at once, and know nothing of each other."""
    if len(world.running) < 2:
        world.start()


@act("always", weight=2)
def kill_an_engine(world: World) -> None:
    if world.running:
        world.rng.choice(world.running).kill()


@act("always", weight=1.5)
def freeze_an_engine(world: World) -> None:
    if world.running:
        world.rng.choice(world.running).freeze(is_frozen=True)


@act("always", weight=1.5)
def thaw_an_engine(world: World) -> None:
    if world.frozen:
        world.rng.choice(world.frozen).freeze(is_frozen=False)


@act("always", weight=1)
def stop_an_engine(world: World) -> None:
    if world.running:
        world.rng.choice(world.running).is_leaving = True


# The stream


@act("shards", weight=1)
def split_a_shard(world: World) -> None:
    if len(world.open_shards) < MOST_SHARDS:
        split(world, world.rng.choice(world.open_shards))


@act("shards", weight=1)
def merge_two_shards(world: World) -> None:
    shards = world.rng.choice(world.streams).open_shards
    if len(shards) > 1:
        first = world.rng.randrange(len(shards) - 1)
        shards[first].merge(shards[first + 1])
        world.note_lineage()


@act("liberties")
def late_ends(world: World) -> None:
    world.kinesis.fake.liberties.late_end = not world.kinesis.fake.liberties.late_end


@act("liberties")
def childless_ends(world: World) -> None:
    world.kinesis.fake.liberties.childless_ends = world.rng.randint(1, 3)


@act("liberties")
def hasty_tips(world: World) -> None:
    world.kinesis.fake.liberties.hasty_tip = not world.kinesis.fake.liberties.hasty_tip


@act("liberties")
def empty_pages(world: World) -> None:
    world.kinesis.fake.liberties.empty_page_every = world.rng.choice((None, 2, 5))


@act("malformed")
def malformed_pages(world: World) -> None:
    world.kinesis.trouble.malformed = world.rng.choice((0.05, 0.3, 0.9))
    run_for(world, 20.0)
    world.kinesis.trouble.malformed = 0.0


@act("malformed")
def ends_that_are_none(world: World) -> None:
    world.kinesis.trouble.nulls_open_shards = True
    malformed_pages(world)


@act("listings")
def listings_that_omit(world: World) -> None:
    shards = sorted({shard.id for shard in world.all_shards})
    _omit(world, set(world.rng.sample(shards, world.rng.randint(1, len(shards)))))


@act("listings")
def listings_that_omit_a_parent(world: World) -> None:
    """One that is read slowly, while its children are listed."""
    shard = world.rng.choice(world.open_shards)
    for _ in range(15):
        world.put(Fate.ROW, shard)
    split(world, shard)
    put_some(world)
    _omit(world, {shard.id})


@act("listings")
def answers_that_deny_a_shard(world: World) -> None:
    """Listings omit it, and whoever asks for it by name hears once or twice that it is not there; a third time ends it."""
    unread = [shard for shard in world.all_shards if (row := world.rows.get(world.name_of(shard))) and not row.ended]
    unread = [shard for shard in unread if world.name_of(shard) not in world.denied]
    if unread:
        shard = world.rng.choice(unread)
        world.denied.add(world.name_of(shard))
        world.kinesis.trouble.unknown[shard.id] = world.rng.choice((1, LOOKS - 1))
        put_some(world)
        for process in world.running:
            process.kill()
        world.start()
        _omit(world, {shard.id})
        world.kinesis.trouble.unknown.clear()


def _omit(world: World, shards: set[str]) -> None:
    """Not at a stream's first plan, for which a parent that two listings lack is the past (docs/design/ledger.md, section 8)."""
    if not all(world.is_found(stream) for stream in world.streams):
        return
    world.kinesis.trouble.omitted = shards
    run_for(world, world.rng.choice((5.0, 30.0)))
    world.kinesis.trouble.omitted = set()


# Retention and clocks


@act("retention", weight=1.5, loses=True)
def outage(world: World) -> None:
    """Nobody runs for hours or days, while records come and shards come and go; zombies may wake up afterwards."""
    for process in world.running:
        if world.rng.random() < 0.5:
            process.kill()
        else:
            process.freeze(is_frozen=True)
    for _ in range(world.rng.randint(1, 4)):
        world.rng.choice((put_some, put_some, split_a_shard, merge_two_shards))(world)
        world.simulation.pass_time(world.rng.choice((1, 5, 12, 23, 25, 40)) * HOUR_S)
    if world.rng.random() < 0.5:
        put_some(world)


@act("pauses", weight=1.5)
def pause_of_minutes(world: World) -> None:
    """Everything stands still as long as iterators live, and a little longer: a machine that sleeps, a long collection."""
    processes = world.running
    for process in processes:
        process.freeze(is_frozen=True)
    world.simulation.pass_time(world.rng.choice((20.0, 301.0, 2 * HOUR_S)))
    for process in processes:
        process.freeze(is_frozen=False)


@act("pauses", weight=1.5)
def pause_of_the_driver(world: World) -> None:
    """The workers go on with the epoch they have."""
    if world.running:
        driver = world.rng.choice(world.running).driver
        driver.is_frozen = True
        run_for(world, world.rng.choice((5.0, 60.0, 400.0)))
        driver.is_frozen = False


@act("retention", loses=True)
def retention_is_changed(world: World) -> None:
    stream = world.rng.choice(world.streams)
    with stream.account.lock:
        stream.found.keep_for(world.rng.choice((24, 48, 168)), world.simulation.now_ms)


@act("clocks")
def clock_jumps(world: World) -> None:
    """Moves the clock of a worker's machine."""
    if world.running:
        world.rng.choice(world.running).set_clock(world.rng.choice((-26, -1, 1, 26, 24 * 40)) * HOUR_S)


# Snowflake


@act("counters")
def counters_trail(world: World) -> None:
    world.snowflake.trouble.trailing = world.rng.choice((0.0, 0.5, 0.9))


@act("counters")
def tokens_go_back(world: World) -> None:
    world.snowflake.trouble.goes_back = world.rng.choice((0.0, 0.1, 0.5))


@act("counters")
def counters_run_ahead(world: World) -> None:
    world.snowflake.trouble.ahead = world.rng.choice((0.0, 0.5))


@act("slow-commits")
def commits_are_held(world: World) -> None:
    world.snowflake.trouble.holds_commits = True
    run_for(world, world.rng.choice((10.0, 60.0, 200.0)))
    world.snowflake.trouble.holds_commits = False


@act("dropped", loses=True)
def channel_is_dropped(world: World) -> None:
    """Not where the ledger's row was lost before, and is not rebuilt: then nothing is left that knows what was committed."""
    if known := sorted(world.snowflake.channels.keys() & world.listed_channels):
        world.snowflake.drop(world.rng.choice(known))


@act("replaced", loses=True)
def table_is_replaced(world: World) -> None:
    replace_table(world, world.rng.choice(sorted(world.snowflake.tables)))


def replace_table(world: World, name: str) -> None:
    """Not where a row that listed a channel of the table was lost, and is not rebuilt: nothing knows then that there was another
    table (docs/design/ledger.md, section 5)."""
    unknown = {channel for row in world.said_before for channel in row.channels} - world.listed_channels
    now = world.snowflake.table(name)
    if not any(channel.table is now for known, channel in world.snowflake.channels.items() if known in unknown):
        world.snowflake.replace_table(name)


@act("wide")
def wide_records(world: World) -> None:
    """Each brings columns of its own: together more than a request may add; sometimes one alone does."""
    count, width = world.rng.choice(((6, 30), (3, 60), (1, 150)))
    for number in range(count):
        keys = {f"wide{len(world.puts)}_{number}_{key}": key for key in range(width)}
        world.put(Fate.ROW, data=_json(keys), or_letter=width > MOST_NEW_COLUMNS)


@act("large")
def large_records(world: World) -> None:
    """Kinesis' classic maximum, and a little less."""
    for size in world.rng.sample((1_048_500, 1_040_000, 999_000, 700_000, 400_000), 2):
        world.put(Fate.ROW, data=_json({"n": len(world.puts), "text": "x" * size}), or_letter=size > LARGE_BYTES)


# The ledger, and what does not answer


@act("ledger", loses=True, weight=0.7)
def ledger_row_is_lost(world: World) -> None:
    """Not where a channel is gone too, as above, or was made again and has read past nothing yet; nor of a stream that was made
    again, of which nothing but its rows knows that the one before was read (docs/design/ledger.md, section 8)."""
    made, now = world.snowflake.made, {(each.name, each.found.created_ms) for each in world.streams}
    rows = [row for row in world.ledger.memory.kept.values() if (row.key.stream, row.key.stream_created_ms) in now]
    rows = sorted(rows, key=lambda row: str(row.key))
    listed = {row.key: {(name, entry.created_ms) for name, entry in row.channels.items()} for row in rows}
    drops = {row.key for row in rows if any(entry.drops_through for entry in row.channels.values())}
    if known := [key for key, channels in listed.items() if channels and channels <= made and key not in drops]:
        lost = world.rng.choice(known)
        world.said_before.append(world.ledger.memory.kept[lost])
        world.ledger.memory.forget(lost)


@act("answers")
def answers_get_lost(world: World) -> None:
    chance = world.rng.choice((0.02, 0.1))
    world.kinesis.trouble.lost = world.ledger.trouble.lost = world.snowflake.trouble.lost = chance
    run_for(world, 20.0)
    world.kinesis.trouble.lost = world.ledger.trouble.lost = world.snowflake.trouble.lost = 0.0


@act("lasting")
def kinesis_can_not_be_read(world: World) -> None:
    _down_for_long(world, world.kinesis.trouble.down, "GetRecords")


@act("lasting")
def iterators_are_refused(world: World) -> None:
    _down_for_long(world, world.kinesis.trouble.down, "GetShardIterator")


@act("lasting")
def shards_can_not_be_listed(world: World) -> None:
    _down_for_long(world, world.kinesis.trouble.down, "ListShards")


@act("lasting")
def channels_can_not_be_opened(world: World) -> None:
    for name in list(world.snowflake.channels):
        world.snowflake.channels[name].opens += 1
    _down_for_long(world, world.snowflake.trouble.down, "open")


@act("lasting")
def appends_are_not_taken(world: World) -> None:
    _down_for_long(world, world.snowflake.trouble.down, "append")


@act("lasting")
def status_is_not_told(world: World) -> None:
    _down_for_long(world, world.snowflake.trouble.down, "status")


@act("lasting")
def ledger_does_not_answer(world: World) -> None:
    if not world.running:
        world.start()
    world.ledger.trouble.is_down = True
    run_for(world, LONG_S)
    world.ledger.trouble.is_down = False


def _down_for_long(world: World, down: set[str], what: str) -> None:
    if not world.running:
        world.start()
    put_some(world)
    down.add(what)
    run_for(world, LONG_S)
    down.discard(what)


def split(world: World, shard: ShardHandle) -> None:
    shard.split()
    world.note_lineage()


def run_for(world: World, seconds: float) -> None:
    """In steps, so that what was accepted becomes visible, and silence is noticed."""
    end_s = world.simulation.now_s + seconds
    while world.simulation.now_s < end_s:
        world.simulation.run_until(min(end_s, world.simulation.now_s + 0.5))
        world.snowflake.settle()
        world.watch.look(world)


def _json(fields: Mapping[str, object]) -> bytes:
    return json.dumps(fields).encode()
