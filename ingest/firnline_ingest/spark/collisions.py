"""Channels that two streams would share: names of streams have two cases, names of channels one.

`Orders` and `orders`, made in the same second and written to one table, have shards of the same ids: their channels would have
one name, and each would take the other's for its own.
"""

from collections.abc import Sequence

from firnline_ingest.errors import Fatal, FirnlineError, declared
from firnline_ingest.identifiers import channel_name
from firnline_ingest.spark.assignment import PlannedShard
from firnline_ingest.values import TargetTable


@declared
class ChannelsCollide(FirnlineError, Fatal):
    stream: str
    other: str
    target: TargetTable

    id = "FL-2343"
    message = (
        "The streams {other!r} and {stream!r} differ in the case of letters only, were made at the same time, and go into "
        "one table, {target}: their channels would have the same names. Nothing of {stream!r} is read."
    )
    next_step = "give one of them another table."
    causes = (
        "Two streams whose names differ in case only were made in the same second, and go into one table: their "
        "channels would have one name. One of them is read"
    )
    remedy = "another table for one of them"


def channels_of_two(application: str, shards: Sequence[PlannedShard]) -> dict[str, ChannelsCollide]:
    """The streams that have to be left out, so that no channel belongs to two. The first by its name keeps it."""
    owners: dict[tuple[TargetTable, str], str] = {}
    collided: dict[str, ChannelsCollide] = {}
    for shard in sorted(shards, key=lambda shard: shard.stream):
        channel = channel_name(application, shard.stream, shard.created_ms, shard.shard)
        for target in (shard.target, *(there for _, there in shard.routed)):
            owner = owners.setdefault((target, channel), shard.stream)
            if owner != shard.stream:
                collided.setdefault(shard.stream, ChannelsCollide(shard.stream, owner, target))
    return collided
