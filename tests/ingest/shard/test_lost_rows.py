"""A ledger row that was lost takes no counts along that receipts had reported: they go on, and nothing is counted twice."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from firnline_ingest.ledger.resume import resume_from
from firnline_ingest.ledger.row import ResumeFrom
from firnline_ingest.shard.differences import ReceiptDifferences
from firnline_ingest.shard.receipt import Receipt
from firnline_ingest.shard.report import ShardReport
from firnline_ingest.shard.request import ShardRequest
from firnline_ingest.shard.runner import ShardRunner
from firnline_ingest.shard.steps import EpochStep
from tests.fakes.kills import Killed, dies_at
from tests.ingest.shard.conftest import World

from .routed import expected, killed_after, ours, put, tables
from .routed import pipeline as routed_pipeline
from .running import bounded, now_ms

FIRST = (b'{"n":0,"extra":1}', b"bad", b'{"n":2,"extra":1}', b"worse")
NEXT = (b'{"n":4,"extra":1}', b"bad again", b'{"n":6,"extra":1}')
COUNTED = ("rows", "dead_letters", "bytes", "unknown_keys")


@dataclass
class Driver:
    """Adds receipts up as the engine's driver does, and hands on what it has heard."""

    world: World
    differences: ReceiptDifferences = field(default_factory=lambda: ReceiptDifferences(lambda owner: True))
    reported: list[Receipt] = field(default_factory=list)

    def hear(self, *receipts: Receipt) -> None:
        self.reported += self.differences.of(receipts)

    def work(self, **changes: Any) -> Any:
        columns = ("N", "KINESISMETADATA")
        return self.world.work(reported=self.differences.reported(self.world.key()), columns=columns, **changes)

    def run(self, owner: str, **changes: Any) -> None:
        self.hear(bounded(self.world.services(owner), self.work(**changes)))

    @property
    def sums(self) -> dict[str, int]:
        return {name: sum(getattr(each, name) for each in self.reported) for name in COUNTED}


@pytest.fixture
def driver(world: World) -> Driver:
    return Driver(world)


def sums_of(world: World, records: Sequence[bytes]) -> dict[str, int]:
    rows = [each for each in records if each.startswith(b"{")]
    letters = len(records) - len(rows)
    sent = sum(map(len, world.served.rows)) + sum(map(len, world.served.rejected))
    return {"rows": len(rows), "dead_letters": letters, "bytes": sent, "unknown_keys": len(rows)}


def test_dead_letters_behind_the_token_are_counted_once(world: World, driver: Driver) -> None:
    """The last record is none of the table's, so the token stays before it: it is read again where the row is gone."""
    world.put(*FIRST)
    driver.run("first")
    assert driver.sums == sums_of(world, FIRST)
    world.ledger.forget(world.key())
    world.put(*NEXT)
    driver.run("second")
    assert driver.sums == sums_of(world, FIRST + NEXT)


def test_what_was_reported_and_not_committed_is_counted_once(world: World, driver: Driver) -> None:
    """A process that is lost with rows in flight had reported the dead letters among them, and their bytes."""
    world.put(*FIRST)
    world.channels.commits_at_once = False
    world.channels.discards_on_open = True
    die = dies_at(EpochStep.APPENDED)
    with pytest.raises(Killed):
        bounded(world.services("first", observer=die), driver.work())
    world.channels.commits_at_once = True
    world.ledger.forget(world.key())
    driver.run("second")
    world.ledger.forget(world.key())
    driver.run("third")
    world.put(*NEXT)
    driver.run("fourth")
    assert driver.sums == sums_of(world, FIRST + NEXT)


def test_a_row_that_is_lost_again_and_again_adds_nothing(world: World, driver: Driver) -> None:
    world.put(*FIRST)
    for owner in ("first", "second", "third", "fourth"):
        driver.run(owner)
        world.ledger.forget(world.key())
    assert driver.sums == sums_of(world, FIRST)


def test_a_row_as_it_was_earlier_adds_nothing(world: World, driver: Driver) -> None:
    """A table that was restored to an earlier moment."""
    world.put(*FIRST)
    driver.run("first")
    before = world.row
    world.put(*NEXT)
    driver.run("second")
    world.ledger.restore(before)
    driver.run("third")
    world.put(b'{"n":7,"extra":1}', b"the last")
    driver.run("fourth")
    assert driver.sums == sums_of(world, (*FIRST, *NEXT, b'{"n":7,"extra":1}', b"the last"))


def test_a_row_with_untold_counts_that_were_reported_meanwhile_adds_nothing(world: World, driver: Driver) -> None:
    world.put(*FIRST)
    driver.run("first")
    world.ledger.restore(replace(world.row, untold={"bytes": 77, "unknown_keys": 2, "records": 4}))
    driver.run("second")
    assert driver.sums == sums_of(world, FIRST)


def test_rows_of_a_channel_that_is_younger_than_the_totals_are_reported(world: World, driver: Driver) -> None:
    """The counters of a channel that was made again know nothing of the rows of before."""
    world.put(*FIRST)
    driver.run("first")
    before = list(world.served.rows)
    world.channels.served.clear()
    world.ledger.reset(resume_from(world.row, ResumeFrom.PROVEN, 1))
    world.put(b'{"n":4,"extra":1}')
    driver.run("second")
    world.ledger.forget(world.key())
    world.put(b'{"n":5,"extra":1}')
    driver.run("third")
    assert driver.sums["rows"] == len(before) + len(world.served.rows) == 4


def test_another_run_goes_on_with_what_the_one_before_has_reported(world: World) -> None:
    first = Driver(world)
    world.put(*FIRST)
    first.run("first")
    world.ledger.forget(world.key())
    known = {key: dict(each) for key, each in first.differences.heard.items()}
    second = Driver(world, ReceiptDifferences(lambda owner: owner.startswith("second"), known))
    world.put(*NEXT)
    second.run("second")
    together = {name: first.sums[name] + second.sums[name] for name in COUNTED}
    assert together == sums_of(world, FIRST + NEXT)


@pytest.mark.parametrize("step", [EpochStep.DEAD_LETTERED, EpochStep.APPENDED, EpochStep.LEDGERED])
@pytest.mark.parametrize("commits", [True, False])
def test_a_row_that_is_deleted_while_its_shard_is_read_takes_no_counts_along(
    world: World, driver: Driver, step: EpochStep, *, commits: bool
) -> None:
    """The process finds that nobody has the shard, and reports what it had counted: nobody else does."""
    deleted = list[Any]()

    def delete(at: EpochStep, key: Any) -> None:
        if at is step and not deleted:
            deleted.append(key)
            world.ledger.forget(key)

    world.put(*FIRST)
    world.channels.commits_at_once = commits
    driver.hear(bounded(world.services("first", observer=delete, final_commit_s=0.2), driver.work()))
    world.channels.commits_at_once = True
    world.put(*NEXT)
    driver.run("second")
    assert driver.sums == sums_of(world, FIRST + NEXT)


def test_what_a_process_counted_that_another_one_follows_is_the_others(world: World, driver: Driver) -> None:
    other = list[Receipt]()

    def take(at: EpochStep, key: Any) -> None:
        if at is EpochStep.DEAD_LETTERED and not other:
            other.append(bounded(world.services("second"), driver.work()))

    world.put(*FIRST)
    driver.hear(bounded(world.services("first", observer=take), driver.work()))
    driver.hear(*other)
    assert driver.sums == sums_of(world, FIRST)


@pytest.mark.parametrize("step", [EpochStep.APPENDED, EpochStep.LEDGERED])
def test_rows_of_several_tables_that_stand_apart_are_counted_once(world: World, step: EpochStep) -> None:
    """Reading begins after the lowest token, and the rows beyond it were reported, or are in another channel's counters."""
    world.pipeline = routed_pipeline()
    driver = Driver(world)
    put(world, 6)
    driver.hear(bounded(world.services("first"), ours(world)))
    put(world, 6, 6)
    killed_after(world, step, 1, ours(world))
    world.ledger.forget(world.key())
    reported = driver.differences.reported(world.key())
    driver.hear(bounded(world.services("second"), replace(ours(world), reported=reported)))
    assert tables(world) == expected(world, 12)
    assert driver.sums["rows"] == 12


@pytest.mark.parametrize("dies", [EpochStep.TAKEN, EpochStep.RECONCILED])
def test_who_is_followed_for_a_moment_and_comes_back_counts_what_nobody_has_reported(
    world: World, driver: Driver, dies: EpochStep
) -> None:
    """Counts of the one that was followed are the other's, and that one may be lost before its receipt."""
    other, report = list[object](), ShardReport(world.key())

    def take(at: EpochStep, key: Any) -> None:
        if at is EpochStep.LEDGERED and not other:
            other.append(key)
            with suppress(Killed):
                driver.hear(bounded(world.services("second", observer=dies_at(dies)), driver.work()))

    def run(**changes: Any) -> None:
        request = ShardRequest.lasting(driver.work(), 20.0, arrival_ms=now_ms())
        runner = ShardRunner(world.services("first", **changes), request, report)
        runner.run()
        driver.hear(runner.receipt())

    world.put(*FIRST)
    run(observer=take)
    world.put(*NEXT)
    run()
    assert other
    assert driver.sums == sums_of(world, FIRST + NEXT)
