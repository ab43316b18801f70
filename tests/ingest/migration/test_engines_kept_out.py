"""No engine plans while rows are written, nor after a migration that was killed or frozen meanwhile."""

import itertools
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
from tests.fakes.kills import Killed
from tests.fakes.ledger import MemoryLedger
from tests.fakes.migration import Kill, MemoryJournal, writer_of
from tests.ingest.migration.world import World, every_record, no_wait, read_stream


@pytest.fixture
def world() -> World:
    return World(None, "3.5.1-single")


@pytest.fixture
def writer() -> MigrationWriter:
    return new_writer()


def new_writer() -> MigrationWriter:
    return writer_of(MemoryLedger(), MemoryJournal())


def rows_of(world: World, writer: MigrationWriter) -> dict[str, ShardRow]:
    return dict(writer.ledger.rows(world.lineage.incarnation))


def is_paused(writer: MigrationWriter) -> bool:
    mark = writer.ledger.mark("orders")
    assert mark is not None
    return mark.is_paused


def places(world: World, writer: MigrationWriter) -> dict[str, tuple[object, ...]]:
    return {shard: (row.start, row.read_through, row.ended) for shard, row in rows_of(world, writer).items()}


def is_planned_in_part(world: World, writer: MigrationWriter) -> bool:
    """Returns whether an engine may plan, and would find some of what a migration writes and lack the rest."""
    found, whole = places(world, writer), new_writer()
    if not found or is_paused(writer):
        return False
    world.apply(whole)
    return found != places(world, whole)


@pytest.mark.parametrize("is_taken_back", [True, False])
def test_a_migration_that_was_killed_anywhere_is_done_again_or_taken_back_and_no_engine_plans_in_between(
    world: World, is_taken_back: bool
) -> None:
    every = set(every_record(world))
    for place in itertools.count():
        writer, kill = new_writer(), Kill(place)
        with suppress(Killed):
            world.apply(kill.of(writer))
        if not kill.has_come:
            break
        assert not is_planned_in_part(world, writer), place
        if is_taken_back:
            noted = writer.journal.read(world.lineage.incarnation)
            assert noted.keys() - {HEAD} >= rows_of(world, writer).keys(), place
            if noted:
                undo(world.lineage, writer)
            assert rows_of(world, writer) == {}, place
        assert world.apply(writer) == 5
        assert not is_paused(writer), place
        ours = set(read_stream(world, rows_of(world, writer)))
        assert (ours | world.taken, ours & world.taken) == (every, set()), place
    assert place > 20


@pytest.mark.parametrize("was_paused", [True, False])
@pytest.mark.parametrize("does", ["apply", "undo", "apply again"])
def test_a_persons_pause_is_given_back_and_none_is_left_where_there_was_none(
    world: World, was_paused: bool, does: str
) -> None:
    """Wherever an attempt before is killed: its own pause is not taken for the person's."""
    lineage = world.lineage
    for place in itertools.count():
        writer, kill = new_writer(), Kill(place)
        writer.ledger.set_mark("orders", StreamMark(lineage.incarnation, since_ms=lineage.listed_ms), None)
        if does != "apply":
            world.apply(writer)
        writer.ledger.pause("orders", was_paused)
        attempt = partial(undo, lineage) if does == "undo" else world.apply
        with suppress(Killed):
            attempt(kill.of(writer))
        with suppress(NothingMigrated):
            attempt(writer)
        assert is_paused(writer) == was_paused, place
        with suppress(NothingMigrated):
            undo(lineage, writer)
        assert is_paused(writer) == was_paused, place
        if not kill.has_come:
            break
    assert place > 10


def test_a_person_who_resumes_the_stream_after_an_attempt_was_killed_is_obeyed(
    world: World, writer: MigrationWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer.ledger.set_mark("orders", StreamMark(world.lineage.incarnation, since_ms=world.lineage.listed_ms), None)
    writer.ledger.pause("orders", True)
    with monkeypatch.context() as patch:
        patch.setattr(writer.ledger, "take", displaced)
        with pytest.raises(RunDisplaced):
            world.apply(writer)
    assert is_paused(writer)
    writer.ledger.pause("orders", False)
    assert world.apply(writer) == 5
    assert not is_paused(writer)


def displaced(*_: Any) -> ShardRow:
    raise RunDisplaced("app", "another")


def test_an_undoing_that_was_killed_leaves_the_stream_paused_and_is_done_again(world: World) -> None:
    for place in itertools.count():
        writer, kill = new_writer(), Kill(place)
        world.apply(writer)
        with suppress(Killed):
            undo(world.lineage, kill.of(writer))
        if not kill.has_come:
            break
        assert not is_planned_in_part(world, writer), place
        with suppress(NothingMigrated):
            undo(world.lineage, writer)
        assert rows_of(world, writer) == {}, place
        assert not is_paused(writer), place
    assert place > 10


def test_an_engine_that_runs_under_the_name_is_not_written_under(world: World, writer: MigrationWriter) -> None:
    other = replace(writer.lease, run=replace(writer.lease.run, run_id="other"))
    other.begin()
    beats = replace(writer.lease, sleep=lambda _: other.beat())
    with pytest.raises(AnotherEngineRuns):
        world.apply(replace(writer, lease=beats))
    assert rows_of(world, writer) == {}


def test_an_engine_that_is_started_while_rows_are_written_is_refused(
    world: World, writer: MigrationWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    beats = threading.Semaphore(0)
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
    world: World, writer: MigrationWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = writer.ledger.take
    engine = RunLease(writer.lease.ledger, "app", sleep=no_wait)

    def taken_late(*arguments: Any) -> ShardRow:
        if writer.ledger.current_run() == writer.lease.run:
            engine.begin()
        return take(*arguments)

    monkeypatch.setattr(writer.ledger, "take", taken_late)
    with pytest.raises(RunDisplaced):
        world.apply(writer)
    assert is_paused(writer)
    engine.end()
    assert world.apply(replace(writer, lease=RunLease(writer.lease.ledger, "app", sleep=no_wait))) == 5


def test_a_migration_that_is_done_again_lets_nobody_plan_without_rows(
    world: World, writer: MigrationWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    pause = writer.ledger.pause
    world.apply(writer)
    said = list[tuple[bool, int]]()

    def noted(stream: str, paused: bool) -> bool:
        said.append((paused, len(rows_of(world, writer))))
        return pause(stream, paused)

    monkeypatch.setattr(writer.ledger, "pause", noted)
    world.apply(writer)
    assert [rows for paused, rows in said if not paused] == [5]
