"""Count of shards that change their process when one splits, or when an executor is lost. Counted, not timed."""

from collections.abc import Iterator, Mapping

from bench.figure import Figure, at_most
from firnline_ingest.spark.groups import Placement, place
from firnline_ingest.values import ShardKey

PART = "placement"
SHARDS, EXECUTORS, CORES, MOST = 500, 6, 4, 32
MOST_MOVED = 5


def figures() -> Iterator[Figure]:
    shards = [ShardKey("orders", 1, f"shardId-{number:012d}") for number in range(SHARDS)]
    slots = {f"executor_host{number}_{number}": CORES for number in range(EXECUTORS)}
    before = _homes(place(Placement(), shards, slots=slots, most=MOST))
    splits = [_moved(before, _after_split(shards, parent, slots)) for parent in range(0, SHARDS, 50)]
    yield Figure(
        part=PART,
        name=f"of {SHARDS} shards, others that a split moves",
        unit="shards",
        values=splits,
        bar=at_most(MOST_MOVED),
    )
    losses = [_moved_by_loss(shards, lost, slots) for lost in slots]
    yield Figure(
        part=PART, name="others that the loss of an executor moves", unit="shards", values=losses, bar=at_most(0)
    )


def _after_split(shards: list[ShardKey], parent: int, slots: Mapping[str, int]) -> Placement:
    before = place(Placement(), shards, slots=slots, most=MOST)
    children = [ShardKey("orders", 1, f"shardId-{SHARDS + side:012d}") for side in range(2)]
    return place(before, shards[:parent] + shards[parent + 1 :] + children, slots=slots, most=MOST)


def _moved_by_loss(shards: list[ShardKey], lost: str, slots: Mapping[str, int]) -> int:
    before = place(Placement(), shards, slots=slots, most=MOST)
    left = {executor: cores for executor, cores in slots.items() if executor != lost}
    untouched = {shard: home for shard, home in _homes(before).items() if home[1] != lost}
    return _moved(untouched, place(before, shards, slots=left, most=MOST))


def _moved(before: Mapping[ShardKey, tuple[int, str]], after: Placement) -> int:
    homes = _homes(after)
    return sum(home != homes[shard] for shard, home in before.items() if shard in homes)


def _homes(placement: Placement) -> dict[ShardKey, tuple[int, str]]:
    return {shard: (group.number, group.executor) for group in placement.groups for shard in group.shards}
