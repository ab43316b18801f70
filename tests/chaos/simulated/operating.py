"""Acts of the theme of a person who operates pipelines that stop: at the first rejected row, at the first record that can't be a
row. Stops, accepts, skips and resumes come at any moment, and the person's own command may be killed.
"""

import shlex
from collections.abc import Callable

from firnline_ingest.dead_letters.errors import TooManyUnusable, UnusableRecord
from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.incident import IncidentKind
from firnline_ingest.ledger.resume import accept_errors, resume_from
from firnline_ingest.ledger.row import ResumeFrom, ShardRow
from firnline_ingest.records.rejection import RejectReason
from firnline_ingest.snowflake.channel_errors import RowsRejected
from firnline_ingest.values import Position
from tests.chaos.oracle import ROW_BITS, Stop, place_of
from tests.chaos.simulated import anew
from tests.chaos.simulated.acts import act, put_some, run_for
from tests.chaos.simulated.world import World

THEME = "operating"
BY_RECORD = frozenset({UnusableRecord.id, TooManyUnusable.id})
STOPS = BY_RECORD | {RowsRejected.id}
ACCEPTED = (IncidentKind.ACCEPTED_ERRORS, IncidentKind.ACCEPTED_EARLIER)
COMMAND_S = 1.0
Decision = Callable[[ShardRow], ShardRow]


def begin(world: World) -> None:
    """With pipelines that ask for stops."""
    world.asks_for = STOPS
    unusable = world.rng.choice(("stop", "stop", "dead_letter", "skip"))
    most = world.rng.choice((None, 2)) if unusable != "stop" else None
    world.options = {"tolerance": "none", "on_error": unusable, "max_unusable_per_minute": most}
    world.may_skip = unusable == "skip"


def unnoticed(world: World) -> list[str]:
    """Returns what the pipelines' options ask to be seen, and no person has seen.

    Where nothing was done that costs the ledger's rows.
    """
    found = world.found()[1]
    letters = [letter for letter in world.letters.list() if letter.reason is not RejectReason.MISPLACED]
    accepted = {shard: _accepted_through(row) for shard, row in world.rows.items()}
    if world.may_lose:
        return []
    unseen = [one for one in found if one.number > accepted.get(one.shard, -1)]
    problems = [f"{len(unseen)} rejected rows were never accepted, and their shards went on"] if unseen else []
    if letters and world.options["on_error"] == "stop":
        problems.append(f"{len(letters)} dead letters were kept, where the shard was to stop")
    return problems


def _accepted_through(row: ShardRow) -> int:
    """Returns a place; what was accepted before a resume, too."""
    known = [each.through for each in row.incidents if each.kind in ACCEPTED and each.through]
    through = max(known, default=None)
    return place_of(through.sequence_number, through.sub_sequence_number, (1 << ROW_BITS) - 1) if through else -1


@act(THEME, weight=6)
def a_person_does_what_the_stops_say(world: World) -> None:
    settle(world, is_killed=world.rng.random() < 0.2)
    anew.resume(world)
    world.start()


@act(THEME, weight=2)
def an_engine_is_asked_to_stop(world: World) -> None:
    """Within an epoch; sometimes it is killed while it proves its last rows."""
    if world.running:
        put_some(world)
        process = world.rng.choice(world.running)
        process.stop()
        run_for(world, world.rng.choice((0.1, 1.0, 5.0)))
        if world.rng.random() < 0.4:
            process.kill()


@act(THEME, weight=2)
def a_person_resumes_what_had_not_stopped(world: World) -> None:
    """From what is proven, or from the horizon where no table lacks what it had; a frozen engine may wake up afterwards."""
    rows = sorted(world.ledger.memory.kept.values(), key=lambda row: str(row.key))
    rows = [row for row in rows if row.channels and not row.reset]
    if not rows:
        return
    _end_engines(world)
    row = world.rng.choice(rows)
    may_begin_anew = world.keeps_all and world.begins_at_ms is None
    where = world.rng.choice(tuple(ResumeFrom)) if may_begin_anew else ResumeFrom.PROVEN
    if where is ResumeFrom.PROVEN:
        anew.note(world, row)
    _decide(world, row, lambda taken: resume_from(taken, where, world.simulation.now_ms), world.rng.random() < 0.2)
    world.start()


@act(THEME, weight=2)
def the_options_change(world: World) -> None:
    """Changes the options of what is unusable, but never back to a stop: for engines that start from now on."""
    if world.rng.random() < 0.3:
        _change_unusable(world, world.rng.choice(("dead_letter", "skip")))


def settle(world: World, *, is_killed: bool = False) -> bool:
    """Returns whether there was anything to decide."""
    stops = [stop for _, stop in sorted(world.stopped.items()) if stop.id in STOPS]
    if not stops:
        return False
    _end_engines(world)
    for stop in stops:
        if stop.id in BY_RECORD:
            _change_unusable(world, world.rng.choice(("dead_letter", "skip")))
            del world.stopped[stop.shard]
        elif (row := world.rows.get(stop.shard)) is None or _decide(world, row, _acceptance(world, stop), is_killed):
            del world.stopped[stop.shard]
    return True


def _acceptance(world: World, stop: Stop) -> Decision:
    """By the words of the stop, as a person copies them."""
    words = shlex.split(stop.next_step)
    through = Position.from_token(words[words.index("--accept-errors") + 1].rstrip("."))
    table = words[words.index("--table") + 1] if "--table" in words else ""
    return lambda row: accept_errors(row, through, world.simulation.now_ms, table=table)


def _decide(world: World, row: ShardRow, decision: Decision, is_killed: bool) -> bool:
    """Takes the row and writes what was decided, as `firnline resume` does; whether it came to that."""
    done: list[ShardRow] = []

    def command() -> None:
        try:
            taken = world.ledger.take(row.key, row.fence, "a person", row.start)
            world.ledger.reset(decision(taken))
            done.append(taken)
        except FirnlineError:
            return

    actor = world.simulation.start(command)
    end_s = world.simulation.now_s + (world.rng.random() * 0.05 if is_killed else COMMAND_S)
    while not actor.is_over and world.simulation.now_s < end_s:
        run_for(world, 0.01)
    if not actor.is_over:
        actor.kill()
        world.simulation.actors.remove(actor)
    return bool(done)


def _end_engines(world: World) -> None:
    """The command wants the application for itself; one that is frozen is none that it sees."""
    for process in world.running:
        process.kill()


def _change_unusable(world: World, policy: str) -> None:
    world.options = {**world.options, "on_error": policy, "max_unusable_per_minute": None}
    world.may_skip = world.may_skip or policy == "skip"
