"""Acts of the theme of an engine that adds columns: records bring new keys, Snowflake's SQL is away or refuses some of them, and
other hands add columns, too. No value of a key that may have a column is dropped.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.new_columns import NewColumns
from firnline_ingest.snowflake.errors import SnowflakeUnavailable, StatementRefused
from firnline_ingest.snowflake.target import TargetState
from firnline_ingest.values import TargetTable
from tests.chaos.records import Fate
from tests.chaos.simulated.acts import act, put_some, run_for
from tests.chaos.simulated.simulation import pause, sleep
from tests.chaos.simulated.snowflake import SimulatedSnowflake, Table
from tests.chaos.simulated.world import World

THEME = "columns"
REFUSED = "refused"
"""What no column may begin with, in any case."""
OWN = frozenset({"N", "SIDE", "TEXT", "VARIANT", "REPAIRED", "KINESISMETADATA"})
AWAY_S = (1.0, 40.0)


class SimulatedLock:
    """threading.Lock of a process whose threads take turns; a real one would stop all of them."""

    def __init__(self) -> None:
        self._is_held = False

    def __enter__(self) -> None:
        while self._is_held:
            sleep(0.01)
        self._is_held = True

    def __exit__(self, *_: object) -> None:
        self._is_held = False


class SimulatedCatalog:
    """The statements that TargetCatalog would send, each of them an effect whose answer may be lost."""

    def __init__(self, world: World) -> None:
        self._world = world

    def states(self, pipelines: Sequence[PipelineConfig]) -> dict[str, TargetState | FirnlineError]:
        self._answer("SHOW TABLES")
        return {each.stream: self.state_of(each) for each in pipelines}

    def state_of(self, pipeline: PipelineConfig) -> TargetState:
        snowflake = self._world.snowflake
        evolves = snowflake.own_columns is None
        own, *routed = (
            TargetState(snowflake.target(table), evolves=evolves, logs_errors=True, adds_columns=not evolves)
            for table in (self._world.table_of(pipeline.stream), *pipeline.routed)
        )
        return replace(own, beside=tuple(routed))

    def columns_of(self, target: TargetTable) -> Mapping[str, bool]:
        self._answer("DESCRIBE TABLE")
        return dict.fromkeys(OWN | self._table(target).columns, True)

    def add_columns(self, state: TargetState, columns: Sequence[str]) -> None:
        names = {re.sub('""', '"', each[1 : each.rindex('"')]) for each in columns}
        self._answer("ALTER TABLE", is_over=False)
        table = self._table(state.target)
        if any(name.lower().startswith(REFUSED) for name in names) or names & (OWN | table.columns):
            raise StatementRefused("ALTER TABLE", "one of them is refused, or there")
        table.columns |= names
        self._answer("ALTER TABLE")

    def _table(self, target: TargetTable) -> Table:
        return self._world.snowflake.table(target.table)

    def _answer(self, what: str, *, is_over: bool = True) -> None:
        pause()
        trouble, rng = self._world.snowflake.trouble, self._world.simulation.rng
        if "sql" in trouble.down:
            raise SnowflakeUnavailable(what, "it is away")
        if is_over and rng.random() < trouble.lost:
            raise SnowflakeUnavailable(what, "the answer was lost")


def begin(world: World) -> None:
    """With tables of a fixed schema, to which the engine adds columns."""
    world.options = {**world.options, "adds_columns": True}
    world.snowflake.own_columns = OWN
    world.snowflake.columns_of_opening = world.seed % 2 == 1
    world.new_columns = lambda: NewColumns(cast("Any", SimulatedCatalog(world)), _lock=cast("Any", SimulatedLock()))


def dropped(snowflake: SimulatedSnowflake) -> list[str]:
    """The values that tables took without a column, of keys that could have had one."""
    lost = sorted({(table, key) for table, key in snowflake.dropped if not key.startswith(REFUSED)})
    return [f"{len(lost)} keys had values that no column took: {lost[:5]}"] if lost else []


@act(THEME, weight=6)
def records_bring_new_keys(world: World) -> None:
    """Some of them at once in several shards, some in other letters, and some that the table refuses."""
    count, width = world.rng.choice(((1, 130), (4, 3), (2, 1)))
    first = len(world.puts)
    for number in range(count):
        keys = {f"new{first}_{key}": key for key in range(width)}
        if world.rng.random() < 0.3:
            keys = {key.upper(): value for key, value in keys.items()}
        if world.rng.random() < 0.3:
            keys[f"refused{first}"] = number
        route = {"side": "yes"} if world.route_of(len(world.puts)) == "yes" else {}
        data = json.dumps({"n": len(world.puts), **route, **keys}).encode()
        world.put(Fate.ROW, data=data)
    if world.rng.random() < 0.5:
        run_for(world, world.rng.choice((0.05, 0.5, 2.0)))


@act(THEME, weight=2)
def snowflakes_sql_is_away(world: World) -> None:
    world.snowflake.trouble.down.add("sql")
    records_bring_new_keys(world)
    run_for(world, world.rng.choice(AWAY_S))
    world.snowflake.trouble.down.discard("sql")


@act(THEME, weight=2)
def a_person_adds_a_column(world: World) -> None:
    """While the engine is about to."""
    first = len(world.puts)
    records_bring_new_keys(world)
    if world.running:
        run_for(world, world.rng.choice((0.02, 0.2, 1.0)))
    for made in world.snowflake.tables.values():
        made[-1].columns.add(f"NEW{first}_0")


@act(THEME, weight=1)
def engines_meet_at_the_same_keys(world: World) -> None:
    """One is killed between its statement and its first row."""
    put_some(world)
    records_bring_new_keys(world)
    if len(world.running) < 2:
        world.start()
    run_for(world, world.rng.choice((0.05, 0.3)))
    if world.running:
        world.rng.choice(world.running).kill()
    world.start()
