"""Tests of where a replay sends nothing, and says why; and rows that the table refuses."""

from contextlib import suppress
from dataclasses import replace
from functools import partial

import msgspec
import pytest

from firnline_ingest.dead_letters import DeadLetter
from firnline_ingest.dead_letters.conversion import Conversion, DeadLetterConverter
from firnline_ingest.dead_letters.errors import JournalUnreadable, ReplayedElsewhere, ReplayUnprovable
from firnline_ingest.dead_letters.journal import Outcome
from tests.fakes.configs import pipeline
from tests.fakes.kills import Killed

from .conftest import CHANNEL, MemoryObjects, World, at_place, die, killed_when, letter, when


def begun(world: World, *, sent: bool = True) -> None:
    """A batch that is in the journal, and not finished."""
    with pytest.raises(Killed):
        world.run(killed_when("after append" if sent else "before append"))


def test_a_channel_that_another_journal_wrote_to_is_refused(world: World) -> None:
    world.run()
    world.objects = MemoryObjects()
    with pytest.raises(ReplayedElsewhere, match="no batch"):
        world.run()
    assert len(world.rows) == 5


def test_a_copy_of_the_letters_that_was_replayed_alone_is_refused(world: World) -> None:
    world.run()
    copied, world.objects = world.objects, MemoryObjects(dict(world.objects.kept))
    world.letters.append(letter(200))
    world.run()
    world.objects = copied
    world.letters[-1] = letter(201)
    with pytest.raises(ReplayedElsewhere):
        world.run()
    assert world.numbers[-1] == 200


@pytest.mark.parametrize("sent", [True, False])
def test_a_batch_whose_channel_is_gone_waits_for_a_person(world: World, sent: bool) -> None:
    begun(world, sent=sent)
    rows = world.rows
    del world.channels.served[CHANNEL]
    with pytest.raises(ReplayUnprovable, match="--unfinished") as raised:
        world.run()
    assert "dropped, or expired" in str(raised.value)
    assert world.replay().decide(Outcome.ACCEPTED if sent else Outcome.VOID) == 1
    world.run()
    assert sorted(rows + world.rows) == sorted(set(rows + world.rows))
    assert len(rows + world.rows) == 5


def test_a_batch_whose_table_was_made_again_waits_for_a_person(world: World) -> None:
    begun(world)
    world.target = replace(world.target, table_created_on="2026-02-01T00:00:00.000+00:00")
    with pytest.raises(ReplayUnprovable, match="recreated"):
        world.run()


def test_after_a_persons_word_the_channel_goes_on_from_where_it_stands(world: World) -> None:
    begun(world)
    world.channels.served[CHANNEL].created_ms += 1
    assert world.replay().decide(Outcome.ACCEPTED) == 1
    world.letters.append(letter(200))
    assert world.run().letters == 1
    assert world.numbers == [100, 101, 102, 103, 104, 200]


@pytest.mark.parametrize("sent", [True, False])
@pytest.mark.parametrize("outcome", [Outcome.ACCEPTED, Outcome.VOID])
def test_a_persons_word_is_not_asked_of_a_batch_that_can_be_finished(
    world: World, sent: bool, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firnline_ingest.snowflake.sending.APPEND_BYTES", 1)
    begun(world, sent=sent)
    assert world.replay().decide(outcome) == 0
    world.run()
    assert world.numbers == [100, 101, 102, 103, 104]


def test_a_batch_that_can_t_be_read_stops_its_shard(world: World) -> None:
    world.run()
    (name,) = [name for name in world.objects.kept if name.endswith("gz")]
    world.objects.kept[name] = world.objects.kept[name][:-9]
    world.letters.append(letter(200))
    with pytest.raises(JournalUnreadable, match=r"0000000001\.jsonl\.gz"):
        world.run()
    assert len(world.rows) == 5


def test_rows_that_the_table_refuses_are_in_its_error_table_and_counted(world: World) -> None:
    world.channels.rejects = lambda row: b"102" in row
    report = world.run()
    assert (report.letters, report.rows, report.rejected, report.rejection) == (5, 5, 1, "the test rejects it")
    assert world.run().rows == 0


def test_without_an_error_table_a_refused_row_stays_a_letter(world: World) -> None:
    world.keeps_rejected = False
    world.channels.rejects = lambda row: b"102" in row
    report = world.run()
    assert (report.letters, dict(report.remaining)) == (4, {"the table refused it": 1})
    world.channels.rejects = lambda _: False
    report = world.run()
    assert (report.letters, report.already) == (1, 4)
    assert world.numbers == [100, 101, 102, 103, 104]


def several_rows(world: World) -> None:
    """One letter of three rows, of which the table refuses the second, and keeps no rejected rows."""
    world.format = {"type": "json_lines"}
    world.letters = [letter(100, b'{"a":0}\n{"a":1}\n{"a":2}', reason="too-large")]
    world.fixed = lambda data: data
    world.keeps_rejected = False
    world.channels.rejects = lambda row: b'"a":1' in row


def test_a_letter_of_which_the_table_refused_a_row_stays_one_until_all_of_it_is_in(world: World) -> None:
    several_rows(world)
    for is_first in (True, False):
        report = world.run()
        assert (report.letters, report.rows, report.already) == (0, 2 if is_first else 0, 0)
        assert dict(report.remaining) == {"the table refused it": 1}
    world.channels.rejects = lambda _: False
    report = world.run()
    assert (report.letters, report.rows, dict(report.remaining)) == (1, 1, {})
    assert [row[-6:] for row in sorted(world.rows)] == [b'"a":0}', b'"a":1}', b'"a":2}']
    report = world.run()
    assert (report.letters, report.rows, report.already) == (0, 0, 1)


def test_the_rest_of_a_letter_goes_alone_also_where_the_table_keeps_rejected_rows_by_now(world: World) -> None:
    several_rows(world)
    world.run()
    world.keeps_rejected, world.channels.rejects = True, lambda _: False
    world.letters.append(letter(200, b'{"a":7}\n{"a":8}'))
    report = world.run()
    assert (report.letters, report.rows) == (2, 3)
    assert len(world.rows) == len(set(world.rows)) == 5


def test_the_rest_of_a_letter_is_only_sent_while_it_has_as_many_rows_as_before(world: World) -> None:
    several_rows(world)
    world.run()
    world.channels.rejects = lambda _: False
    world.fixed = lambda data: data.partition(b"\n")[2]
    report = world.run()
    assert (report.letters, report.rows, list(report.remaining)) == (0, 0, ["other rows"])
    assert len(world.rows) == 2


@pytest.mark.parametrize("kill", ["before append", "after append", "before create", "after create"])
def test_of_a_letter_of_several_rows_each_goes_in_once_wherever_a_replay_is_killed(world: World, kill: str) -> None:
    several_rows(world)
    world.channels.rejects = lambda _: False
    for seen in range(20):
        with suppress(Killed):
            world.run(when(kill, partial(at_place(seen, die), kill)))
            break
    assert sorted(row[-6:] for row in world.rows) == [b'"a":0}', b'"a":1}', b'"a":2}']
    assert world.run().already == 1


def test_of_a_record_that_is_partly_in_the_table_only_the_other_rows_are_sent() -> None:
    made = made_of(letter(1, LINES, row=1, reason="refused"))
    assert [bytes(row).partition(b"},")[2] for row in made.rows] == [b'"a":1}', b'"a":2}']
    assert [b'"row":%d' % number in bytes(row) for number, row in enumerate(made.rows, start=1)] == [True, True]


def test_what_was_refused_while_the_table_kept_none_stays_a_letter_though_it_keeps_them_by_now(world: World) -> None:
    """The first replay is killed between its proof and its word; error logging is on again when the next one comes."""
    world.keeps_rejected = False
    world.channels.rejects = lambda row: b"100" in row
    begun(world)
    world.keeps_rejected, world.channels.rejects = True, lambda _: False
    assert world.run().letters == 5
    assert world.numbers == [100, 101, 102, 103, 104], "it was free again, and went once more"


LINES = b'{"a":0}\n{"a":1}\n{"a":2}'
NO_ZERO = {"type": "filter", "field": "a", "one_of": [0]}


def half_refused(**changes: object) -> DeadLetter:
    """The first of three rows is in the table."""
    return msgspec.structs.replace(letter(1, LINES, row=1, reason="refused"), **{"rows": 3, **changes})


def made_of(one: DeadLetter, data: bytes | None = None, *transforms: object) -> Conversion:
    lines = pipeline(stream="orders", format={"type": "json_lines"}, transforms=list(transforms))
    return DeadLetterConverter(lines, "shardId-0").make(one, data)


def test_a_filter_that_came_since_leaves_no_row_out_of_a_record_that_is_partly_in_the_table() -> None:
    assert len(made_of(half_refused()).rows) == 2
    made = made_of(half_refused(), None, NO_ZERO)
    assert made.rows == ()
    assert "it had 3 rows, the first 1 of which are in the table, and has 2 now" in made.why_not


def test_a_repair_has_to_leave_such_a_record_as_many_rows() -> None:
    assert len(made_of(half_refused(), LINES.replace(b'"a":2', b'"b":2')).rows) == 2
    assert not made_of(half_refused(), LINES[8:]).rows
    assert not made_of(half_refused(), LINES + LINES).rows


def test_a_letter_of_an_older_engine_which_does_not_tell_its_rows_goes_only_where_none_can_be_left_out() -> None:
    assert len(made_of(half_refused(rows=msgspec.UNSET)).rows) == 2
    made = made_of(half_refused(rows=msgspec.UNSET), None, NO_ZERO)
    assert made.rows == ()
    assert "without transforms" in made.why_not


def test_a_record_that_was_refused_in_whole_may_become_what_it_likes() -> None:
    whole = msgspec.structs.replace(letter(1, LINES, reason="refused"), rows=3)
    assert len(made_of(whole, None, NO_ZERO).rows) == 2


def test_a_channel_is_given_back_whatever_ends_the_replay(world: World) -> None:
    seen: list[str] = []
    world.run(seen.append)
    assert "after close" in seen


def test_a_batch_of_another_shard_is_none_of_this_ones(world: World) -> None:
    world.run()
    kept = world.objects.kept
    (name,) = [name for name in kept if name.endswith("gz")]
    kept[name.replace("0000000001", "0000000002")] = kept[name]
    world.letters.append(letter(200))
    with pytest.raises(JournalUnreadable, match="it is the batch 1 of orders"):
        world.run()
