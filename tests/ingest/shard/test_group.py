"""The shards of one process: they go on between epochs, alone, and nothing that one of them does holds the others."""

import threading
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.errors import LedgerUnavailable
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.shard import group as group_module
from firnline_ingest.shard import report
from firnline_ingest.shard.group import ShardGroup, Watch
from firnline_ingest.shard.receipt import Receipt, ShardState
from firnline_ingest.shard.request import Deadline, ShardRequest
from firnline_ingest.shard.runner import ShardRunner
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardWork
from firnline_ingest.snowflake.errors import SnowflakeUnavailable
from firnline_ingest.snowflake.sdk_guard import guarded
from firnline_ingest.values import ShardKey
from tests.fakes.ledger import MemoryLedger
from tests.fakes.receipts import problem
from tests.ingest.shard.conftest import World
from tests.ingest.waiting import HANGS_S, until

from .running import bounded, epochs, has_rows, reading, soon


def test_a_shard_goes_on_being_read_after_its_epoch_ended(world: World) -> None:
    world.put(0)
    with world.group() as group:
        epochs(group, [world.work()], lambda: world.channels.served)
        world.put(1)
        until(lambda: world.numbers == [0, 1])
        until(lambda: world.row.read_through == world.shard.last_position)


def test_what_was_read_between_two_epochs_is_in_the_next_receipt_and_nothing_is_in_two(world: World) -> None:
    with world.group() as group:
        world.put(0)
        receipts = epochs(group, [world.work()], lambda: world.key() in world.ledger.kept and world.row.read_through)
        world.put(1, 2)
        until(lambda: world.row.read_through == world.shard.last_position)
        receipts += group.run([world.work(epoch=2)], soon())
    assert [sum(receipt.records for receipt in receipts), sum(receipt.rows for receipt in receipts)] == [3, 3]
    assert all(before.end == after.start for before, after in pairwise(receipts))
    assert (receipts[-1].epoch, receipts[-1].end) == (2, world.shard.last_position.token)


def test_a_group_that_was_told_to_stop_opens_no_shard_any_more(world: World) -> None:
    """Spark may begin one more batch before its driver has heard of it."""
    ledger = MemoryLedger()
    assert ledger.begin_run(Run("run", "this one"), None)
    with reading(world) as group:
        ledger.request_stop("run")
        (told,) = group.run([world.work(epoch=2)], Deadline.after(HANGS_S), Watch(ledger, "run"))
        world.put(1)
        assert group.run([world.work(epoch=3)], soon(), Watch(ledger, "run")) == []
    assert (told.state, told.end) == (ShardState.READING, world.row.read_through.token)
    assert (world.served.opens, world.numbers) == (1, [0])


def test_a_shard_that_no_epoch_asks_for_proves_what_it_sent_and_ends(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_module, "LEAST_LAPSE_S", 1.0)
    world.put(0)
    with world.group() as group:
        epochs(group, [world.work()], lambda: world.channels.served)
        (runner,) = group._runners.values()
        assert runner.over.wait(HANGS_S)
        assert world.row.read_through == world.shard.last_position
        world.put(1)
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
        told: list[Receipt] = []

        def is_told() -> bool:
            """A free shard on a busy machine may be late for an epoch too."""
            told[:] = group.run(works, soon(0.2))
            return [each.state for each in told] == [ShardState.LATE, ShardState.READING]

        until(is_told)
        late, _ = told
        assert (late.problem.id, late.problem.is_retryable) == ("FL-2201", True)
        assert "sending rows" in late.problem.what
        unblock.set()
        until(lambda: is_served(works[0]))


def test_a_stop_waits_for_the_last_proof_and_no_longer(world: World) -> None:
    world.channels.commits_at_once = False
    world.put(0)
    with world.group(final_commit_s=0.2) as group:
        epochs(group, [world.work()], lambda: world.channels.served and world.served.pending)
        deadline = soon(HANGS_S)
        deadline.stop()
        (receipt,) = group.run([world.work()], deadline)
    assert (receipt.state, problem(receipt)) == (ShardState.FAILED, "FL-3010")


def test_a_run_that_ends_between_two_epochs_has_everything_proven(world: World) -> None:
    with reading(world, write_every_s=1000.0) as group:
        world.put(1)
        until(has_rows(world, 2))
        (receipt,) = group.finish()
        assert (receipt.state, receipt.proven) == (ShardState.READING, world.shard.last_position.token)
        assert world.row.read_through == world.shard.last_position
        assert group.finish() == []


def test_a_table_that_was_replaced_gets_not_one_more_row_once_the_next_epoch_says_so(world: World) -> None:
    replaced = replace(world.work().target, table_created_on="2026-05-05T00:00:00.000+00:00")
    with reading(world) as group:
        receipts = epochs(group, [world.work(target=replaced)], lambda: world.served.opens == 2)
        world.put(1)
        receipts += group.run([world.work(target=replaced)], soon(0.5))
    assert "FL-3107" in set(map(problem, receipts))
    assert world.numbers == [0]


@pytest.mark.parametrize("shards", [3, 300])
def test_an_epochs_progress_is_a_few_lines_however_many_shards_there_are(
    world: World, shards: int, caplog: pytest.LogCaptureFixture
) -> None:
    works = [world.work(key=ShardKey("events", 1, f"shardId-{n:012}")) for n in range(shards)]
    services = world.services()
    runners = [ShardRunner(services, ShardRequest.lasting(work, 1.0)) for work in works]
    caplog.set_level("INFO", logger="firnline_ingest")
    group_module._tell_progress(runners)
    lines = [record for record in caplog.records if record.name.startswith("firnline_ingest")]
    assert 0 < len(lines) <= group_module.SHOWN + 1


def test_many_opens_are_spread_out_and_few_begin_at_once(world: World) -> None:
    begun: list[ShardRunner] = []
    for count in (4, 32):
        group = ShardGroup(world.services(jitter=lambda: 1.0), start=begun.append)
        works = [world.work(key=ShardKey("events", count, f"shardId-{n:012}")) for n in range(count)]
        group.run(works, soon(0.0))
    assert [{runner._delay_s for runner in begun[:4]}, {runner._delay_s for runner in begun[4:]}] == [{0.0}, {2.8}]


class Flaky:
    """A ledger that can't be written for one shard while `is_down`."""

    def __init__(self, world: World, shard: ShardKey) -> None:
        self._ledger, self._shard = world.ledger, shard
        self.is_down = False
        self.refused = 0

    def write(self, row: ShardRow) -> None:
        if self.is_down and row.key == self._shard:
            self.refused += 1
            raise LedgerUnavailable("ledger", "throttled")
        self._ledger.write(row)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)


def test_passing_trouble_is_waited_out_inside_the_epoch_by_that_shard_alone_and_its_channel_stays_open(
    world: World,
) -> None:
    left, right = world.shard.split()
    works = [world.work(shard=left), world.work(shard=right)]
    ledger = Flaky(world, world.key(left))

    def rows_of(work: ShardWork) -> int:
        return len(world.channels.served[work.channel].rows) if work.channel in world.channels.served else 0

    with world.group(ledger=ledger, jitter=lambda: 0.01) as group:
        left.put({"n": 0})
        right.put({"n": 0})
        epochs(group, works, lambda: all(rows_of(work) == 1 for work in works))
        ledger.is_down = True
        left.put({"n": 1})
        receipts = epochs(group, works, lambda: ledger.refused > 1)
        left.put({"n": 2})
        right.put({"n": 1})
        until(lambda: (rows_of(works[0]), rows_of(works[1])) == (3, 2))
        told = {receipt.shard_id: receipt for receipt in receipts + group.run(works, soon())}
        assert (told[left.id].state, problem(told[left.id])) == (ShardState.READING, "FL-2103")
        assert (told[right.id].state, problem(told[right.id])) == (ShardState.READING, None)
        ledger.is_down = False
        until(lambda: (row := world.ledger.read(world.key(left))) and row.read_through == left.last_position)
    assert {served.opens for served in world.channels.served.values()} == {1}


def test_an_open_that_is_refused_for_a_while_is_tried_again_inside_the_epoch(world: World) -> None:
    refusals = [SnowflakeUnavailable("open the channel", "HTTP 503")] * 3

    def refuse(_name: str) -> None:
        if refusals:
            raise refusals.pop()

    world.channels.opening = refuse
    world.put(0)
    receipt = bounded(world.services(), world.work())
    assert (receipt.state, receipt.problem, receipt.rows) == (ShardState.DONE, None, 1)


def test_a_shard_that_ended_between_two_epochs_is_told_though_no_plan_has_it_any_more(world: World) -> None:
    with world.group() as group:
        epochs(group, [world.work()], lambda: world.channels.served)
        parent, (left, _) = world.key(), world.shard.split()
        until(lambda: world.row.ended and all(runner.over.is_set() for runner in group._runners.values()))
        receipts = group.run([world.work(shard=left, epoch=2)], soon())
        assert [receipt.shard_id for receipt in receipts] == [left.id, parent.shard_id]
        assert receipts[1].state is ShardState.ENDED
        assert len(group.run([world.work(shard=left, epoch=3)], soon())) == 1


def test_a_shard_that_was_elsewhere_meanwhile_is_read_at_once_when_it_comes_back(world: World) -> None:
    world.put(0)
    with world.group() as here, world.group() as there:
        epochs(here, [world.work()], has_rows(world, 1))
        (runner,) = here._runners.values()
        epochs(there, [world.work(epoch=2)], lambda: world.served.opens == 2)
        world.put(1)
        until(lambda: runner.over.is_set() and len(world.served.rows) == 2)
        there.close()
        world.put(2)
        receipts = epochs(here, [world.work(epoch=4)], has_rows(world, 3))
    assert ShardState.FENCED not in {receipt.state for receipt in receipts}


def test_a_thread_that_does_not_come_back_from_the_sdk_is_left_and_its_shard_opened_anew(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Once it comes back, it finds the shard another's: every record is there once."""
    monkeypatch.setattr(group_module, "BLOCKED_S", 0.05)
    blocked, thawed = threading.Event(), threading.Event()
    real_open = world.channels.open

    def block() -> None:
        blocked.set()
        assert thawed.wait(20)

    class Stuck:
        """The first channel that is opened takes its first rows for ever."""

        def __init__(self, channel: Any) -> None:
            self._channel = channel

        def append(self, rows: Any, **tokens: str) -> None:
            guarded(self, block)
            self._channel.append(rows, **tokens)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._channel, name)

    def opened(target: Any, name: str) -> Any:
        channel, state = real_open(target, name)
        return (channel, state) if blocked.is_set() else (Stuck(channel), state)

    monkeypatch.setattr(type(world.channels), "open", lambda _, target, name: opened(target, name))
    world.stream.shard(records=3)
    with world.group() as running:
        running.run([world.work()], soon())
        assert blocked.wait(20)
        (left,) = running._runners.values()
        until(lambda: left.blocked_s > 0.05)
        epochs(running, [world.work(epoch=2)], has_rows(world, 3))
        (told,) = (vars(record) for record in caplog.records if record.message == "shard.abandoned")
        assert (told["problem"], told["shard"]) == ("FL-3262", str(world.key()))
        thawed.set()
        until(left.over.is_set)
        world.put(3)
        epochs(running, [world.work(epoch=4)], has_rows(world, 4))
    assert world.numbers == [0, 1, 2, 3]
    assert world.served.opens == 2
