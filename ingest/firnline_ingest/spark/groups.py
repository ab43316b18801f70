"""Groups of shards by process, changed as little as possible from epoch to epoch: a shard that moves is opened again.

A group is one task and one Python process. It stays on its executor while that lives, and a shard in its group; no group
has more shards than one process may read, and there are no more groups than tasks that run at once, because one that waits
would hold its shards' records back for a whole epoch. Shards that fit nowhere are left out, and said so; which ones, is
shared among the streams (shares.py).
"""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from firnline_ingest.errors import FirnlineError, Retryable, declared
from firnline_ingest.spark.shares import fair_share
from firnline_ingest.values import ShardKey


@declared
class TooFewCores(FirnlineError, Retryable):
    shards: int
    most: int
    slots: int

    id = "FL-1211"
    message = (
        "{shards} shards need {tasks} tasks at once with at most {most} in each, and the cluster runs {slots}: some shards are "
        "not read."
    )
    next_step = (
        "give the cluster more cores (spark.executor.instances, spark.executor.cores; spark.master if it is local[…]), or raise "
        "epoch.shards_per_task."
    )
    causes = (
        "The shards need more tasks at once than the cluster has cores, at `epoch.shards_per_task` in each; those "
        "beyond wait, and are read once there is room ([resharding](resharding.md))"
    )
    remedy = "the number of cores that the message names, or more shards a task"

    @property
    def tasks(self) -> int:
        return math.ceil(self.shards / self.most)


@dataclass(slots=True)
class Group:
    """The number names the process (placement.py); the executor is a location as Spark writes it."""

    number: int
    executor: str
    shards: set[ShardKey] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Placement:
    """The groups that read the shards of an epoch."""

    groups: tuple[Group, ...] = ()
    left_out: tuple[ShardKey, ...] = ()


def place(before: Placement, shards: Collection[ShardKey], *, slots: Mapping[str, int], most: int) -> Placement:
    """`slots` says how many tasks each executor runs at once, `most` how many shards a group may have."""
    read_already = {shard for group in before.groups for shard in group.shards}
    chosen = fair_share(shards, sum(slots.values()) * most, read_already=read_already)
    left_out = _in_order(set(shards) - chosen)
    kept = _kept(before, chosen, slots)
    placed = {shard for group in kept for shard in group.shards}
    homeless = _in_order(chosen - placed)
    groups = kept + _opened(kept, homeless, slots, most)
    for number, shard in enumerate(homeless):
        roomy = min(groups, key=lambda group: (len(group.shards), group.number), default=None)
        if roomy is None or len(roomy.shards) >= most:
            return Placement(_occupied(groups), (*homeless[number:], *left_out))
        roomy.shards.add(shard)
    return Placement(_occupied(groups), tuple(left_out))


def _in_order(shards: Iterable[ShardKey]) -> list[ShardKey]:
    return sorted(shards, key=lambda key: (key.stream, key.stream_created_ms, key.shard_id))


def _kept(before: Placement, shards: frozenset[ShardKey], slots: Mapping[str, int]) -> list[Group]:
    """Groups of before with those of their shards that are still read: where they were, or as a whole where a slot is
    free. A group without a place is none any more.
    """
    staying: list[Group] = []
    moving: list[Group] = []
    for group in before.groups:
        there = Group(group.number, group.executor, group.shards & shards)
        if there.shards:
            (staying if _free(staying, slots).get(group.executor, 0) > 0 else moving).append(there)
    for group in moving:
        if (executor := _roomiest(staying, slots)) is not None:
            staying.append(Group(group.number, executor, group.shards))
    return staying


def _opened(
    groups: Iterable[Group], homeless: Collection[ShardKey], slots: Mapping[str, int], most: int
) -> list[Group]:
    """Opens as many groups as the shards without one need beyond the room that there is, and as slots are free for."""
    there, opened = list(groups), list[Group]()
    missing = len(homeless) - sum(most - len(group.shards) for group in there)
    for _ in range(math.ceil(missing / most)):
        executor = _roomiest([*there, *opened], slots)
        if executor is None:
            break
        taken = {group.number for group in (*there, *opened)}
        opened.append(Group(next(n for n in range(len(taken) + 1) if n not in taken), executor))
    return opened


def _free(groups: Iterable[Group], slots: Mapping[str, int]) -> dict[str, int]:
    used = [group.executor for group in groups]
    return {executor: count - used.count(executor) for executor, count in slots.items()}


def _roomiest(groups: Iterable[Group], slots: Mapping[str, int]) -> str | None:
    """The executor with the most free slots; the first by name among equals."""
    free = _free(groups, slots)
    best = max(sorted(free), key=lambda executor: free[executor], default=None)
    return best if best is not None and free[best] > 0 else None


def _occupied(groups: Iterable[Group]) -> tuple[Group, ...]:
    return tuple(sorted((group for group in groups if group.shards), key=lambda group: group.number))
