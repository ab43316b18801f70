"""The driver's rounds by file: which dead letters they take, what they find, and that nothing of it stops the engine."""

import itertools
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from firnline_ingest.dead_letters import Choice, DeadLetter
from firnline_ingest.dead_letters.errors import DeadLettersUnavailable
from firnline_ingest.dead_letters.file_errors import FileUnprovable
from firnline_ingest.dead_letters.journal import Outcome
from firnline_ingest.dead_letters.replay import ReplayRequest, Replays
from firnline_ingest.snowflake.errors import SnowflakeUnavailable
from firnline_ingest.spark.oversize import CLOCKS_APART, EVERYWHERE, OversizeRounds
from tests.fakes.configs import config, reading
from tests.fakes.kills import Killed
from tests.fakes.snowpipe import BEGUN
from tests.ingest.dead_letters.conftest import Effect, at_place, killed_at
from tests.ingest.spark.standing_in import receipt

from .oversize_world import LARGE, ONE, TWO, World, kept, letter, not_over


@pytest.fixture
def world() -> World:
    return World()


def test_wherever_a_driver_is_killed_the_next_one_finishes_and_nothing_is_doubled() -> None:
    """From before the batch is written to behind its end; a person's replay comes between the two of every third place."""

    def begun() -> World:
        world = World()
        world.keep(letter(100), letter(101, LARGE.replace(b"xxx", b"bad")), letter(200, shard=TWO))
        return world

    def run(world: World, effect: Effect) -> None:
        world.effect = effect
        world.rounds().round(not_over)

    count = itertools.count()
    run(begun(), lambda _: next(count) and None)
    places = next(count)
    assert places > 50
    for place in range(places):
        world = begun()
        with pytest.raises(Killed):
            run(world, killed_at(place))
        world.effect = lambda _: None
        if place % 3 == 0:
            request = ReplayRequest(by_file=True)
            with world.services(world.config, world.objects, world.ledger, None) as services:
                Replays(world.config, request, services, lambda _: None).run(lambda *_: None)
        rounds = world.rounds()
        rounds.round(not_over)
        assert world.numbers == ["100", "200"], place
        assert rounds.left == {"the table refused it": 1}, place
        assert world.pipe.stage == {}, place


def test_two_drivers_at_once_put_nothing_in_twice() -> None:
    """One was frozen at any place, while another took its application over and had a round."""
    count = itertools.count()
    first = World()
    first.keep(letter(100), letter(101))
    first.effect = lambda _: next(count) and None
    first.rounds().round(not_over)
    for place in range(next(count)):
        world = World()
        world.keep(letter(100), letter(101))
        other = world.rounds()

        def frozen(world: World = world, other: OversizeRounds = other) -> None:
            world.effect = lambda _: None
            other.round(not_over)

        world.effect = at_place(place, frozen)
        world.rounds().round(not_over)
        assert world.numbers == ["100", "101"], place


@pytest.mark.parametrize("frozen_for", [timedelta(), timedelta(minutes=11)], ids=str)
def test_a_driver_that_was_frozen_takes_no_failure_of_its_own_submission_for_the_file_s(frozen_for: timedelta) -> None:
    """Another one had loaded the file meanwhile and removed it, and was killed before it wrote the end; a report forgets."""

    def begun() -> World:
        world = World()
        world.pipe.fails_for_gone = True
        world.keep(letter(100))
        return world

    count = itertools.count()
    world = begun()
    world.effect = lambda _: next(count) and None
    world.rounds().round(not_over)
    for place in range(next(count)):
        world = begun()

        def killed(name: str) -> None:
            if name == "after remove":
                raise Killed

        def frozen(world: World = world, killed: Effect = killed) -> None:
            world.effect = killed
            with suppress(Killed):
                world.rounds().round(not_over)
            world.effect = lambda _: None
            world.pipe.now += frozen_for

        world.effect = at_place(place, frozen)
        world.rounds().round(not_over)
        world.rounds().round(not_over)
        assert world.numbers == ["100"], place


def test_what_earlier_runs_left_goes_in_the_first_round_of_all_shards(world: World) -> None:
    world.keep(letter(100), letter(200, shard=TWO), letter(101, b"no json", reason="not-json"))
    rounds = world.rounds()
    rounds.round(not_over)
    assert world.numbers == ["100", "200"]
    assert not rounds.problems
    assert not rounds.left


def test_a_later_round_asks_only_for_shards_that_kept_dead_letters_since(world: World) -> None:
    rounds = world.rounds()
    rounds.round(not_over)
    world.keep(letter(100), letter(200, shard=TWO))
    world.asked.clear()
    rounds.round(not_over)
    assert not world.asked
    rounds.look([kept(ONE), kept(TWO, records=5)])
    rounds.round(not_over)
    assert world.numbers == ["100"]
    rounds.look([kept(TWO, reread_letters=1)])
    rounds.round(not_over)
    assert world.numbers == ["100", "200"]


def test_a_record_that_the_engine_has_not_passed_waits_for_the_next_round(world: World) -> None:
    world.passed(ONE, 99)
    world.keep(letter(100))
    rounds = world.rounds()
    rounds.round(not_over)
    assert world.numbers == []
    world.passed(ONE, 100)
    world.pipe.now += timedelta(days=1)
    rounds.round(not_over)
    assert world.numbers == ["100"]
    assert not rounds.left


def test_what_the_table_refused_is_not_sent_with_every_round(world: World, caplog: pytest.LogCaptureFixture) -> None:
    bad = LARGE.replace(b"xxx", b"bad")
    world.keep(letter(100, bad))
    rounds = world.rounds()
    rounds.round(not_over)
    assert rounds.left == {"the table refused it": 1}
    (told,) = [record for record in caplog.records if record.getMessage() == "oversize.left"]
    assert told.rejection == "bad row"  # type: ignore[attr-defined]
    world.pipe.now += CLOCKS_APART + timedelta(seconds=1)
    for number in (101, 102):  # the first one looks back as far as clocks may differ
        loads = len(world.pipe.loads)
        world.keep(letter(number))
        rounds.look([kept()])
        rounds.round(not_over)
    assert world.numbers == ["101", "102"]
    assert len(world.pipe.loads) == loads + 1
    again = world.rounds()
    world.pipe.accepts_all = True
    again.round(not_over)
    assert world.numbers == ["100", "101", "102"], "a start looks at all of them"


def test_a_record_beyond_what_a_file_takes_stays_a_dead_letter_and_is_said_once(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.keep(letter(100, b'{"text":"' + b"x" * 16_000_001 + b'"}'))
    rounds = world.rounds()
    for _ in range(2):
        rounds.round(not_over)
        rounds.look([kept()])
    assert rounds.left == {"too-large": 1}
    assert [record.getMessage() for record in caplog.records].count("oversize.left") == 1


def test_rows_are_told_in_one_receipt_of_their_stream_once(world: World) -> None:
    world.keep(letter(100), letter(200, shard=TWO))
    rounds = world.rounds()
    rounds.round(not_over)
    receipts = [receipt("clicks"), kept(ONE), kept(TWO)]
    rounds.look(receipts)
    assert [each.replayed_rows for each in receipts] == [0, 2, 0]
    rounds.look(receipts[1:])
    assert receipts[1].replayed_rows == 2
    world.keep(letter(102))
    rounds.look([kept()])
    rounds.round(not_over)
    assert [(each.key, each.replayed_rows, each.dead_letters) for each in rounds.untold()] == [(ONE, 1, 0)]
    assert rounds.untold() == []


def test_a_batch_that_a_person_has_to_decide_about_is_a_finding_of_its_shard_alone(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.keep(letter(100), letter(200, shard=TWO))
    world.pipe.work = lambda: None  # type: ignore[method-assign] # it loads nothing
    rounds = world.rounds(is_ours=lambda: world.pipe.now < BEGUN + timedelta(seconds=1))
    rounds.round(not_over)
    assert rounds.problems[ONE].id == "FL-4185"
    del world.pipe.work  # type: ignore[method-assign]
    world.pipe.queue.clear()
    world.pipe_created_ms += 1
    rounds = world.rounds()
    caplog.clear()
    for _ in range(2):
        rounds.round(not_over)
    assert {key: each.id for key, each in rounds.problems.items()} == {ONE: FileUnprovable.id}
    assert world.numbers == ["200"]
    assert "oversize.failed" in [record.getMessage() for record in caplog.records]


def test_a_person_who_has_decided_frees_the_shard_for_the_next_round(world: World) -> None:
    unprovable_batch(world)
    rounds = world.rounds()
    rounds.round(not_over)
    assert rounds.problems[ONE].id == FileUnprovable.id
    request = ReplayRequest(by_file=True, unfinished=Outcome.VOID)
    with world.services(world.config, world.objects, world.ledger, None) as services:
        Replays(world.config, request, services, lambda _: None).run(lambda *_: None)
    rounds.round(not_over)
    assert not rounds.problems
    assert world.numbers == ["100"]


def unprovable_batch(world: World) -> None:
    """Leaves a batch whose pipe was recreated."""
    world.keep(letter(100))
    world.pipe.work = lambda: None  # type: ignore[method-assign]
    world.rounds().round(not_over)
    del world.pipe.work  # type: ignore[method-assign]
    world.pipe.queue.clear()
    world.pipe_created_ms += 1


def test_trouble_that_passes_is_told_and_all_is_due_again(world: World) -> None:
    world.keep(letter(100))
    world.fails = SnowflakeUnavailable("answer", "down")
    rounds = world.rounds()
    rounds.round(not_over)
    assert rounds.problems[EVERYWHERE].is_retryable
    world.fails = None
    rounds.round(not_over)
    assert not rounds.problems
    assert world.numbers == ["100"]


def test_a_defect_ends_no_thread(world: World, caplog: pytest.LogCaptureFixture) -> None:
    world.keep(letter(100))
    world.fails = ZeroDivisionError()
    rounds = world.rounds()
    rounds.round(not_over)
    assert rounds.problems[EVERYWHERE].id == "FL-1000"
    assert "oversize.defect" in [record.getMessage() for record in caplog.records]


def test_a_dead_letter_that_can_not_be_read_is_a_finding_and_the_others_go(world: World) -> None:
    world.keep(letter(100))
    damaged = DeadLettersUnavailable("read", "it", "damaged")

    def some(choice: Choice, on_damaged: Any) -> Iterator[DeadLetter]:
        on_damaged(damaged)
        yield letter(100)

    world.list = some  # type: ignore[method-assign]
    rounds = world.rounds()
    rounds.round(not_over)
    assert rounds.problems[ONE].what == damaged.what
    assert world.numbers == ["100"]


def test_a_journal_is_read_once_by_a_run_however_many_rounds_it_has(world: World) -> None:
    world.keep(*(letter(number) for number in range(100, 105)))
    rounds = world.rounds()
    rounds.round(not_over)
    read = list[str]()
    inner = world.objects.read
    world.objects.read = lambda name: read.append(name) or inner(name)  # type: ignore[method-assign, func-returns-value]
    for number in range(6):
        world.keep(letter(200 + number))
        rounds.look([kept()])
        rounds.round(not_over)
    assert len(world.numbers) == 11
    assert max(Counter(read).values()) == 2, "the last batch is read once more, for the next one"


@pytest.mark.parametrize("is_refused", [False, True])
@pytest.mark.parametrize("batches_of_a_person", [0, 1, 2, 3])
def test_a_journal_that_was_removed_with_its_dead_letters_is_begun_anew(
    world: World, batches_of_a_person: int, is_refused: bool
) -> None:
    """The journal's numbers come again, and what is remembered of the old ones is about other dead letters."""
    bad = LARGE.replace(b"xxx", b"bad")
    world.keep(letter(100), letter(101, bad if is_refused else LARGE))
    rounds = world.rounds()
    rounds.round(not_over)
    later(world, rounds, letter(102, bad if is_refused else LARGE))
    before = world.numbers
    world.pipe.now += timedelta(days=400)
    world.letters.clear()
    world.objects.kept.clear()
    for number in range(batches_of_a_person):
        world.keep(letter(200 + number))
        request = ReplayRequest(by_file=True)
        with world.services(world.config, world.objects, world.ledger, None) as services:
            Replays(world.config, request, services, lambda _: None).run(lambda *_: None)
    for number in range(300, 304):
        later(world, rounds, letter(number))
    assert world.numbers == [*before, *map(str, (*range(200, 200 + batches_of_a_person), *range(300, 304)))]
    assert not rounds.problems


def later(world: World, rounds: OversizeRounds, *letters: DeadLetter) -> None:
    """A round within the time that clocks may differ, so that it looks at the dead letters of the last one again."""
    world.pipe.now += timedelta(minutes=15)
    world.keep(*letters)
    rounds.look([kept()])
    rounds.round(not_over)


def test_streams_of_pipelines_that_do_not_say_so_are_left_alone(world: World) -> None:
    world.config = config(pipelines=[reading("orders", max_row_bytes=1024), reading("clicks", oversize_rows="file")])
    world.keep(letter(100))
    rounds = world.rounds()
    rounds.look([kept()])
    for _ in range(2):
        rounds.round(not_over)
    assert world.numbers == []
    assert not world.asked


def test_a_bounded_run_says_how_many_are_left(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "firnline_ingest")
    world.keep(letter(100), letter(101, LARGE.replace(b"xxx", b"bad")))
    rounds = world.rounds()
    rounds.round(not_over)
    rounds.conclude()
    (told,) = [record for record in caplog.records if record.getMessage() == "oversize.incomplete"]
    assert (told.letters, told.why) == (1, {"the table refused it": 1})  # type: ignore[attr-defined]
    caplog.clear()
    clean = World().rounds()
    clean.round(not_over)
    clean.conclude()
    assert "oversize.incomplete" not in [record.getMessage() for record in caplog.records]


def test_the_last_round_of_a_bounded_run_counts_what_the_rounds_before_it_left(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "firnline_ingest")
    bad = LARGE.replace(b"xxx", b"bad")
    world.keep(letter(100), letter(101, bad), letter(200, bad, shard=TWO))
    rounds = world.rounds()
    rounds.round(not_over)
    for number in range(102, 105):
        world.pipe.now += CLOCKS_APART
        later(world, rounds, letter(number))
    rounds.last_round()
    rounds.conclude()
    (told,) = [record for record in caplog.records if record.getMessage() == "oversize.incomplete"]
    assert (told.letters, told.why) == (2, {"the table refused it": 2})  # type: ignore[attr-defined]
    world.pipe.accepts_all = True
    caplog.clear()
    rounds.last_round()
    rounds.conclude()
    assert world.numbers == ["100", "101", "102", "103", "104", "200"]
    assert "oversize.incomplete" not in [record.getMessage() for record in caplog.records]
