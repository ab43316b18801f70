"""Tests of what one attempt at a shard leaves to the next, and what it may not believe once there is one."""

import threading
from dataclasses import replace

import pytest

from firnline_ingest.shard import channel_writer
from firnline_ingest.shard.append_bisection import AppendBisection
from firnline_ingest.shard.receipt import ShardState
from firnline_ingest.shard.request import ShardRequest
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.snowflake import in_flight
from firnline_ingest.values import Position
from firnline_local.kinesis import Fault, FaultKind
from tests.fakes.kills import Killed, dies_at
from tests.fakes.receipts import problem
from tests.ingest.shard.conftest import World, polling
from tests.ingest.waiting import until

from .running import bounded, epochs, frozen_at, has_rows, run, soon


def leave_rows_unproven(world: World) -> None:
    """An engine appends what there is, and is killed when it is committed."""
    with pytest.raises(Killed):
        bounded(world.services("killed", observer=dies_at(EpochStep.COMMITTED)), world.work())


def test_a_stop_while_committed_rows_are_being_counted_leaves_them_for_the_next_run(world: World) -> None:
    world.stream.shard(records=10)
    leave_rows_unproven(world)
    request = ShardRequest.lasting(world.work(), 20)
    stopping = world.services(
        "stopped",
        polling=polling(max_records=3),
        observer=lambda step, key: request.stop() if step is EpochStep.READ else None,
        final_commit_s=0.0,
    )
    receipt = run(stopping, request)
    assert (receipt.state, receipt.problem, receipt.rows) == (ShardState.READING, None, 3)
    last = bounded(world.services("last"), world.work())
    assert (last.rows, last.reread_rows) == (7, 3), "no receipt had those that the killed one appended behind"
    assert world.row.read_through == world.shard.last_position


def test_a_bounded_run_proves_what_was_committed_beyond_its_end(world: World) -> None:
    clock = world.use_clock()
    world.put(0)
    bound = int(clock.now.timestamp() * 1000)
    clock.advance(seconds=1)
    world.put(1)
    leave_rows_unproven(world)
    world.put(2)
    receipt = run(world.services(final_commit_s=0.0), ShardRequest.lasting(world.work(), 20, arrival_ms=bound))
    assert (receipt.state, receipt.rows) == (ShardState.DONE, 2)
    assert world.numbers == [0, 1]
    assert receipt.proven == Position(world.shard.records[1].sequence_number).token


def test_what_a_zombie_sees_of_its_successors_rows_is_no_disagreement(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_flight, "TIMEOUT_S", 0.0)
    world.channels.commits_at_once, world.channels.discards_on_open = False, True
    world.stream.shard(records=3)
    with frozen_at(EpochStep.APPENDED, world) as receipts:
        world.channels.commits_at_once = True
        world.put(3)
        assert bounded(world.services("owner"), world.work()).state is ShardState.DONE
    assert receipts[0].state is ShardState.FENCED
    assert world.numbers == [0, 1, 2, 3]


def test_rows_that_somebody_elses_open_discarded_are_sent_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.channels.commits_at_once, world.channels.discards_on_open = False, True
    world.stream.shard(records=3)
    with world.group() as group:
        epochs(group, [world.work()], lambda: world.channels.served and world.served.pending)
        world.channels.open(world.work().target, world.work().channel)  # a frozen attempt that goes on, and yields then
        world.channels.commits_at_once = True
        monkeypatch.setattr(channel_writer, "STALLED_S", 0.0)
        receipts = epochs(group, [world.work()], has_rows(world, 3))
    assert sum(receipt.opens for receipt in receipts) == 1
    assert world.numbers == [0, 1, 2]


def test_rows_that_are_waited_for_longer_than_usual_are_told_while_the_channel_stays_open(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wait that was too short doubles, up to an hour, of which an operator would hear nothing."""
    monkeypatch.setattr(AppendBisection, "commit_timeout_factor", 100_000)
    monkeypatch.setattr(channel_writer, "STALLED_S", 0.01)
    world.stream.shard(records=3)
    with world.group() as group:
        receipts = epochs(group, [world.work()], has_rows(world, 3))
        world.channels.commits_at_once = False
        world.put(3)
        for _ in range(100):
            receipts += [] if receipts[-1].problem else group.run([world.work()], soon())
        assert (problem(receipts[-1]), receipts[-1].state) == ("FL-3010", ShardState.READING)
        world.channels.commit(next(iter(world.channels.served)))
        for _ in range(100):
            receipts += group.run([world.work()], soon()) if receipts[-1].problem else []
        assert problem(receipts[-1]) is None
    assert sum(receipt.interruptions for receipt in receipts) == 0


def test_a_receipt_counts_the_reads_and_the_throttled_ones_of_its_own_time(world: World) -> None:
    """A shard that was throttled once looked throttled in every epoch after it."""
    world.stream.shard(records=3)
    throttled = {"status": 400, "code": "ProvisionedThroughputExceededException", "times": 1}
    world.kinesis.faults.replace([Fault(endpoint="kinesis:GetRecords", kind=FaultKind.ERROR, **throttled)])
    with world.group() as group:
        first = epochs(group, [world.work()], has_rows(world, 3))
        later = group.run([world.work()], soon())
    assert sum(receipt.throttled for receipt in first) == 1
    assert sum(receipt.throttled for receipt in later) == 0
    assert later[-1].reads < sum(receipt.reads for receipt in [*first, *later])


def first_opening_waits(world: World) -> threading.Event:
    """For what is given."""
    go, waits = threading.Event(), iter([10])
    world.channels.opening = lambda _: go.wait(next(waits, 0))
    return go


def test_a_channel_whose_opening_nobody_waits_for_any_more_is_given_back(world: World) -> None:
    go = first_opening_waits(world)
    with world.group() as group:
        assert group.run([world.work()], soon(0.05))[0].state is ShardState.OPENING
    go.set()
    until(lambda: world.channels.served and world.served.closes)


def test_an_opening_on_a_table_that_was_replaced_meanwhile_is_not_used(world: World) -> None:
    world.stream.shard(records=2)
    go = first_opening_waits(world)
    replaced = replace(world.work().target, table_created_on="2026-05-05T00:00:00.000+00:00")
    with world.group() as group:
        assert group.run([world.work()], soon(0.05))[0].state is ShardState.OPENING
        epochs(group, [world.work(target=replaced)], has_rows(world, 2))
    before = world.served.closes
    go.set()
    until(lambda: world.served.closes > before)
    (entry,) = world.row.channels.values()
    assert entry.target == replaced
