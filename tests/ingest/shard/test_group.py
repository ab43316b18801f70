"""The shards of one process: they go on between epochs, alone, and nothing that one of them does holds the others."""

import threading
from itertools import pairwise

import pytest

from firnline_ingest.shard import group as group_module
from firnline_ingest.shard import report
from firnline_ingest.shard.receipt import ShardState
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardWork
from firnline_ingest.values import ShardKey
from tests.ingest.shard.conftest import World

from .running import HANGS_S, epochs, has_rows, numbers, soon, until


def test_a_shard_goes_on_being_read_after_its_epoch_ended(world: World) -> None:
    world.stream.put({"n": 0})
    with world.group() as group:
        epochs(group, [world.work()], lambda: world.channels.served)
        world.stream.put({"n": 1})
        until(lambda: numbers(world.served.rows) == [0, 1])
        until(lambda: world.row.read_through == world.shard.last_position)


def test_what_was_read_between_two_epochs_is_in_the_next_receipt_and_nothing_is_in_two(world: World) -> None:
    with world.group() as group:
        world.stream.put({"n": 0})
        receipts = epochs(group, [world.work()], lambda: world.row and world.row.read_through)
        for n in range(1, 3):
            world.stream.put({"n": n})
        until(lambda: world.row.read_through == world.shard.last_position)
        receipts += group.run([world.work(epoch=2)], soon())
    assert [sum(receipt.records for receipt in receipts), sum(receipt.rows for receipt in receipts)] == [3, 3]
    assert all(before.end == after.start for before, after in pairwise(receipts))
    assert (receipts[-1].epoch, receipts[-1].end) == (2, world.shard.last_position.token)


def test_a_shard_that_no_epoch_asks_for_proves_what_it_sent_and_ends(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_module, "LEAST_LAPSE_S", 1.0)
    world.stream.put({"n": 0})
    with world.group() as group:
        epochs(group, [world.work()], lambda: world.channels.served)
        (runner,) = group._runners.values()
        assert runner.over.wait(HANGS_S)
        assert world.row.read_through == world.shard.last_position
        world.stream.put({"n": 1})
        receipts = epochs(group, [world.work()], has_rows(world, 2))
    assert receipts[-1].state is ShardState.READING
    assert world.served.opens == 2


def test_a_call_that_does_not_return_holds_no_epoch_and_no_other_shard(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "LATE_S", 0.1)
    stuck, free = world.shard.split()
    stuck.put({"n": 0}), free.put({"n": 1})
    hangs, unblock, works = threading.Event(), threading.Event(), [world.work(shard=stuck), world.work(shard=free)]

    def hang(step: EpochStep, key: ShardKey) -> None:
        if step is EpochStep.READ and key == world.key(stuck):
            hangs.set()
            unblock.wait(HANGS_S)

    def is_served(work: ShardWork) -> object:
        return (served := world.channels.served.get(work.channel)) and served.rows

    with world.group(observer=hang) as group:
        epochs(group, works, lambda: hangs.is_set() and is_served(works[1]))
        late, well = group.run(works, soon(0.2))
        assert (late.state, well.state) == (ShardState.LATE, ShardState.READING)
        assert late.problem is not None
        assert (late.problem.id, late.problem.is_retryable) == ("FL-2201", True)
        assert "sending rows" in late.problem.what
        unblock.set()
        until(lambda: is_served(works[0]))


def test_a_stop_waits_for_the_last_proof_and_no_longer(world: World) -> None:
    world.channels.commits_at_once = False
    world.stream.put({"n": 0})
    with world.group(final_commit_s=0.2) as group:
        epochs(group, [world.work()], lambda: world.channels.served and world.served.pending)
        deadline = soon(HANGS_S)
        deadline.stop()
        (receipt,) = group.run([world.work()], deadline)
    assert receipt.state is ShardState.FAILED
    assert receipt.problem is not None
    assert receipt.problem.id == "FL-3010"
