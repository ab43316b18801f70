"""A shard whose channel or table goes away between two appends: the engine's shard with the real SDK, in one epoch.

Not one row may reach another table under the old one's name before anybody said so.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firnline_ingest.ledger.resume import resume_from
from firnline_ingest.ledger.row import ResumeFrom
from firnline_ingest.shard.receipt import Receipt, ShardState
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.values import TargetTable
from tests.ingest.shard.conftest import World as ShardWorld
from tests.ingest.shard.running import bounded

World = Any  # of conftest.py

pytestmark = pytest.mark.contract


@pytest.fixture
def shard(tmp_path: Path) -> ShardWorld:
    return ShardWorld(tmp_path / "dead-letters")


def target(world: World, table: Any) -> TargetTable:
    """Returns the target as the driver sees it."""
    found: TargetTable = replace(world.target, table_created_on=str(table.created_on))
    return found


def epoch(
    world: World,
    shard: ShardWorld,
    number: int,
    table: Any,
    at_first_read: Callable[[], object] = lambda: None,
    *,
    seconds: float = 20.0,
) -> Receipt:
    calls = iter([at_first_read])

    def observe(step: EpochStep, key: object) -> None:
        if step is EpochStep.READ:
            next(calls, lambda: None)()

    services = shard.services(channels=world.channels(), observer=observe, reopen_delay_s=0.2)
    work = shard.work(epoch=number, target=target(world, table), channel="shard")
    return bounded(services, work, seconds)


def numbers(world: World, table: Any) -> list[int]:
    return [int(row[0]) for row in world.rows(table)]


def problem(receipt: Receipt) -> str | None:
    return receipt.problem.id if receipt.problem else None


def decide(shard: ShardWorld, where: ResumeFrom) -> None:
    taken = shard.ledger.take(shard.key(), shard.row.fence, "a person", shard.row.start)
    shard.ledger.reset(resume_from(taken, where, 1))


def test_a_table_replaced_between_two_appends_gets_no_row_until_a_person_says_so(
    world: World, shard: ShardWorld
) -> None:
    before = world.table("N NUMBER")
    shard.stream.shard(records=3)
    assert epoch(world, shard, 1, before).state is ShardState.DONE
    shard.stream.put({"n": 3})

    def make_anew() -> Any:
        return world.table("N NUMBER", replace=True)

    made: list[Any] = []
    receipt = epoch(world, shard, 2, before, lambda: made.append(make_anew()), seconds=6)
    (after,) = made
    assert problem(receipt) == "FL-2113", receipt
    assert problem(epoch(world, shard, 3, after)) == "FL-3107"
    assert numbers(world, after) == []

    decide(shard, ResumeFrom.TRIM_HORIZON)
    assert epoch(world, shard, 4, after).state is ShardState.DONE
    assert numbers(world, after) == [0, 1, 2, 3]


def test_a_channel_dropped_between_two_appends_gets_no_row_until_a_person_says_so(
    world: World, shard: ShardWorld
) -> None:
    table = world.table("N NUMBER")
    shard.stream.shard(records=3)
    assert epoch(world, shard, 1, table).state is ShardState.DONE
    shard.stream.put({"n": 3})
    receipt = epoch(world, shard, 2, table, lambda: world.channels().drop(world.target, "shard"), seconds=6)
    assert problem(receipt) == "FL-2113", receipt
    assert problem(epoch(world, shard, 3, table, seconds=3)) == "FL-2113"
    assert problem(epoch(world, shard, 4, table)) == "FL-2112"
    assert numbers(world, table) == [0, 1, 2]

    decide(shard, ResumeFrom.PROVEN)
    assert epoch(world, shard, 5, table).state is ShardState.DONE
    assert numbers(world, table) == [0, 1, 2, 3]
