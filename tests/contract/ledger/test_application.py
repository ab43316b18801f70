"""One suite for every ledger, in memory and in DynamoDB: runs, standbys, and what is said of streams and consumers."""

from dataclasses import replace

import pytest

from firnline_ingest.ledger.backend import Ledger, Run
from firnline_ingest.ledger.column_note import ColumnNote
from firnline_ingest.ledger.consumer import ConsumerRecord
from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.ledger.standby import BY_HAND, Standby, StandbyState

pytestmark = pytest.mark.contract


def test_a_run_is_replaced_only_as_it_was_seen(ledger: Ledger) -> None:
    first, second, third = Run("a", "engine a"), Run("b", "engine b"), Run("c", "engine c")
    assert ledger.begin_run(first, None)
    assert not ledger.begin_run(second, None)
    seen = ledger.current_run()
    ledger.beat("a")
    assert not ledger.begin_run(second, seen)
    seen = ledger.current_run()
    assert ledger.begin_run(second, seen)
    assert not ledger.begin_run(third, seen)
    assert ledger.beat("a") is None


def test_a_run_that_ended_leaves_the_application_free(ledger: Ledger) -> None:
    ledger.begin_run(Run("a", "engine a"), None)
    ledger.end_run("a")
    assert ledger.current_run() is None
    assert ledger.begin_run(Run("b", "engine b"), None)


def test_a_run_says_which_keys_it_uses_and_its_successor_begins_without_them(ledger: Ledger) -> None:
    assert ledger.begin_run(Run("one", "process 1"), None)
    ledger.show_fingerprints("one", ("SHA256:a", "SHA256:b"))
    found = ledger.current_run()
    assert found.fingerprints == ("SHA256:a", "SHA256:b")
    assert ledger.beat("one") == replace(found, beat=1)
    ledger.show_fingerprints("a stranger", ("SHA256:c",))
    assert ledger.current_run() == replace(found, beat=1)
    assert ledger.begin_run(Run("two", "process 2"), replace(found, beat=1))
    successor = ledger.current_run()
    assert successor.fingerprints == ()


def test_the_streams_that_were_begun_are_known_by_name(ledger: Ledger) -> None:
    assert ledger.begun_streams() == []
    for name in ("orders", "clicks-2", "clicks-1"):
        ledger.set_mark(name, StreamMark(f"{name}@1", since_ms=1), None)
    ledger.set_mark("matching clicks-.*", StreamMark("matching clicks-.*", since_ms=1), None)
    assert sorted(ledger.begun_streams()) == ["clicks-1", "clicks-2", "orders"]


def test_a_run_says_how_many_shards_it_has_no_room_for_and_its_successor_begins_without_them(ledger: Ledger) -> None:
    assert ledger.begin_run(Run("one", "process 1"), None)
    ledger.show_waiting("one", 7)
    ledger.show_waiting("a stranger", 9)
    assert ledger.beat("one") == Run("one", "process 1", beat=1, waiting=7)
    ledger.show_waiting("one", 0)
    assert ledger.current_run() == Run("one", "process 1", beat=1)
    ledger.show_waiting("one", 3)
    assert ledger.begin_run(Run("two", "process 2"), Run("one", "process 1", beat=1, waiting=3))
    assert ledger.current_run() == Run("two", "process 2")


def test_a_run_says_what_it_runs_with_for_as_long_as_it_has_the_application(ledger: Ledger) -> None:
    one = Run("one", "process 1", configuration="0123456789abcdef", version="0.1.0")
    assert ledger.begin_run(one, None)
    assert ledger.current_run() == one
    assert ledger.beat("one") == replace(one, beat=1)
    assert ledger.begin_run(Run("two", "process 2"), replace(one, beat=1))
    assert ledger.current_run() == Run("two", "process 2")


def test_a_stop_request_that_names_another_run_stops_nobody(ledger: Ledger) -> None:
    ledger.begin_run(Run("a", "engine a"), None)
    assert ledger.begin_run(Run("b", "engine b"), ledger.current_run())
    assert ledger.request_stop("a") is None
    beat = ledger.beat("b")
    assert beat.stop_requests == 0


def test_a_stop_request_is_seen_with_the_next_beat(ledger: Ledger) -> None:
    assert ledger.request_stop("a") is None
    ledger.begin_run(Run("a", "engine a"), None)
    ledger.request_stop("a")
    beat = ledger.beat("a")
    assert (beat.beat, beat.stop_requests) == (1, 1)


def test_a_standby_shows_itself_and_is_promoted_by_its_run(ledger: Ledger) -> None:
    assert ledger.standby() is None
    first, second = (Standby(run_id, f"process of {run_id}", f"start of {run_id}", "c0ffee", "1.0") for run_id in "ab")
    ledger.stand_by(first, ledger.standby())
    assert ledger.standby() == first
    assert not ledger.admit("b")
    assert ledger.beat_standby("b", StandbyState.READY, "") is None
    ready = replace(first, state=StandbyState.READY, told="in words", beat=1)
    assert ledger.beat_standby("a", StandbyState.READY, "in words") == ready
    assert ledger.admit("a")
    assert ledger.standby() == replace(ready, is_admitted=True)
    ledger.stand_by(second, ledger.standby())
    assert ledger.beat_standby("a", StandbyState.READY, "") is None
    assert not ledger.admit("a")
    assert ledger.standby() == second
    third = replace(second, run_id="c", displaced=("1-a", "2-b"))
    ledger.stand_by(third, ledger.standby())
    assert ledger.standby() == third


def test_a_standby_takes_the_row_from_exactly_what_it_has_seen_but_for_its_beats(ledger: Ledger) -> None:
    first, second, third = (Standby(run_id, f"process of {run_id}", f"start of {run_id}") for run_id in "abc")
    assert not ledger.stand_by(second, first)
    assert ledger.stand_by(first, None)
    assert not ledger.stand_by(second, None)
    assert not ledger.stand_by(second, third)
    ledger.beat_standby("a", StandbyState.READY, "")
    ledger.admit("a")
    assert not ledger.stand_by(second, first), "it was let in since"
    assert ledger.stand_by(second, replace(first, is_admitted=True)), "a beat takes nothing away"
    assert ledger.standby() == second


def test_a_person_s_command_leaves_what_the_last_engine_s_start_was(ledger: Ledger) -> None:
    ledger.begin_run(Run("a", "process of a", start="1-a", configuration="c0ffee"), None)
    ledger.end_run("a")
    for command in ("resume", "migrate"):
        assert ledger.begin_run(Run(command, "a person's", start=BY_HAND), None)
        assert ledger.last_start() == "1-a"
        ledger.end_run(command)
    assert ledger.last_start() == "1-a"
    ledger.begin_run(Run("b", "process of b", start=BY_HAND, configuration="c0ffee"), None)
    assert ledger.last_start() == BY_HAND


def test_the_last_start_is_known_after_its_engine_has_given_the_application_back(ledger: Ledger) -> None:
    assert ledger.last_start() == ""
    assert ledger.begin_run(Run("a", "process of a", start="1-a"), None)
    ledger.end_run("a")
    assert (ledger.current_run(), ledger.last_start()) == (None, "1-a")
    assert ledger.begin_run(Run("b", "process of b"), None)
    assert ledger.last_start() == ""


def test_a_stream_is_paused_in_its_mark_and_stays_so_until_it_is_resumed(ledger: Ledger) -> None:
    assert ledger.pause("events", True) is False, "nobody has read it yet"
    first = StreamMark("events@1", "h", (Incident(IncidentKind.RESUMED, 5, "begun anew"),))
    ledger.set_mark("events", first, None)
    assert ledger.pause("events", True)
    assert ledger.mark("events") == replace(first, is_paused=True)
    again = replace(first, incarnation="events@2", is_paused=True)
    assert ledger.set_mark("events", again, first) == again
    assert ledger.mark("events") == again
    assert ledger.pause("events", False)
    assert ledger.mark("events") == replace(again, is_paused=False)


def test_a_mark_that_is_set_while_a_person_pauses_its_stream_stays_paused(ledger: Ledger) -> None:
    """An engine, or the decision to begin anew, may have read it before."""
    first, second = StreamMark("events@1"), StreamMark("events@2", "h")
    assert ledger.set_mark("events", replace(first, is_paused=True), None) == first
    assert ledger.pause("events", True)
    assert ledger.set_mark("events", second, first) == replace(second, is_paused=True)
    assert ledger.mark("events") == replace(second, is_paused=True)


def test_a_streams_mark_is_set_by_whoever_knows_the_one_before(ledger: Ledger) -> None:
    first = StreamMark("events@1")
    second = StreamMark("events@2", "h", (Incident(IncidentKind.RESUMED, 5, "begun anew"),))
    assert ledger.mark("events") is None
    assert ledger.set_mark("events", first, None) == first
    assert ledger.set_mark("events", second, None) == first, "somebody was faster"
    assert ledger.set_mark("events", second, first) == second
    assert (ledger.mark("events"), ledger.mark("other")) == (second, None)


def test_a_consumers_record_is_replaced_and_forgotten_only_as_it_was_seen(ledger: Ledger) -> None:
    asked = ConsumerRecord("events", "mine", "one", 1_700_000_000_000)
    assert (ledger.consumer("events", "mine"), ledger.consumers()) == (None, [])
    assert ledger.set_consumer(asked, None)
    assert not ledger.set_consumer(replace(asked, id="two"), None), "somebody was faster"
    heard = replace(asked, arn="arn:aws:kinesis:us-east-1:1:stream/events/consumer/mine:1700000000")
    assert ledger.set_consumer(heard, asked)
    assert not ledger.set_consumer(replace(asked, id="two"), asked)
    other = replace(asked, name="other")
    assert ledger.set_consumer(other, None)
    assert (ledger.consumer("events", "mine"), ledger.consumers()) == (heard, [heard, other])
    ledger.forget_consumer(asked)
    assert ledger.consumer("events", "mine") == heard
    ledger.forget_consumer(heard)
    assert ledger.consumers() == [other]


def test_a_note_of_a_tables_columns_takes_the_place_of_the_one_that_was_seen(ledger: Ledger) -> None:
    begun = ColumnNote.begun("2026", ["A"], evolves=False)
    assert ledger.column_note("DB.RAW.T") is None
    assert ledger.note_columns("DB.RAW.T", begun, None)
    assert ledger.column_note("DB.RAW.T") == begun
    changed = begun.after(["A", "B"], evolves=False, now_ms=5)
    assert ledger.note_columns("DB.RAW.T", changed, begun)
    assert ledger.note_columns("DB.RAW.T", changed, begun), "the answer was lost, and it was asked again"
    assert not ledger.note_columns("DB.RAW.T", begun.after([], evolves=False, now_ms=6), begun), "another was faster"
    assert ledger.column_note("DB.RAW.T") == changed
    assert ledger.column_note("DB.RAW.U") is None
