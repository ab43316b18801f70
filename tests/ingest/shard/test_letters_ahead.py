"""Letters are kept a page ahead of rows: no kill, and no other configuration behind it, makes a record both."""

import json
from contextlib import suppress
from typing import Any

import pytest

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.ledger.resume import resume_from
from firnline_ingest.ledger.row import ResumeFrom
from firnline_ingest.shard.receipt import ShardState
from firnline_ingest.shard.request import ShardRequest
from firnline_ingest.shard.steps import EpochStep
from tests.ingest.shard.conftest import World

from .running import bounded, now_ms, numbers, run
from .test_formats import costs_the_channel

TOO_LARGE = {"n": 1, "text": "x" * 3000}


def pipeline(max_row_bytes: int) -> PipelineConfig:
    settings: dict[str, Any] = {"stream": "events", "database": "DB", "schema": "RAW", "max_row_bytes": max_row_bytes}
    return PipelineConfig.model_validate(settings)


SMALL, LARGE = pipeline(2000), pipeline(1_000_000)


class Killed(BaseException):
    pass


def killed(world: World, at: EpochStep) -> None:
    def die(reached: EpochStep, _key: object) -> None:
        if reached is at:
            raise Killed

    with pytest.raises(Killed):
        bounded(world.services(observer=die), world.work())


def rows(world: World) -> list[int]:
    return [json.loads(row)["n"] for row in world.served.rows]


def letters(world: World) -> int:
    return len(list(world.dead_letters.list()))


@pytest.fixture
def small(world: World) -> World:
    world.pipeline = SMALL
    for payload in ({"n": 0}, TOO_LARGE, {"n": 2}):
        world.stream.put(payload)
    return world


@pytest.mark.parametrize("at", [EpochStep.DEAD_LETTERED, EpochStep.APPENDED, EpochStep.PROVEN])
def test_a_record_whose_letter_was_kept_is_no_row_of_the_next_configuration(small: World, at: EpochStep) -> None:
    killed(small, at)
    small.stream.put({"n": 3})
    small.pipeline = LARGE
    refused = bounded(small.services(), small.work()).problem
    assert refused.id == "FL-2111"
    small.pipeline = SMALL
    drained = run(small.services(), ShardRequest.lasting(small.work(), 20.0, arrival_ms=0))
    assert (drained.state, drained.problem) == (ShardState.DONE, None)
    assert 3 not in rows(small), "nothing new"
    small.pipeline = LARGE
    assert bounded(small.services(), small.work()).problem is None
    assert (rows(small), letters(small)) == ([0, 2, 3], 1)


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
    small.stream.put(TOO_LARGE)
    small.pipeline = LARGE
    assert bounded(small.services(), small.work()).problem is None
    assert (rows(small), letters(small)) == ([0, 2, 1], 1)


@pytest.mark.parametrize(("where", "problem"), [(ResumeFrom.PROVEN, "FL-2111"), (ResumeFrom.TRIM_HORIZON, None)])
def test_only_whoever_begins_at_the_oldest_record_takes_such_records_in_again(
    small: World, where: ResumeFrom, problem: str | None
) -> None:
    killed(small, EpochStep.DEAD_LETTERED)
    small.ledger.reset(resume_from(small.row, where, now_ms()))
    small.pipeline = LARGE
    receipt = bounded(small.services(), small.work())
    assert (receipt.problem.id if receipt.problem else None) == problem


@pytest.mark.parametrize("count", range(10))
def test_a_record_that_snowflake_refused_is_no_row_after_a_restart(world: World, count: int) -> None:
    """It would be taken by then: but its letter is kept, and a replay of it would double the row."""
    for n in range(4):
        world.stream.put({"n": n})
    steps = 0

    def die(step: EpochStep, _key: object) -> None:
        nonlocal steps
        steps += 1
        if letters(world) or world.row.has_letters_ahead:
            steps = max(steps, 1000)
        if steps == 1000 + count:
            raise Killed

    with pytest.MonkeyPatch.context() as patch:
        costs_the_channel(patch, 1)
        with suppress(Killed):
            bounded(world.services(observer=die), world.work())
    kept = letters(world)
    assert bounded(world.services("second"), world.work()).problem is None
    assert len(numbers(world.served.rows)) + letters(world) == 4
    assert letters(world) >= kept
    assert world.row.decided == ()
