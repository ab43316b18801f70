"""No engine plans while rows are written, nor after a migration that was killed or frozen meanwhile."""

import threading
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from firnline_ingest.ledger.errors import AnotherEngineRuns, RunDisplaced
from firnline_ingest.ledger.lease import RunLease
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.migration.errors import NothingMigrated
from firnline_ingest.migration.migrate import MigrationWriter, undo
from firnline_ingest.migration.tables import HEAD
from tests.ingest.migration.world import World, every_record, no_wait, read_stream


@pytest.mark.parametrize("calls", [1, 2, 5, 8, 15])
def test_a_migration_that_was_killed_anywhere_is_done_again_or_taken_back_and_no_engine_plans_in_between(
    dynamodb: Any, world: World, writer: MigrationWriter, calls: int
) -> None:
    left = [calls]

    def killed(**_: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt

    for operation in ("PutItem", "UpdateItem"):
        dynamodb.meta.events.register_first(f"before-call.dynamodb.{operation}", killed, unique_id=operation)
    with pytest.raises(KeyboardInterrupt):
        world.apply(writer)
    for operation in ("PutItem", "UpdateItem"):
        dynamodb.meta.events.unregister(f"before-call.dynamodb.{operation}", unique_id=operation)
    mark = writer.ledger.mark("orders")
    assert mark is None or mark.is_paused or not writer.ledger.rows(world.lineage.incarnation)
    if calls % 2:
        noted = writer.journal.read(world.lineage.incarnation)
        assert noted.keys() - {HEAD} >= writer.ledger.rows(world.lineage.incarnation).keys()
        if noted:
            undo(world.lineage, writer)
        assert writer.ledger.rows(world.lineage.incarnation) == {}
    assert world.apply(writer) == 5
    mark = writer.ledger.mark("orders")
    assert not mark.is_paused
    ours = read_stream(world, dict(writer.ledger.rows(world.lineage.incarnation)))
    assert set(ours) | world.taken == set(every_record(world))
    assert set(ours) & world.taken == set()


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(first, marks=[pytest.mark.slow, pytest.mark.contract]) for first in (4, 8))]
)
@pytest.mark.parametrize("is_paused", [True, False])
@pytest.mark.parametrize("does", ["apply", "undo", "apply again"])
def test_a_persons_pause_is_given_back_and_none_is_left_where_there_was_none(
    dynamodb: Any, world: World, writer: MigrationWriter, is_paused: bool, does: str, first: int
) -> None:
    """Wherever an attempt before is killed: its own pause is not taken for the person's."""
    lineage = world.lineage
    for calls in range(first, 72, 12):
        writer.ledger.set_mark("orders", StreamMark(lineage.incarnation, since_ms=lineage.listed_ms), None)
        if does != "apply":
            world.apply(writer)
        writer.ledger.pause("orders", is_paused)
        left = [calls]

        def killed(left: list[int] = left, **_: Any) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise KeyboardInterrupt

        attempt = partial(undo, lineage, writer) if does == "undo" else partial(world.apply, writer)
        for operation in ("PutItem", "UpdateItem", "DeleteItem"):
            dynamodb.meta.events.register_first(f"before-call.dynamodb.{operation}", killed, unique_id=operation)
        with suppress(KeyboardInterrupt):
            attempt()
        for operation in ("PutItem", "UpdateItem", "DeleteItem"):
            dynamodb.meta.events.unregister(f"before-call.dynamodb.{operation}", unique_id=operation)
        with suppress(NothingMigrated):
            attempt()
        assert writer.ledger.mark("orders").is_paused == is_paused, calls
        with suppress(NothingMigrated):
            undo(lineage, writer)
        assert writer.ledger.mark("orders").is_paused == is_paused, calls
        if left[0] >= 0:
            return
    pytest.fail("every attempt was killed")


def test_a_person_who_resumes_the_stream_after_an_attempt_was_killed_is_obeyed(
    dynamodb: Any, world: World, writer: MigrationWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer.ledger.set_mark("orders", StreamMark(world.lineage.incarnation, since_ms=world.lineage.listed_ms), None)
    writer.ledger.pause("orders", True)
    with monkeypatch.context() as patch:
        patch.setattr(writer.ledger, "take", displaced)
        with pytest.raises(RunDisplaced):
            world.apply(writer)
    assert writer.ledger.mark("orders").is_paused
    writer.ledger.pause("orders", False)
    assert world.apply(writer) == 5
    assert not writer.ledger.mark("orders").is_paused


def displaced(*_: Any) -> ShardRow:
    raise RunDisplaced("app", "another")


@pytest.mark.parametrize("calls", [1, 6])
def test_an_undoing_that_was_killed_leaves_the_stream_paused_and_is_done_again(
    dynamodb: Any, world: World, writer: MigrationWriter, calls: int
) -> None:
    world.apply(writer)
    left = [calls]

    def killed(**_: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt

    dynamodb.meta.events.register_first("before-call.dynamodb.DeleteItem", killed, unique_id="kill")
    with pytest.raises(KeyboardInterrupt):
        undo(world.lineage, writer)
    dynamodb.meta.events.unregister("before-call.dynamodb.DeleteItem", unique_id="kill")
    mark = writer.ledger.mark("orders")
    assert mark.is_paused
    undo(world.lineage, writer)
    assert writer.ledger.rows(world.lineage.incarnation) == {}
    mark = writer.ledger.mark("orders")
    assert not mark.is_paused


def test_an_engine_that_runs_under_the_name_is_not_written_under(world: World, writer: MigrationWriter) -> None:
    other = replace(writer.lease, run=replace(writer.lease.run, run_id="other"))
    other.begin()
    beats = replace(writer.lease, sleep=lambda _: other.beat())
    with pytest.raises(AnotherEngineRuns):
        world.apply(replace(writer, lease=beats))
    assert writer.ledger.rows(world.lineage.incarnation) == {}


def test_an_engine_that_is_started_while_rows_are_written_is_refused(
    dynamodb: Any, writer: MigrationWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, beats = World(dynamodb, "3.5.1-single"), threading.Semaphore(0)
    beat, take, refused = writer.ledger.beat, writer.ledger.take, list[AnotherEngineRuns]()

    def until_it_beats(_: float) -> bool:
        while beats.acquire(blocking=False):
            pass
        return not beats.acquire(timeout=10)

    engine = RunLease(writer.lease.ledger, "app", sleep=until_it_beats)

    def take_meanwhile(*arguments: Any) -> ShardRow:
        try:
            engine.begin()
        except AnotherEngineRuns as error:
            refused.append(error)
        return take(*arguments)

    monkeypatch.setattr(writer.ledger, "beat", lambda run_id: (beat(run_id), beats.release())[0])
    monkeypatch.setattr(writer.ledger, "take", take_meanwhile)
    assert world.apply(replace(writer, lease=replace(writer.lease, every_s=0.001))) == 5
    assert len(refused) == 5


def test_a_migration_that_was_frozen_until_an_engine_took_over_leaves_the_stream_paused(
    dynamodb: Any, writer: MigrationWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, take = World(dynamodb, "3.5.1-single"), writer.ledger.take
    engine = RunLease(writer.lease.ledger, "app", sleep=no_wait)

    def taken_late(*arguments: Any) -> ShardRow:
        if writer.ledger.current_run() == writer.lease.run:
            engine.begin()
        return take(*arguments)

    monkeypatch.setattr(writer.ledger, "take", taken_late)
    with pytest.raises(RunDisplaced):
        world.apply(writer)
    mark = writer.ledger.mark("orders")
    assert mark.is_paused
    engine.end()
    assert world.apply(replace(writer, lease=RunLease(writer.lease.ledger, "app", sleep=no_wait))) == 5


def test_a_migration_that_is_done_again_lets_nobody_plan_without_rows(
    dynamodb: Any, writer: MigrationWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, pause = World(dynamodb, "3.5.1-single"), writer.ledger.pause
    world.apply(writer)
    said = list[tuple[bool, int]]()

    def noted(stream: str, paused: bool) -> bool:
        said.append((paused, len(writer.ledger.rows(world.lineage.incarnation))))
        return pause(stream, paused)

    monkeypatch.setattr(writer.ledger, "pause", noted)
    world.apply(writer)
    assert [rows for paused, rows in said if not paused] == [5]
