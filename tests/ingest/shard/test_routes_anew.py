"""A channel is begun anew while another one holds the shard back: what was proven in it before never comes again.

ORDERS is proven up to the last record, REFUNDS has committed nothing: so what the shard has read through lies before.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest

from firnline_ingest.ledger.incident import IncidentKind
from firnline_ingest.ledger.reconcile import EXPIRES_MS
from firnline_ingest.ledger.resume import resume_from
from firnline_ingest.ledger.row import ChannelEntry, ResumeFrom
from firnline_ingest.shard.receipt import ShardState
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardWork
from firnline_ingest.values import Position
from tests.fakes.kills import dies_at
from tests.fakes.receipts import problem
from tests.ingest.shard.conftest import World

from .routed import channel, expected, killed, killed_after, ours, pipeline, put, table, tables, work
from .running import bounded, drained, numbers

COUNT = 9
SOON_S = 0.3  # of a run that comes to nothing, however long it takes
REPLACED = replace(table("ORDERS"), table_created_on="2026-02-02T00:00:00.000+00:00")
OTHER_PIPE = replace(table("ORDERS"), pipe_created_on="2026-02-02T00:00:00.000+00:00")


@pytest.fixture
def held_back(world: World) -> World:
    world.pipeline = pipeline()
    world.channels.discards_on_open = True
    world.channels.holds = "REFUNDS"
    put(world, COUNT)

    def is_proven() -> bool:
        proven = orders(world).proven.position
        return proven is not None and proven.sequence_number >= world.shard.records[6].sequence_number

    die = dies_at(EpochStep.LEDGERED, when=is_proven)
    killed(world.services(observer=die, heartbeat_every_s=0.0), ours(world))
    world.channels.holds = ""
    row = world.row
    assert orders(world).proven.position is not None
    assert row.read_through is None or row.read_through < orders(world).proven.position
    assert tables(world)["ORDERS"] == [0, 3, 6]
    return world


def orders(world: World) -> ChannelEntry:
    return world.row.channels[channel(world, "ORDERS")]


def gone(world: World) -> list[int]:
    """The channel of ORDERS is dropped; what it brought is in the table."""
    return numbers(world.channels.served.pop(channel(world, "ORDERS")).rows)


def is_quiet(world: World) -> None:
    """A minute goes by in which the shard's process has appended nothing to ORDERS."""
    entry = orders(world)
    assert entry.sending is not None
    quiet = {channel(world, "ORDERS"): replace(entry, sending=replace(entry.sending, is_on=False))}
    world.ledger.reset(replace(world.row, channels={**world.row.channels, **quiet}))


def resume(world: World, where: ResumeFrom = ResumeFrom.PROVEN) -> None:
    world.ledger.reset(resume_from(world.row, where, 1))


def everything_is_there_once(
    world: World, before: list[int], asked: ShardWork, count: int = COUNT, **more: object
) -> None:
    receipt = bounded(world.services(**more), asked)
    assert (receipt.state, problem(receipt)) == (ShardState.DONE, None)
    found = tables(world)
    assert {**found, "ORDERS": before + found["ORDERS"]} == expected(world, count)
    assert world.row.read_through == world.shard.last_position
    assert all(entry.drops_through is None for entry in world.row.channels.values()), "all have read past it"


def dropped(world: World) -> tuple[list[int], ShardWork]:
    before = gone(world)
    assert problem(bounded(world.services(), ours(world, epoch=7), SOON_S)) == "FL-2113"
    assert problem(bounded(world.services(), ours(world, epoch=9))) == "FL-2112"
    resume(world)
    return before, ours(world)


def replaced(world: World) -> tuple[list[int], ShardWork]:
    before, there = gone(world), ours(world, elsewhere={"ORDERS": REPLACED})
    assert problem(bounded(world.services(), there)) == "FL-3107"
    resume(world)
    return before, there


def through_another_pipe(world: World) -> tuple[list[int], ShardWork]:
    is_quiet(world)
    return gone(world), ours(world, elsewhere={"ORDERS": OTHER_PIPE})


def behind_what_was_proven(world: World) -> tuple[list[int], ShardWork]:
    """Fails over to a replica that has less: only that ORDERS has lost its rows, too."""
    served = world.channels.served[channel(world, "ORDERS")]
    served.committed = Position(world.shard.records[3].sequence_number)
    assert problem(bounded(world.services(), ours(world))) == "FL-2110"
    resume(world)
    return [], ours(world)


Begun = Callable[[World], tuple[list[int], ShardWork]]
ANEW: list[Begun] = [dropped, replaced, through_another_pipe, behind_what_was_proven]


@pytest.mark.parametrize("begun", ANEW)
def test_what_was_proven_in_a_channel_that_is_begun_anew_does_not_come_again(held_back: World, begun: Begun) -> None:
    before, asked = begun(held_back)
    put(held_back, 6, COUNT)
    everything_is_there_once(held_back, before, asked, COUNT + 6)


AGAIN = [(dropped, step) for step in (EpochStep.RECONCILED, EpochStep.READ, EpochStep.APPENDED, EpochStep.PROVEN)]


@pytest.mark.parametrize(("begun", "step"), [*AGAIN, *((begun, EpochStep.APPENDED) for begun in ANEW[1:])])
def test_nor_after_another_kill(held_back: World, begun: Begun, step: EpochStep) -> None:
    before, asked = begun(held_back)
    put(held_back, 6, COUNT)
    for times in (1, 2):
        held_back.channels.commits_at_once = times == 2
        killed_after(held_back, step, times, asked, seconds=SOON_S)
    everything_is_there_once(held_back, before, asked, COUNT + 6)


def test_an_expired_channel_begins_anew_behind_what_was_proven_in_it(held_back: World) -> None:
    is_quiet(held_back)
    before = gone(held_back)
    later_ms = orders(held_back).sending.ms + EXPIRES_MS + 1  # type: ignore[union-attr] # of several
    for epoch in (7, 9):
        receipt = bounded(held_back.services(now_ms=lambda: later_ms), ours(held_back, epoch=epoch), SOON_S)
    assert problem(receipt) is None
    everything_is_there_once(held_back, before, ours(held_back))
    assert IncidentKind.CHANNEL_EXPIRED in {incident.kind for incident in held_back.row.incidents}


def test_deciding_twice_is_deciding_once(held_back: World) -> None:
    before, asked = dropped(held_back)
    resume(held_back)
    killed_after(held_back, EpochStep.RECONCILED, 1, asked)
    resume(held_back)
    everything_is_there_once(held_back, before, asked)


def test_from_the_horizon_all_comes_into_a_table_that_was_replaced(held_back: World) -> None:
    _, asked = replaced(held_back)
    killed_after(held_back, EpochStep.RECONCILED, 1, asked)
    assert orders(held_back).drops_through is not None
    resume(held_back, ResumeFrom.TRIM_HORIZON)
    everything_is_there_once(held_back, [], asked)


def test_routes_change_behind_a_line_only_after_a_drain_has_read_past_it(held_back: World) -> None:
    before, asked = dropped(held_back)
    put(held_back, 6, COUNT)
    held_back.pipeline = pipeline(tables={"refund": "REFUNDS"})
    changed = work(held_back, "REFUNDS")
    assert problem(bounded(held_back.services(), changed, SOON_S)) == "FL-2111"
    held_back.pipeline = pipeline()
    receipt = drained(held_back.services(), asked)
    assert (receipt.state, problem(receipt)) == (ShardState.DONE, None)
    there = [number for numbers_there in tables(held_back).values() for number in numbers_there]
    assert sorted(before + there) == list(range(COUNT)), "up to the furthest token or line, and nothing beyond"
    held_back.pipeline = pipeline(tables={"refund": "REFUNDS"})
    assert problem(bounded(held_back.services(), changed)) is None
    found = tables(held_back)
    assert (before, found.get("ORDERS", []), found["REFUNDS"]) == ([0, 3, 6], [], [1, 4, 7, 10, 13])
    assert found[held_back.shard.id] == [2, 5, 8, 9, 11, 12, 14]
