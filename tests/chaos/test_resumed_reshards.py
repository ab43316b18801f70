"""A person resumes a stream from its horizon when some of its shards have ended: what the stream still holds of those is read
again too, a parent before its children, and nothing comes twice where a channel has it.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import partial

import pytest

from firnline_ingest.kinesis.lineage import Lineage, read_lineage
from firnline_ingest.ledger.errors import ChannelDropped, TargetReplaced
from firnline_ingest.ledger.lease import RunLease
from firnline_ingest.ledger.resume import decide, is_held, resume_from
from firnline_ingest.ledger.row import ResumeFrom, ShardRow
from tests.chaos.oracle import problems
from tests.chaos.records import Fate
from tests.chaos.simulated.acts import split
from tests.chaos.simulated.configured import STREAM
from tests.chaos.simulated.snowflake import EVENTS, Channel
from tests.chaos.simulated.staged import on_stage, read_all
from tests.chaos.simulated.world import World

pytestmark = pytest.mark.chaos

HELD = 4
"""Rows that the replica has."""


def put(world: World, count: int) -> None:
    for _ in range(count):
        world.put(Fate.ROW)


def from_horizon(world: World) -> list[str]:
    """Decides as `firnline resume --from trim-horizon` does; returns the shards that are decided about."""
    lineage: Lineage = read_lineage(world.kinesis.client(), STREAM)

    def decision(row: ShardRow) -> ShardRow:
        return resume_from(row, ResumeFrom.TRIM_HORIZON, lineage.listed_ms)

    ledger = world.ledger.memory
    lease = RunLease(ledger, "story", sleep=lambda _: None, every_s=0.01)
    keys = decide(ledger, lease, lineage.incarnation, None, decision, concerns=partial(is_held, lineage=lineage))
    return sorted(key.shard_id for key in keys)


def replaced(world: World, _replica: dict[str, Channel]) -> str:
    world.snowflake.replace_table(EVENTS)
    return TargetReplaced.id


def failed_over(world: World, replica: dict[str, Channel]) -> str:
    """To an account that has what there was before the split."""
    del world.snowflake.table(EVENTS).rows[HELD:]
    for name in list(world.snowflake.channels):
        world.snowflake.channels.pop(name).is_gone = True
    world.snowflake.channels |= replica
    return ChannelDropped.id


@pytest.mark.parametrize("change", [replaced, failed_over])
def test_what_the_stream_holds_of_shards_that_have_ended_is_read_again(
    change: Callable[[World, dict[str, Channel]], str],
) -> None:
    world = World(seed=1, shards=1)
    with on_stage(world):
        put(world, HELD)
        read_all(world)
        replica = {name: copy(channel) for name, channel in world.snowflake.channels.items()}
        put(world, 5)
        split(world, world.open_shards[0])
        put(world, 10)
        read_all(world)
        said = change(world, replica)
        put(world, 4)
        for _ in range(3):
            read_all(world)
        assert {stop.id for stop in world.stopped.values()} == {said}
        assert from_horizon(world) == sorted(shard.id for shard in world.all_shards)
        world.stopped.clear()
        read_all(world)
    newest = world.snowflake.tables[EVENTS][-1]
    world.snowflake.tables[EVENTS] = [newest]
    assert len(newest.rows) == len(world.puts)
    assert problems(replace(world.evidence(), may_lose=True)) == []
