"""Acts of the theme of a person who replays dead letters, repaired, while engines run; a replay may be killed, and two may run at
once.

A replayed row says that it was repaired, so that the rest is what engines wrote.
"""

from collections import Counter
from typing import Any, cast

from firnline_ingest.dead_letters import DeadLetter
from firnline_ingest.dead_letters.journal import Outcome
from firnline_ingest.dead_letters.replay import ReplayRequest, Replays, ReplayServices
from firnline_ingest.errors import FirnlineError
from firnline_ingest.records.rejection import RejectReason
from tests.chaos.oracle import place_of
from tests.chaos.records import Fate
from tests.chaos.simulated.acts import act, run_for
from tests.chaos.simulated.columns import SimulatedCatalog
from tests.chaos.simulated.finds import REPAIRED
from tests.chaos.simulated.memory import Letters
from tests.chaos.simulated.simulation import Actor
from tests.chaos.simulated.snowflake import SimulatedChannels, metadata_of
from tests.chaos.simulated.world import World

THEME = "replays"
REPAIR = b'{"repaired":true}'
LAST_S = 1500.0
TRIES = 4


@act(THEME, weight=6)
def a_person_replays_letters(world: World) -> None:
    for _ in range(world.rng.randint(1, 3)):
        world.put(Fate.DEAD_LETTER)
    run_for(world, world.rng.choice((1.0, 10.0)))
    replay(world, again=world.rng.random() < 0.3)
    run_for(world, world.rng.choice((0.05, 0.5, 5.0, 60.0)))


@act(THEME, weight=2)
def a_replay_is_killed(world: World) -> None:
    if at_work := [each for each in world.replays if not each.is_over]:
        kill(world, world.rng.choice(at_work))


def replay(world: World, *, again: bool) -> Actor:
    """Returns what `firnline dead-letters replay --repair` does, beside whatever runs."""
    actor = world.simulation.start(lambda: _command(world, again=again))
    world.replays.append(actor)
    return actor


def kill(world: World, actor: Actor) -> None:
    actor.kill()
    if actor in world.simulation.actors:
        world.simulation.actors.remove(actor)


def come_to_an_end(world: World) -> list[str]:
    """A last replay, that nobody disturbs, of what no replay has in the table."""
    for actor in world.replays:
        kill(world, actor)
    world.replays_done = 0
    for _ in range(TRIES):
        last, end_s = replay(world, again=True), world.simulation.now_s + LAST_S
        while not last.is_over and world.simulation.now_s < end_s:
            run_for(world, 0.5)
        if not last.is_over:
            return [f"the last replay is not over after {LAST_S:.0f} s"]
        if world.replays_done:
            return []
    return [f"the last replay failed: {world.replay_problem}"]


def problems(world: World) -> list[str]:
    """Returns what the replays made of the letters: each once in a table, and none that an engine made a row of."""
    found = list[str]()
    letters = {_place(letter.shard_id, letter) for letter in world.letters.list()}
    for name, made in world.snowflake.tables.items():
        for number, table in enumerate(made):
            rows = [*table.rows, *table.rejected]
            by_replay = Counter(_place_of(row) for row in rows if REPAIRED in row)
            by_engine = {_place_of(row) for row in rows if REPAIRED not in row}
            where = f"{name} {number}"
            found += [
                f"{place} was replayed {count} times into {where}" for place, count in by_replay.items() if count > 1
            ]
            found += [f"{place} is an engine's row and a replay's in {where}" for place in by_replay.keys() & by_engine]
            found += [f"{place} was replayed, and is not a letter" for place in by_replay.keys() - letters]
    return found


def unreplayed(world: World) -> list[str]:
    """Letters that are in no table after the last replay, and that it says are."""
    there = {_place_of(row) for made in world.snowflake.tables.values() for row in (*made[-1].rows, *made[-1].rejected)}
    gone = [
        str(letter.key)
        for letter in world.letters.list()
        if letter.reason != RejectReason.MISPLACED and _place(letter.shard_id, letter) not in there
    ]
    return [f"{len(gone)} letters are in no table after the last replay: {gone[:3]}"] if gone else []


def _command(world: World, *, again: bool) -> None:
    catalog = SimulatedCatalog(world)
    services = ReplayServices(
        letters=Letters(world.letters),
        objects=world.objects,
        ledger=world.ledger,
        channels_of=lambda _: SimulatedChannels(world.snowflake),
        target_of=catalog.state_of,
        adds_columns_by=cast("Any", catalog),
    )
    request = ReplayRequest(repair=lambda _: REPAIR, again=again, unfinished=Outcome.VOID if again else None)
    try:
        Replays(world.config_now, request, services, lambda _: None).run(lambda *_: None)
    except FirnlineError as error:
        world.replay_problem = f"[{error.id}] {error.what}"
        return
    world.replays_done += 1


def _place(shard: str, letter: DeadLetter) -> tuple[str, str, int]:
    return letter.stream, shard, place_of(int(letter.sequence_number), letter.sub_sequence_number)


def _place_of(row: bytes) -> tuple[str, str, int]:
    metadata = metadata_of(row)
    number = place_of(int(metadata["sequenceNumber"]), metadata["subSequenceNumber"])
    return metadata["stream"], metadata["shardId"], number
