"""Tests of what a shard does with records that can't be rows: kept, skipped or stopped at, and how many a minute."""

from contextlib import suppress
from types import SimpleNamespace

import pytest

from firnline_ingest.dead_letters.errors import DeadLettersUnavailable
from firnline_ingest.ledger.resume import resume_from
from firnline_ingest.ledger.row import ResumeFrom
from firnline_ingest.shard.dead_letters import ArrivalLimit
from firnline_ingest.shard.receipt import ShardState
from firnline_ingest.shard.request import ShardRequest
from firnline_ingest.shard.steps import EpochStep
from tests.fakes.configs import pipeline
from tests.fakes.kills import Killed, dies_at
from tests.fakes.receipts import problem
from tests.ingest.shard.conftest import World
from tests.ingest.waiting import HANGS_S

from .running import bounded, now_ms, run


def test_skipped_records_are_counted_and_nowhere(world: World) -> None:
    world.configure(on_error="skip")
    world.put(0, b"bad", 1, b"", 2)
    steps: list[EpochStep] = []
    receipt = bounded(world.services(observer=lambda step, key: steps.append(step)), world.work())
    assert (receipt.rows, receipt.skipped, receipt.dead_letters) == (3, 2, 0)
    assert world.numbers == [0, 1, 2]
    assert world.letters == []
    assert EpochStep.DEAD_LETTERED not in steps
    assert world.row.read_through == world.shard.last_position


def test_a_pipeline_that_stops_has_everything_in_front_of_the_record_and_nothing_behind_it(world: World) -> None:
    world.configure(on_error="stop")
    numbers_of = world.put(0, 1, b"bad", 2)
    receipt = bounded(world.services(), world.work())
    assert receipt.state is ShardState.FAILED
    assert (receipt.problem.id, receipt.problem.is_retryable) == ("FL-4017", False)
    assert numbers_of[2] in receipt.problem.what
    assert "not-json" in receipt.problem.what
    assert world.numbers == [0, 1]
    assert str(world.row.read_through.sequence_number) == numbers_of[1]


def test_a_restart_stops_at_the_same_record_until_a_person_decides(world: World) -> None:
    world.configure(on_error="stop")
    world.put(0, b"bad", 1)
    first, again = (bounded(world.services(run), world.work()) for run in ("first", "second"))
    assert again.problem == first.problem
    assert world.numbers == [0]

    receipt = bounded(world.services("third"), world.work(pipeline=pipeline()))
    assert (receipt.state, receipt.dead_letters) == (ShardState.DONE, 1)
    assert world.numbers == [0, 1]


def test_a_record_that_stops_as_the_first_of_its_shard_moves_nothing(world: World) -> None:
    world.configure(on_error="stop")
    world.put(b"bad", 0)
    receipt = bounded(world.services(), world.work())
    assert (problem(receipt), world.row.read_through) == ("FL-4017", None)


def test_a_storm_of_unusable_records_stops_the_shard_in_front_of_it(world: World) -> None:
    world.configure(max_unusable_per_minute=3)
    sent = world.put(0, *[b"bad"] * 4, 1)
    receipt = bounded(world.services(), world.work())
    assert (receipt.problem.id, receipt.problem.is_retryable) == ("FL-4018", False)
    assert sent[1] in receipt.problem.what
    assert "max_unusable_per_minute" in receipt.problem.next_step
    assert "AT_SEQUENCE_NUMBER" in receipt.problem.next_step, "no letter tells what was sent"
    assert world.letters == []
    assert world.numbers == [0]


def test_what_goes_by_file_is_no_storm(world: World) -> None:
    """Such a record becomes a row, and the pipeline says that there are some."""
    large = b'{"n":1,"text":"' + b"x" * 2000 + b'"}'
    world.configure(max_unusable_per_minute=2, max_row_bytes=1024, oversize_rows="file")
    sent = world.put(0, *[large] * 5, b"bad", b"bad", 1)
    receipt = bounded(world.services(), world.work())
    assert (receipt.problem, receipt.dead_letters, world.numbers) == (None, 7, [0, 1])
    assert list(world.row.unusable.values()) == [2]
    sent = world.put(large, b"bad")
    receipt = bounded(world.services("second"), world.work())
    assert receipt.problem is not None
    assert receipt.problem.id == "FL-4018"
    assert sent[0] not in receipt.problem.what, "it is not the one"
    world.configure(max_unusable_per_minute=2, max_row_bytes=1024)
    world.put(*[large] * 3)
    assert bounded(world.services("third"), world.work()).problem.id == "FL-4018"


@pytest.mark.parametrize("policy", ["dead_letter", "skip"])
def test_as_many_as_are_allowed_are_taken_in(world: World, policy: str) -> None:
    world.configure(max_unusable_per_minute=3, on_error=policy)
    world.put(0, *[b"bad"] * 3, 1)
    receipt = bounded(world.services(), world.work())
    assert (receipt.state, receipt.dead_letters + receipt.skipped) == (ShardState.DONE, 3)


def test_a_backlog_that_is_read_at_once_is_no_storm(world: World) -> None:
    clock = world.use_clock()
    world.configure(max_unusable_per_minute=1)
    for _ in range(5):
        world.put(b"bad")
        clock.advance(seconds=61)
    receipt = bounded(world.services(now_ms=lambda: int(clock.now.timestamp() * 1000)), world.work())
    assert (receipt.problem, receipt.dead_letters) == (None, 5)


def test_minutes_are_those_of_arrival() -> None:
    limit = ArrivalLimit(2)
    assert limit.exceeded_by([0.0, 59.9, 60.0]) is None
    assert limit.exceeded_by([119.9, 3600.0]) is None
    assert limit.exceeded_by([61.0]) == "1970-01-01T00:01Z"


def test_without_a_limit_nothing_is_too_much() -> None:
    assert ArrivalLimit(None).exceeded_by([0.0] * 100_000) is None


def test_while_no_letter_can_be_kept_no_row_behind_it_is_appended_and_nothing_counts_as_read(world: World) -> None:
    world.put(0, b"bad", 1)
    request = ShardRequest.lasting(world.work(), HANGS_S, arrival_ms=now_ms())

    def throttled(_letters: object) -> int:
        request.stop()
        raise DeadLettersUnavailable("s3:PutObject", "s3://lake/letters/", "SlowDown: reduce your rate")

    receipt = run(world.services(dead_letters=SimpleNamespace(put=throttled)), request)
    assert (receipt.problem.id, receipt.problem.is_retryable) == ("FL-4014", True)
    assert world.served.rows == []
    assert world.row.read_through is None
    assert bounded(world.services("second"), world.work()).dead_letters == 1
    assert world.numbers == [0, 1]


@pytest.mark.parametrize("policy", ["dead_letter", "skip"])
def test_a_minute_has_no_more_unusable_records_after_a_restart_than_without_one(world: World, policy: str) -> None:
    """The count is the ledger's: three processes have no more than the limit allows, of one and the same minute."""
    world.use_clock()
    world.configure(max_unusable_per_minute=3, on_error=policy)
    world.put(0, b"bad", b"bad", 1)
    assert bounded(world.services("first"), world.work()).problem is None
    assert list(world.row.unusable.values()) == [2]
    world.put(b"bad")
    assert bounded(world.services("second"), world.work()).problem is None
    world.put(2, b"bad")
    receipt = bounded(world.services("third"), world.work())
    assert receipt.problem is not None
    assert receipt.problem.id == "FL-4018"
    assert world.numbers == [0, 1, 2]
    world.ledger.reset(resume_from(world.row, ResumeFrom.PROVEN, 1))
    assert bounded(world.services("fourth"), world.work()).problem is None, "a person let it go"


@pytest.mark.parametrize("step", [EpochStep.DEAD_LETTERED, EpochStep.APPENDED, EpochStep.LEDGERED])
@pytest.mark.parametrize("kills_at", [1, 2, 3])
def test_what_is_read_again_is_counted_once(world: World, step: EpochStep, kills_at: int) -> None:
    """A process was lost; the next one reads what it had counted once more, as far as the ledger had not passed it."""
    world.use_clock()
    world.configure(max_unusable_per_minute=3)
    world.put(0, b"bad", 1, b"bad", 2)
    with suppress(Killed):
        bounded(world.services("first", observer=dies_at(step, kills_at)), world.work())
    world.put(3, b"bad")
    assert bounded(world.services("second"), world.work()).problem is None
    assert list(world.row.unusable.values()) == [3]
    assert world.numbers == [0, 1, 2, 3]
