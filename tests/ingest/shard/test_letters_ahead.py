"""Tests of what another configuration may not take over: rows that nobody has proven yet, and letters, which are kept a
page ahead.
"""

from contextlib import suppress

import pytest

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.ledger.resume import resume_from
from firnline_ingest.ledger.row import ResumeFrom
from firnline_ingest.shard.receipt import ShardState
from firnline_ingest.shard.steps import EpochStep
from tests.fakes.configs import pipeline
from tests.fakes.kills import Killed, dies_at
from tests.fakes.receipts import problem as told
from tests.ingest.shard.conftest import World

from .running import bounded, drained, now_ms
from .test_formats import costs_the_channel

TOO_LARGE = {"n": 1, "text": "x" * 3000}


SMALL, LARGE = pipeline(max_row_bytes=2000), pipeline(max_row_bytes=1_000_000)


def killed(world: World, at: EpochStep) -> None:
    with pytest.raises(Killed):
        bounded(world.services(observer=dies_at(at)), world.work())


def taken_over_behind_a_drain(world: World, new: PipelineConfig) -> list[int]:
    """The other configuration is refused until the one before has been drained. Says which rows the drain has left."""
    old, world.pipeline = world.pipeline, new
    refused = bounded(world.services(), world.work()).problem
    assert refused.id == "FL-2111"
    assert "firnline drain" in refused.next_step
    world.pipeline = old
    receipt = drained(world.services(), world.work())
    assert (receipt.state, receipt.problem) == (ShardState.DONE, None)
    left, world.pipeline = world.numbers, new
    assert bounded(world.services(), world.work()).problem is None
    return left


def test_another_conversion_goes_on_where_the_old_one_was_drained(world: World) -> None:
    world.put(*range(5))
    killed(world, EpochStep.APPENDED)
    world.put(5)
    assert taken_over_behind_a_drain(world, SMALL) == list(range(5)), "nothing new"
    assert world.numbers == list(range(6))


@pytest.fixture
def small(world: World) -> World:
    world.pipeline = SMALL
    world.put(0, TOO_LARGE, 2)
    return world


@pytest.mark.parametrize("at", [EpochStep.DEAD_LETTERED, EpochStep.APPENDED, EpochStep.PROVEN])
def test_a_record_whose_letter_was_kept_is_no_row_of_the_next_configuration(small: World, at: EpochStep) -> None:
    killed(small, at)
    small.put(3)
    assert 3 not in taken_over_behind_a_drain(small, LARGE), "nothing new"
    assert (small.numbers, len(small.letters)) == ([0, 2, 3], 1)


def test_the_ledger_says_how_far_letters_reach_before_one_is_kept(small: World) -> None:
    said: list[bool] = []

    def look(reached: EpochStep, _key: object) -> None:
        if reached is EpochStep.DEAD_LETTERED:
            said.append(small.row.has_letters_ahead)

    bounded(small.services(observer=look), small.work())
    assert said == [True]


def test_after_a_stop_another_configuration_goes_on_at_once(small: World) -> None:
    bounded(small.services(), small.work())
    assert not small.row.has_letters_ahead
    small.put(TOO_LARGE)
    small.pipeline = LARGE
    assert bounded(small.services(), small.work()).problem is None
    assert (small.numbers, len(small.letters)) == ([0, 2, 1], 1)


@pytest.mark.parametrize(("where", "problem"), [(ResumeFrom.PROVEN, "FL-2111"), (ResumeFrom.TRIM_HORIZON, None)])
def test_only_whoever_begins_at_the_oldest_record_takes_such_records_in_again(
    small: World, where: ResumeFrom, problem: str | None
) -> None:
    killed(small, EpochStep.DEAD_LETTERED)
    small.ledger.reset(resume_from(small.row, where, now_ms()))
    small.pipeline = LARGE
    receipt = bounded(small.services(), small.work())
    assert told(receipt) == problem


@pytest.mark.parametrize("count", range(10))
def test_a_record_that_snowflake_refused_is_no_row_after_a_restart(world: World, count: int) -> None:
    """Snowflake would take the record by then: but its letter is kept, and a replay of it would double the row."""
    world.put(*range(4))
    has_letters: list[bool] = []

    def is_so_far() -> bool:
        has_letters.append(any(has_letters) or bool(world.letters) or world.row.has_letters_ahead)
        return has_letters[-1]

    with pytest.MonkeyPatch.context() as patch:
        costs_the_channel(patch, 1)
        with suppress(Killed):
            bounded(world.services(observer=dies_at(times=count + 1, when=is_so_far)), world.work())
    kept = len(world.letters)
    assert bounded(world.services("second"), world.work()).problem is None
    assert len(world.numbers) + len(world.letters) == 4
    assert len(world.letters) >= kept
    assert world.row.decided == ()
