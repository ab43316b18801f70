"""Acts of themes that come on top: answers of every operation that are none, dead letters that can't be kept, a ledger that was
restored, Snowflake's own clock, readers that are switched, configurations that change, and a stream that is made again.
"""

import json

from firnline_ingest.ledger.errors import RoutingChanged
from tests.chaos.records import Fate
from tests.chaos.simulated.acts import LONG_S, act, put_some, run_for
from tests.chaos.simulated.configured import SMALL_BYTES
from tests.chaos.simulated.fan_out import SHORT_S
from tests.chaos.simulated.world import World

STRANGE, LETTERS, RESTORED, CLOCK, SWITCHED, CONFIGURED, MADE_AGAIN = (
    "strange-answers",
    "letters-fail",
    "restored",
    "snowflakes-clock",
    "switched-reader",
    "configured",
    "made-again",
)

END_S = 400.0
LARGER_BYTES = SMALL_BYTES + 50_000


@act(STRANGE, weight=4)
def answers_of_any_operation_are_none(world: World) -> None:
    """With the status of a success, and a body that says nothing."""
    world.kinesis.trouble.strange = world.rng.choice((0.1, 0.5, 1.0))
    run_for(world, world.rng.choice((5.0, SHORT_S, 60.0)))
    world.kinesis.trouble.strange = 0.0


@act(LETTERS, weight=3)
def letters_get_lost_on_their_way(world: World) -> None:
    """Some are kept, and the answer does not say so."""
    world.letters.lost = world.rng.choice((0.2, 0.7))
    put_some(world)
    run_for(world, SHORT_S)
    world.letters.lost = 0.0


@act(LETTERS, weight=2)
def letters_can_not_be_kept(world: World) -> None:
    """Long enough, sometimes, that rows behind them wait for minutes."""
    world.letters.is_down = True
    put_some(world)
    run_for(world, world.rng.choice((5.0, SHORT_S, LONG_S)))
    world.letters.is_down = False


@act(RESTORED, weight=2)
def the_ledger_is_backed_up(world: World) -> None:
    world.backup = dict(world.ledger.memory.kept)


@act(RESTORED, weight=3, loses=True)
def a_row_of_the_ledger_is_restored(world: World) -> None:
    """An older one, while engines run or not; where its channels are the same ones still, which know better."""
    made = world.snowflake.made
    rows = sorted(world.backup.values(), key=lambda row: str(row.key))
    known = [
        row
        for row in rows
        if row.channels and {(name, entry.created_ms) for name, entry in row.channels.items()} <= made
    ]
    if known:
        older = world.rng.choice(known)
        world.said_before += [row for key, row in world.ledger.memory.kept.items() if key == older.key]
        world.ledger.memory.restore(older)


@act(CLOCK, weight=2)
def snowflakes_clock_jumps(world: World) -> None:
    """By which channels know when they were made; it is nobody else's."""
    world.snowflake.clock_ahead_s = world.rng.choice((-86_400.0, -5.0, 0.0, 5.0, 86_400.0))


@act(SWITCHED, weight=4)
def the_reader_is_switched(world: World) -> None:
    """For the engines that start from now on, and one does: polling to fan-out, or back, while rows are in flight."""
    world.reads_by_fan_out = not world.reads_by_fan_out
    put_some(world)
    for process in world.running:
        if world.rng.random() < 0.5:
            process.kill()
        else:
            process.is_leaving = True
    world.start()


@act(CONFIGURED, weight=3)
def the_configuration_changes(world: World) -> None:
    """While rows that the one before made are in flight, and sometimes while its engine still runs."""
    world.variant += 1
    put_some(world)
    for _ in range(2):  # a row by one configuration, and a dead letter by the other
        world.put(
            Fate.ROW, data=json.dumps({"n": len(world.puts), "text": "x" * LARGER_BYTES}).encode(), or_letter=True
        )
    for process in world.running:
        if world.rng.random() < 0.5:
            process.kill()
    world.start()


@act(CONFIGURED, weight=2)
def a_person_drains(world: World) -> None:
    """Drains with the earlier configurations, as an engine has told a person to; sometimes that is killed."""
    finish_with_old_configurations(world, END_S, is_killed=world.rng.random() < 0.3)
    world.start()


def finish_with_old_configurations(world: World, seconds: float, *, is_killed: bool = False) -> bool:
    """A drain with each configuration that there was, the newest first. Whether any was asked for."""
    asked = [shard for shard, stop in world.stopped.items() if stop.id == RoutingChanged.id]
    if not asked:
        return False
    for process in world.running:
        process.kill()
    for variant in reversed(range(world.variant + 1)):
        drain = world.start(arrival_ms=0, variant=variant)
        end_s = world.simulation.now_s + (world.rng.random() * SHORT_S if is_killed else seconds)
        while not drain.is_over and world.simulation.now_s < end_s:
            run_for(world, 0.5)
        drain.kill()
        for shard in [shard for shard, stop in world.stopped.items() if stop.id == RoutingChanged.id]:
            del world.stopped[shard]
    return True


@act(MADE_AGAIN, weight=2, loses=True)
def the_stream_is_made_again(world: World) -> None:
    """With shards of the same names, while sessions are open: whoever reads on would take its records for the old one's.

    Not where the ledger has lost all rows of the old one: then nothing knows that it was read.
    """
    lost = {row.key.stream for row in world.said_before} - {key.stream for key in world.ledger.memory.kept}
    known = [stream for stream in world.streams if world.is_found(stream) and stream.name not in lost]
    if world.made_again_at or not known:
        return
    if world.rng.random() < 0.5:
        put_some(world)
    world.make_again(world.rng.choice(known), seconds=world.rng.choice((0.0, 1.0, 400.0)))
    put_some(world)
    run_for(world, SHORT_S)
