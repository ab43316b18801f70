"""Acts of the theme of aggregates: what a KPL, and what other producers pack into one Kinesis record."""

from firnline_local.kinesis import ShardHandle
from tests.chaos.records import Fate
from tests.chaos.simulated.acts import MOST_SHARDS, act, run_for, split
from tests.chaos.simulated.world import World
from tests.fakes.kpl_packing import KPL_PARTITION_KEY, MAGIC, Packed, pack, sealed

THEME = "aggregates"
SEVERAL = "several-rows"
"""Records are lines of JSON; those that are packed, too, where both are a story's themes."""
OTHER_KEY = "customer-7"
LARGE_BYTES = 160_000  # three of them fill an append, so that engines die between the user records of an aggregate


@act(THEME, weight=3)
def put_aggregates(world: World) -> None:
    """Puts aggregates of any producer, in any shard."""
    for _ in range(world.rng.randint(1, 3)):
        shard = world.rng.choice(world.open_shards)
        _put(world, shard, _fates(world, world.rng.choice((1, 2, 5, 30))))


@act(THEME, weight=3)
def put_a_large_aggregate(world: World) -> None:
    shard = world.rng.choice(world.open_shards)
    _put(world, shard, _fates(world, 6), size=LARGE_BYTES)


@act(THEME)
def put_broken_aggregates(world: World) -> None:
    """Sealed over what is not such a message, or cut short: one dead letter each."""
    whole = pack([Packed(_record(world, [Fate.ROW], len(world.puts), 0))])
    other_checksum = whole[:-1] + bytes([whole[-1] ^ 1])
    for data in (sealed(whole[len(MAGIC) : -17]), whole[:-1], other_checksum):
        shard = world.rng.choice(world.open_shards)
        world.put_aggregate(data, [[Fate.DEAD_LETTER]], shard, KPL_PARTITION_KEY)


@act(THEME)
def a_kpl_meets_a_split(world: World) -> None:
    """Splits a shard under a KPL: what it packed for the parent lands in a child; only what is the child's own is a row there."""
    if len(world.open_shards) >= MOST_SHARDS:
        return
    parent = world.rng.choice(world.open_shards)
    packed_for = parent.hash_range
    split(world, parent)
    if world.rng.random() < 0.5:
        run_for(world, 3.0)
    child = world.rng.choice([shard for shard in world.open_shards if parent in shard.parents])
    own = child.hash_range
    keys = [world.rng.randint(packed_for.start, packed_for.end) for _ in range(8)]
    fates = [[Fate.ROW if own.start <= key <= own.end else Fate.DEAD_LETTER] for key in keys]
    numbers = range(len(world.puts), len(world.puts) + len(keys))
    records = [Packed(_record(world, [Fate.ROW], n, 0), "k", str(key)) for n, key in zip(numbers, keys, strict=True)]
    world.put_aggregate(pack(records), fates, child, KPL_PARTITION_KEY, [world.route_of(n) for n in numbers])


def _put(world: World, shard: ShardHandle, fates: list[list[Fate]], *, size: int = 0) -> None:
    is_kpl = world.rng.random() < 0.5
    hash_key = str(shard.hash_range.start)
    numbers = range(len(world.puts), len(world.puts) + len(fates))
    records = [
        Packed(_record(world, rows, n, size), f"k{n % 3}", hash_key if is_kpl else None)
        for n, rows in zip(numbers, fates, strict=True)
    ]
    routes = [world.route_of(n) for n in numbers]
    key = KPL_PARTITION_KEY if is_kpl else OTHER_KEY
    world.put_aggregate(pack(records), [_told(rows) for rows in fates], shard, key, routes)


def _record(world: World, fates: list[Fate], number: int, size: int) -> bytes:
    """All rows of a record go to one table."""
    return world.format.write(fates, number, world.route_of(number), size // len(fates))


def _told(fates: list[Fate]) -> list[Fate]:
    """A record of which one line can't be a row is one dead letter."""
    return [Fate.DEAD_LETTER] if Fate.DEAD_LETTER in fates else fates


def _fates(world: World, count: int) -> list[list[Fate]]:
    """Returns the fates of `count` user records, which have several rows in a story of such."""
    return [
        world.rng.choices(list(Fate), [8, 1, 2], k=world.rng.choice((1, 2, 7)) if world.format.has_several_rows else 1)
        for _ in range(count)
    ]


@act(SEVERAL, weight=3)
def put_records_of_several_rows(world: World) -> None:
    """Plain records: a line of them may be too bad to be a row, or a row that the table refuses."""
    for _ in range(world.rng.randint(1, 4)):
        shard = world.rng.choice(world.open_shards)
        (fates,) = _fates(world, 1)
        _put_plain(world, fates, shard)


@act(SEVERAL)
def put_a_large_record_of_several_rows(world: World) -> None:
    """More than one append, so that engines die between its rows."""
    shard = world.rng.choice(world.open_shards)
    fates = [Fate.ROW] * 6
    _put_plain(world, fates, shard, size=6 * LARGE_BYTES)


def _put_plain(world: World, fates: list[Fate], shard: ShardHandle, *, size: int = 0) -> None:
    number = len(world.puts)
    data = _record(world, fates, number, size)
    world.put_aggregate(data, [_told(fates)], shard, OTHER_KEY, [world.route_of(number)])
