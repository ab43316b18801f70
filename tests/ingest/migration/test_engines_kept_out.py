"""No engine plans while rows are written, nor after a migration that was killed or frozen meanwhile."""

import threading
from dataclasses import replace
from typing import Any

import pytest

from firnline_ingest.ledger.errors import AnotherEngineRuns, RunDisplaced
from firnline_ingest.ledger.lease import RunLease
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.migration.migrate import Books, undo
from firnline_ingest.migration.tables import HEAD
from tests.ingest.migration.world import World, every_record, no_wait, read_stream


@pytest.mark.parametrize("calls", [1, 2, 5, 8, 15])
def test_a_migration_that_was_killed_anywhere_is_done_again_or_taken_back_and_no_engine_plans_in_between(
    dynamodb: Any, books: Books, calls: int
) -> None:
    world = World(dynamodb, "3.5.1-single")
    left = [calls]

    def killed(**_: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt

    for operation in ("PutItem", "UpdateItem"):
        dynamodb.meta.events.register_first(f"before-call.dynamodb.{operation}", killed, unique_id=operation)
    with pytest.raises(KeyboardInterrupt):
        world.apply(books)
    for operation in ("PutItem", "UpdateItem"):
        dynamodb.meta.events.unregister(f"before-call.dynamodb.{operation}", unique_id=operation)
    mark = books.ledger.mark("orders")
    assert mark is None or mark.is_paused or not books.ledger.rows(world.lineage.incarnation)
    if calls % 2:
        noted = books.journal.read(world.lineage.incarnation)
        assert noted.keys() - {HEAD} >= books.ledger.rows(world.lineage.incarnation).keys()
        if noted:
            undo(world.lineage, books)
        assert books.ledger.rows(world.lineage.incarnation) == {}
    assert world.apply(books) == 5
    mark = books.ledger.mark("orders")
    assert mark is not None
    assert not mark.is_paused
    ours = read_stream(world, dict(books.ledger.rows(world.lineage.incarnation)))
    assert set(ours) | world.taken == set(every_record(world))
    assert set(ours) & world.taken == set()


@pytest.mark.parametrize("calls", [1, 6])
def test_an_undoing_that_was_killed_leaves_the_stream_paused_and_is_done_again(
    dynamodb: Any, books: Books, calls: int
) -> None:
    world = World(dynamodb, "3.5.1-single")
    world.apply(books)
    left = [calls]

    def killed(**_: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt

    dynamodb.meta.events.register_first("before-call.dynamodb.DeleteItem", killed, unique_id="kill")
    with pytest.raises(KeyboardInterrupt):
        undo(world.lineage, books)
    dynamodb.meta.events.unregister("before-call.dynamodb.DeleteItem", unique_id="kill")
    mark = books.ledger.mark("orders")
    assert mark is not None
    assert mark.is_paused
    undo(world.lineage, books)
    assert books.ledger.rows(world.lineage.incarnation) == {}
    mark = books.ledger.mark("orders")
    assert mark is not None
    assert not mark.is_paused


def test_an_engine_that_runs_under_the_name_is_not_written_under(dynamodb: Any, books: Books) -> None:
    world = World(dynamodb, "3.5.1-single")
    other = replace(books.lease, run=replace(books.lease.run, run_id="other"))
    other.begin()
    beats = replace(books.lease, sleep=lambda _: other.beat())
    with pytest.raises(AnotherEngineRuns):
        world.apply(replace(books, lease=beats))
    assert books.ledger.rows(world.lineage.incarnation) == {}


def test_an_engine_that_is_started_while_rows_are_written_is_refused(
    dynamodb: Any, books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, beats = World(dynamodb, "3.5.1-single"), threading.Semaphore(0)
    beat, take, refused = books.ledger.beat, books.ledger.take, list[AnotherEngineRuns]()

    def until_it_beats(_: float) -> bool:
        while beats.acquire(blocking=False):
            pass
        return not beats.acquire(timeout=10)

    engine = RunLease(books.lease.ledger, "app", sleep=until_it_beats)

    def take_meanwhile(*arguments: Any) -> ShardRow:
        try:
            engine.begin()
        except AnotherEngineRuns as error:
            refused.append(error)
        return take(*arguments)

    monkeypatch.setattr(books.ledger, "beat", lambda run_id: (beat(run_id), beats.release())[0])
    monkeypatch.setattr(books.ledger, "take", take_meanwhile)
    assert world.apply(replace(books, lease=replace(books.lease, every_s=0.001))) == 5
    assert len(refused) == 5


def test_a_migration_that_was_frozen_until_an_engine_took_over_leaves_the_stream_paused(
    dynamodb: Any, books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, take = World(dynamodb, "3.5.1-single"), books.ledger.take
    engine = RunLease(books.lease.ledger, "app", sleep=no_wait)

    def taken_late(*arguments: Any) -> ShardRow:
        if books.ledger.current_run() == books.lease.run:
            engine.begin()
        return take(*arguments)

    monkeypatch.setattr(books.ledger, "take", taken_late)
    with pytest.raises(RunDisplaced):
        world.apply(books)
    mark = books.ledger.mark("orders")
    assert mark is not None
    assert mark.is_paused
    engine.end()
    assert world.apply(replace(books, lease=RunLease(books.lease.ledger, "app", sleep=no_wait))) == 5


def test_a_migration_that_is_done_again_lets_nobody_plan_without_rows(
    dynamodb: Any, books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, pause = World(dynamodb, "3.5.1-single"), books.ledger.pause
    world.apply(books)
    said = list[tuple[bool, int]]()

    def noted(stream: str, paused: bool) -> bool:
        said.append((paused, len(books.ledger.rows(world.lineage.incarnation))))
        return pause(stream, paused)

    monkeypatch.setattr(books.ledger, "pause", noted)
    world.apply(books)
    assert [rows for paused, rows in said if not paused] == [5]
