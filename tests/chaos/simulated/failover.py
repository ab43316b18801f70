"""Acts of the theme of a Snowflake account that fails over: its replica has less than the account had, of tables and of channels.

A person does what the pages say: has all shards read again from the horizon, and replays again what was replayed since.
"""

from functools import partial

from firnline_ingest.kinesis.lineage import read_lineage
from firnline_ingest.ledger.resume import is_held, resume_from
from firnline_ingest.ledger.row import ResumeFrom, ShardRow
from tests.chaos.simulated import replays
from tests.chaos.simulated.acts import act, put_some, run_for
from tests.chaos.simulated.world import World

THEME = "failover"
AWAY_S = (0.0, 5.0, 60.0)


@act(THEME, weight=5)
def the_replica_is_refreshed(world: World) -> None:
    put_some(world)
    world.snowflake.refresh_replica()
    run_for(world, world.rng.choice((0.0, 5.0, 20.0)))


@act(THEME, weight=4)
def the_account_fails_over(world: World) -> None:
    """Engines go on for a while, as if nothing had been."""
    if world.snowflake.replica is None:
        world.snowflake.refresh_replica()
        put_some(world)
        run_for(world, 20.0)
    if not world.snowflake.fail_over():
        return
    world.has_failed_over = True
    run_for(world, world.rng.choice(AWAY_S))
    from_horizon(world)
    replays.replay(world, again=True)
    world.start()


def from_horizon(world: World) -> None:
    """Decides as `firnline resume --from trim-horizon` does, of every stream."""
    for process in world.running:
        process.kill()
    client = world.kinesis.client()
    memory = world.ledger.memory
    for stream in world.streams:
        lineage = read_lineage(client, stream.name)
        concerns = partial(is_held, lineage=lineage)
        for row in filter(concerns, memory.rows(lineage.incarnation).values()):
            taken = memory.take(row.key, row.fence, "a person", row.start)
            memory.reset(_resumed(taken, lineage.listed_ms))
    world.stopped.clear()


def _resumed(row: ShardRow, now_ms: int) -> ShardRow:
    return resume_from(row, ResumeFrom.TRIM_HORIZON, now_ms)
