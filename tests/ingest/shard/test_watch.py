"""Tests of what a worker hears while it reads: whether its application's run goes on, and how far the other shards have come."""

import pytest

from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.errors import LedgerUnavailable
from firnline_ingest.shard.group import Watch
from tests.fakes.ledger import MemoryLedger
from tests.ingest.shard.conftest import World
from tests.ingest.waiting import until

from .running import epochs, has_rows


@pytest.fixture
def ledger() -> MemoryLedger:
    ledger = MemoryLedger()
    assert ledger.begin_run(Run("a", "engine a"), None)
    return ledger


def test_a_worker_goes_on_for_the_run_that_sent_it(ledger: MemoryLedger) -> None:
    assert not Watch(ledger, "a").wants_a_stop()


def test_a_worker_of_a_run_that_was_taken_over_stops(ledger: MemoryLedger) -> None:
    assert ledger.begin_run(Run("b", "engine b"), ledger.current_run())
    assert Watch(ledger, "a").wants_a_stop()
    assert not Watch(ledger, "b").wants_a_stop()


def test_a_stop_that_was_meant_for_the_run_before_stops_no_worker_of_the_next(ledger: MemoryLedger) -> None:
    ledger.request_stop("a")
    assert Watch(ledger, "a").wants_a_stop()
    assert ledger.begin_run(Run("b", "engine b"), ledger.current_run())
    ledger.request_stop("a")
    assert not Watch(ledger, "b").wants_a_stop()


def test_a_ledger_out_of_reach_stops_nobody(ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable() -> Run | None:
        raise LedgerUnavailable("ledger", "a test")

    monkeypatch.setattr(ledger, "current_run", unreachable)
    assert not Watch(ledger, "a").wants_a_stop()


def test_a_record_that_arrived_later_than_the_bound_waits_and_says_so_in_the_ledger(world: World) -> None:
    clock = world.use_clock()
    first_ms = int(clock().timestamp() * 1000)
    world.put(0)
    for number in (1, 2):
        clock.advance(seconds=600)
        world.put(number)
    with world.group() as group:
        bounded = [world.work(until_ms=first_ms + 60_000)]
        receipts = epochs(group, bounded, lambda: has_rows(world, 1)() and world.row.held_back_ms)
        assert [receipt.problem for receipt in receipts if receipt.problem] == []
        assert world.row.held_back_ms == first_ms + 600_000 - 1
        world_until = first_ms + 600_000 + 60_000
        epochs(group, [world.work(epoch=2, until_ms=world_until)], has_rows(world, 2))
        until(lambda: world.row.held_back_ms == first_ms + 1_200_000 - 1)
        assert world.numbers == [0, 1]
        epochs(group, [world.work(epoch=3)], has_rows(world, 3))
    assert world.numbers == [0, 1, 2]
    assert world.row.read_through == world.shard.last_position
