"""A shard of three tables, as the tests of routes have it: every third record goes to each."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import Destination, ShardServices, ShardWork
from firnline_ingest.values import TargetTable
from tests.fakes import configs
from tests.fakes.configs import TARGET
from tests.fakes.kills import Killed, dies_at
from tests.ingest.shard.conftest import World

from .running import bounded, numbers

KINDS = ("order", "refund", "other")
TABLES = {"order": "ORDERS", "refund": "REFUNDS"}
ROUTES = {"key": "kind", "tables": TABLES, "unmatched": "own_table"}


def pipeline(**routes: object) -> PipelineConfig:
    return configs.pipeline(routes={**ROUTES, **routes})


def table(name: str) -> TargetTable:
    return replace(TARGET, table=name, pipe=f"{name}-STREAMING")


def channel(world: World, name: str) -> str:
    return f"app~{world.shard.id}~{name}"


def work(
    world: World, *tables: str, elsewhere: Mapping[str, TargetTable] | None = None, **changes: object
) -> ShardWork:
    """`elsewhere`: tables that are not the ones that were there first."""
    own = world.work(**changes)
    there = [Destination((elsewhere or {}).get(name) or table(name), channel(world, name), name) for name in tables]
    return replace(own, routed=tuple(there))


def ours(world: World, **changes: object) -> ShardWork:
    return work(world, *TABLES.values(), **changes)  # type: ignore[arg-type] # by name


def put(world: World, count: int, first: int = 0, kinds: tuple[str, ...] = KINDS) -> None:
    for number in range(first, first + count):
        world.shard.put(json.dumps({"n": number, "kind": kinds[number % len(kinds)]}).encode())


def tables(world: World) -> dict[str, list[int]]:
    """Returns what each channel that is there has brought to its table, in the order of its commits."""
    return {name.rpartition("~")[2]: numbers(served.rows) for name, served in world.channels.served.items()}


def expected(world: World, count: int) -> dict[str, list[int]]:
    return {
        world.shard.id: list(range(2, count, 3)),
        "ORDERS": list(range(0, count, 3)),
        "REFUNDS": list(range(1, count, 3)),
    }


def killed_after(world: World, step: EpochStep, times: int, asked: ShardWork, seconds: float = 20.0) -> None:
    """A process that dies when it has come to the step so often; or one that ends, where it never does."""
    killed(world.services(observer=dies_at(step, times), final_commit_s=min(5.0, seconds)), asked, seconds)


def killed(services: ShardServices, asked: ShardWork, seconds: float = 20.0) -> None:
    with suppress(Killed):
        bounded(services, asked, seconds)
