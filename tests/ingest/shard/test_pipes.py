"""A shard whose pipe drops rows, or makes several of one: the committed token is its proof, and every record arrives once."""

import json
from collections.abc import Sequence

import pytest

from firnline_ingest.shard.receipt import ShardState
from firnline_ingest.shard.steps import EpochStep
from tests.fakes.kills import Killed, dies_at
from tests.fakes.receipts import problem
from tests.ingest.shard.conftest import World

from .running import bounded


def odd(row: bytes) -> Sequence[bytes]:
    return [row] if json.loads(row)["n"] % 2 else []


def flattened(row: bytes) -> Sequence[bytes]:
    return [row] * (json.loads(row)["n"] % 4)


@pytest.fixture(params=[("some", odd), ("several", flattened)], ids=["WHERE", "FLATTEN"])
def piped(world: World, request: pytest.FixtureRequest) -> World:
    rows, world.channels.pipe = request.param
    world.configure(pipe="P", pipe_rows=rows)
    return world


def expected(world: World, *numbers: int) -> list[int]:
    return [json.loads(made)["n"] for n in numbers for made in world.channels.pipe(b'{"n":%d}' % n)]


def in_table(world: World) -> list[int]:
    return [json.loads(row)["n"] for row in world.served.table]


def test_what_the_pipe_makes_of_rows_holds_no_position_up(piped: World) -> None:
    piped.put(*range(10))
    receipt = bounded(piped.services(), piped.work())
    assert (receipt.state, receipt.problem, receipt.rows) == (ShardState.DONE, None, 10)
    assert piped.row.read_through == piped.shard.last_position
    assert in_table(piped) == expected(piped, *range(10))


@pytest.mark.parametrize("step", [EpochStep.READ, EpochStep.APPENDED, EpochStep.COMMITTED, EpochStep.PROVEN])
@pytest.mark.parametrize("discards", [True, False])
def test_a_kill_sends_nothing_twice_and_leaves_nothing_out(piped: World, step: EpochStep, discards: bool) -> None:
    piped.channels.discards_on_open = discards
    piped.channels.commits_at_once = step in {EpochStep.COMMITTED, EpochStep.PROVEN}
    piped.put(*range(8))
    killed = piped.services("killed", observer=dies_at(step), final_commit_s=0.01)
    with pytest.raises(Killed):
        bounded(killed, piped.work())
    piped.channels.commits_at_once = True
    piped.put(*range(8, 12))
    assert bounded(piped.services("next"), piped.work()).state is ShardState.DONE
    assert piped.numbers == list(range(12))
    assert in_table(piped) == expected(piped, *range(12))
    assert piped.row.read_through == piped.shard.last_position


def test_a_row_that_the_table_rejects_stops_the_shard_all_the_same(piped: World) -> None:
    piped.channels.rejects = lambda row: json.loads(row)["n"] == 3
    piped.put(*range(5))
    assert problem(bounded(piped.services(), piped.work())) == "FL-3105"
