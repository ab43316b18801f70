"""Plays one seed: a world, some acts, then quiet, and a last engine that has to bring everything to its place."""

import random
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations

from firnline_ingest.snowflake.channel_errors import CountsDisagree
from tests.chaos.oracle import problems
from tests.chaos.records import Fate
from tests.chaos.simulated import (
    aggregates,
    alignment,
    anew,
    beyond,
    columns,
    counted,
    failover,
    fan_out,
    formats,
    operating,
    replays,
    several,
)
from tests.chaos.simulated.acts import ACTS, run_for, split
from tests.chaos.simulated.formats import RecordFormat
from tests.chaos.simulated.kinesis import KinesisTrouble
from tests.chaos.simulated.process import EngineProcess
from tests.chaos.simulated.snowflake import SnowflakeTrouble
from tests.chaos.simulated.staged import on_stage
from tests.chaos.simulated.world import World

RESHARD_FIRST = "reshard-before-the-start"
"""Not on the menu: a story may begin with it."""
ROUTED = "routed"
"""A theme without acts: a part of the records goes to other tables."""
THEMED = 3.0  # times as often as their weights say: a story is about its themes
THEMES = sorted({kind.theme for kind in ACTS.values()} - {"always"})
TWICE = {"dropped", "retention", anew.THEME}
"""Themes in which a channel goes and its rows stay. A replica that lacks the channel has them twice after a resume from the
horizon, which is right only where the table lacks what the channel does."""
PAIRS = tuple(
    pair
    for pair in combinations([*THEMES, formats.THEME, ROUTED], 2)
    if not (failover.THEME in pair and TWICE & {*pair})
)
"""Defects sit where two features meet: stories in a row meet each pair once, in an order that brings all themes soon."""
STRIDE = 211  # and the number of pairs have no divisor in common
THIRD_THEME = 0.4
JSON_ONLY = {"wide", "large", beyond.CONFIGURED, columns.THEME, replays.THEME, failover.THEME}
END_S = 1200.0  # until then a last engine that nobody disturbs has to be done
TOGETHER_S, LEAVE_S = 90.0, 400.0  # an engine waits two minutes for a proof: who is asked then does not get to send
LONG_RETENTION_HOURS = 24 * 60
LAST_ENGINES = 12  # more than one where a person has to decide


@dataclass
class StoryOutcome:
    """Outcome of a story."""

    seed: int
    themes: tuple[str, ...]
    problems: list[str] = field(default_factory=list)
    acts: list[str] = field(default_factory=list)
    records: int = 0
    stops: list[str] = field(default_factory=list)
    losses: int = 0
    seconds: float = 0.0


def play_story(seed: int, *, without: Collection[str] = (), only: str | None = None) -> StoryOutcome:
    """`without` names acts that are left out; `only` the themes that the story has, with + between."""
    started_s = time.monotonic()
    rng = random.Random(seed)
    themes = themes_of(seed) if only is None else tuple(only.split("+"))
    world = _world(rng, seed, themes)
    outcome = StoryOutcome(seed, themes)
    with on_stage(world):
        try:
            _play(world, outcome, without)
            come_to_an_end(world, outcome)
            if (world.replays or replays.THEME in themes) and not world.may_lose:
                outcome.problems += replays.come_to_an_end(world)
        finally:
            for actor in world.replays:
                replays.kill(world, actor)
    evidence = world.evidence()
    outcome.problems += _of_replays(world, outcome) + columns.dropped(world.snowflake)
    outcome.problems += operating.unnoticed(world) if operating.THEME in themes else []
    outcome.problems += [*world.watch.problems, *world.strangers(), *world.moved_unsaid(), *problems(evidence)]
    outcome.problems += counted.miscounted(world)
    if world.ids[CountsDisagree.id] and "a-row-of-the-ledger-is-restored" not in outcome.acts:
        outcome.problems.append("counters that trail, or a baseline of them, were taken for another writer's rows")
    outcome.records, outcome.losses = len(world.puts), len(evidence.losses)
    outcome.stops = [f"{stop.shard or 'pipeline'} {stop.id}" for stop in evidence.stops]
    outcome.seconds = time.monotonic() - started_s
    return outcome


def themes_of(seed: int) -> tuple[str, ...]:
    """Two, and sometimes a third."""
    rng, themes = random.Random(f"themes of {seed}"), {*PAIRS[seed * STRIDE % len(PAIRS)]}
    if rng.random() < THIRD_THEME:
        third = {*themes, rng.choice(THEMES)}
        themes = themes if failover.THEME in third and TWICE & third else third
    return tuple(sorted(themes))


def _world(rng: random.Random, seed: int, themes: Collection[str]) -> World:
    world = World(
        seed=seed,
        shards=rng.choice((1, 1, 2, 3)),
        retention_hours=rng.choice((24, 24, 48, 24 * 60)),
        initial_position={"at": rng.choice(("TRIM_HORIZON", "TRIM_HORIZON", "LATEST"))},
        fail_on_data_loss=rng.random() < 0.5,
        discards_on_open=rng.random() < 0.5,
    )
    world.reads_by_fan_out = fan_out.THEME in themes
    world.format, world.may_be_small = _format(rng, themes), "large" not in themes
    if alignment.THEME in themes:  # backlogs are long there, and nothing of them leaves: what is missing then was lost
        world.max_ahead_seconds = rng.choice(alignment.AHEAD_S)
        world.ignore_stalled_seconds = rng.choice(alignment.LEFT_OUT_S)
        world.stream.found.keep_for(LONG_RETENTION_HOURS, world.simulation.now_ms)
    if {ROUTED, anew.THEME} & {*themes}:
        world.routes = rng.choice((("yes",), ("yes", "also")))
    if anew.THEME in themes or operating.THEME in themes:
        anew.watch_drops(world)
    if several.THEME in themes:
        several.begin(world)
    if failover.THEME in themes:  # what only the account had that is gone can't come again
        world.stream.found.keep_for(LONG_RETENTION_HOURS, world.simulation.now_ms)
        world.initial_position = {"at": "TRIM_HORIZON"}
    if operating.THEME in themes:
        world.keeps_all = not any(kind.loses for kind in ACTS.values() if kind.theme in themes)
        operating.begin(world)
    if columns.THEME in themes:
        columns.begin(world)
    return world


def _of_replays(world: World, outcome: StoryOutcome) -> list[str]:
    """Returns what no act costs is there after the last replay, also what was in an account that is gone."""
    found = replays.problems(world)
    if replays.THEME in outcome.themes and not world.may_lose:
        found += replays.unreplayed(world)
    return found


def _format(rng: random.Random, themes: Collection[str]) -> RecordFormat:
    """Any one that the story's other themes can do with."""
    if formats.THEME not in themes:
        return formats.JSON_LINES if aggregates.SEVERAL in themes else formats.JSON
    needs_key, needs_rows = {ROUTED, anew.THEME} & {*themes}, aggregates.SEVERAL in themes
    known = [
        each for each in formats.FORMATS if (each.key or not needs_key) and (each.has_several_rows or not needs_rows)
    ]
    return rng.choice([each for each in known if each.is_json or not JSON_ONLY & {*themes}])


def _play(world: World, outcome: StoryOutcome, without: Collection[str]) -> None:
    menu = {
        name: kind for name, kind in ACTS.items() if kind.theme in ("always", *outcome.themes) and name not in without
    }
    for fate in (*Fate, *Fate):
        world.put(fate)
    if world.rng.random() < 0.3 and RESHARD_FIRST not in without:
        split(world, world.rng.choice(world.open_shards))
        world.put(Fate.ROW)
    run_for(world, 5.0)
    world.start()
    run_for(world, 5.0)
    weights = [kind.weight * (1.0 if kind.theme == "always" else THEMED) for kind in menu.values()]
    for name in world.rng.choices(list(menu), weights, k=world.rng.randint(8, 40)):
        outcome.acts.append(name)
        world.may_lose = world.may_lose or menu[name].loses
        menu[name].play(world)
        run_for(world, world.rng.choice((0.2, 1.0, 3.0)))


def come_to_an_end(world: World, outcome: StoryOutcome) -> None:
    """No trouble any more, but what the service is free to do; the last engine is done when it says so."""
    world.kinesis.trouble, world.snowflake.trouble = KinesisTrouble(), SnowflakeTrouble()
    world.ledger.trouble.lost = 0.0
    for process in world.processes:
        process.freeze(is_frozen=False)
        process.is_leaving = True
    _wait(world, LEAVE_S, *world.processes)
    if world.max_ahead_seconds is not None:
        _come_together(world, outcome)
    if alive := [process.number for process in world.running]:
        outcome.problems.append(f"asked to leave, and still there after {LEAVE_S:.0f} s: engines {alive}")
    for process in world.running:
        process.kill()
    world.stopped.clear()
    last = _at_last(world)
    for _ in range(LAST_ENGINES):
        if not last.is_over or not sum(decide(world) for decide in _decisions(outcome.themes)):
            break
        last = _at_last(world)
    if stops := sorted(stop.shard for stop in world.stopped.values() if stop.id in world.asks_for):
        outcome.problems.append(f"whatever a person decided, these have stopped: {', '.join(stops)}")
    if not last.is_over:
        outcome.problems.append(f"the last engine is not done after {END_S:.0f} s: {world.last_problem}")


def _decisions(themes: Collection[str]) -> Iterator[Callable[[World], bool]]:
    """Yields what a person does where the last engine says so; each returns whether there was anything to do."""
    if operating.THEME in themes:
        yield operating.settle
    if {operating.THEME, anew.THEME} & {*themes}:
        yield anew.resume
    if beyond.CONFIGURED in themes:
        yield partial(beyond.finish_with_old_configurations, seconds=END_S)


def _come_together(world: World, outcome: StoryOutcome) -> None:
    """Engines that keep shards together take in everything: the last one, which is bounded, keeps nothing together.

    Each is asked to leave after a while: what its SDK has not sent, it sends then.
    """
    end_s = world.simulation.now_s + END_S
    while not (is_read := alignment.are_all_read(world)) and not world.stopped and world.simulation.now_s < end_s:
        together = world.start()
        _wait(world, TOGETHER_S, together)
        together.is_leaving = True
        _wait(world, LEAVE_S, together)
    if not (is_read or world.stopped):
        outcome.problems.append(f"shards that are kept together are not done after {END_S:.0f} s: {world.last_problem}")


def _at_last(world: World) -> EngineProcess:
    last = world.start(arrival_ms=world.simulation.now_ms + 1000)
    _wait(world, END_S, last)
    return last


def _wait(world: World, seconds: float, *processes: EngineProcess) -> None:
    end_s = world.simulation.now_s + seconds
    while world.simulation.now_s < end_s and not all(process.is_over for process in processes):
        run_for(world, 0.5)
