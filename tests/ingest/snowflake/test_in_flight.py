from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.ledger.errors import LedgerBehind
from firnline_ingest.ledger.row import Proven
from firnline_ingest.snowflake.channel_errors import CountsDisagree
from firnline_ingest.snowflake.in_flight import TIMEOUT_S, Chunk, InFlightRows
from firnline_ingest.snowflake.row_positions import RowPositions
from firnline_ingest.values import ChannelState, Position, ShardKey

KEY = ShardKey("events", 1, "shardId-000000000000")


def chunk(*numbers: int, end: int | None = None) -> Chunk:
    return Chunk(Position(end or numbers[-1]), RowPositions([str(n) for n in numbers]), 100 * len(numbers))


def in_flight(proven: int | None = None, rows: int = 0, read_through: int | None = None) -> InFlightRows:
    baseline = Proven(Position(proven) if proven else None, rows)
    return InFlightRows(KEY, baseline, Position(read_through) if read_through else None)


@pytest.fixture
def rows() -> InFlightRows:
    return in_flight()


def test_a_range_is_proven_when_the_token_reached_it_and_the_counters_grew_by_its_rows(rows: InFlightRows) -> None:
    rows.add(chunk(1, 2, 3))
    confirmed = rows.confirm(ChannelState(Position(3), 3), 0.0)
    assert confirmed == Proven(Position(3), 3)
    rows.accept(confirmed)
    assert rows.is_empty
    assert rows.read_through == Position(3)
    assert rows.bytes == 0


def test_nothing_is_proven_beyond_the_counters_while_they_trail_the_token(rows: InFlightRows) -> None:
    rows.add(chunk(1, 2, 3))
    assert rows.confirm(ChannelState(Position(3)), 0.0) is None
    assert rows.confirm(ChannelState(Position(3), 2), 0.0) == Proven(Position(2), 2)
    assert rows.confirm(ChannelState(Position(3), 3), 1.0) == Proven(Position(3), 3)


def test_counters_that_stay_away_stop_the_shard(rows: InFlightRows) -> None:
    rows.add(chunk(1, 2, 3))
    assert rows.confirm(ChannelState(Position(3)), 10.0) is None
    assert rows.confirm(ChannelState(Position(3)), 10.0 + TIMEOUT_S) is None
    with pytest.raises(CountsDisagree, match="sent 3 rows"):
        rows.confirm(ChannelState(Position(3)), 10.1 + TIMEOUT_S)


def test_an_answer_that_is_given_again_is_no_reason_to_stop() -> None:
    """A status that the SDK has asked for, and that has not come for a while: nobody knows what was counted meanwhile."""
    rows = in_flight(proven=2, rows=2)
    rows.add(chunk(3, 4))
    for committed in (Position(4), Position(1)):
        same = ChannelState(committed, 2, answered_s=7.0)
        assert rows.confirm(same, 0.0) is None
        assert rows.confirm(same, 2 * TIMEOUT_S) is None, "the answer is the same"
        assert rows.confirm(replace(same, answered_s=8.0), 3 * TIMEOUT_S) is None, "the first one after a silence"
        assert rows.confirm(replace(same, answered_s=9.0), 4 * TIMEOUT_S) is None
        with pytest.raises((CountsDisagree, LedgerBehind)):
            rows.confirm(replace(same, answered_s=10.0), 4.1 * TIMEOUT_S)


def test_patience_begins_anew_with_each_token(rows: InFlightRows) -> None:
    rows.add(chunk(1, 2))
    assert rows.confirm(ChannelState(Position(2)), 0.0) is None
    rows.accept(rows.confirm(ChannelState(Position(2), 2), 20.0) or Proven())
    rows.add(chunk(3))
    assert rows.confirm(ChannelState(Position(3), 2), 2 * TIMEOUT_S) is None


def test_a_new_baseline_counts_what_is_in_flight_from_there(rows: InFlightRows) -> None:
    rows.add(chunk(1, 2))
    rows.add(chunk(3, 4))
    rows.rebase(Proven(Position(2), 100, 7))
    assert rows.read_through == Position(2)
    assert rows.confirm(ChannelState(Position(4), 102, 7), 0.0) == Proven(Position(4), 102, 7)


def test_rejected_rows_count_as_confirmed_because_the_token_passes_them(rows: InFlightRows) -> None:
    rows.add(chunk(1, 2, 3))
    assert rows.confirm(ChannelState(Position(3), 2, 1), 0.0) == Proven(Position(3), 2, 1)


def test_behind_a_pipe_that_drops_or_multiplies_rows_the_token_alone_is_the_proof() -> None:
    for inserted in (0, 2, 30):
        rows = InFlightRows(KEY, Proven(), None, are_counted=False)
        rows.add(chunk(1, 2, 3, 4))
        assert rows.confirm(ChannelState(None, inserted), 0.0) is None
        rows.accept(rows.confirm(ChannelState(Position(2), inserted), 1.0) or Proven())
        assert (rows.read_through, rows.is_empty) == (Position(2), False)
        rows.accept(rows.confirm(ChannelState(Position(4), inserted), 2.0) or Proven())
        assert (rows.read_through, rows.is_empty) == (Position(4), True)


def test_there_a_row_that_is_counted_as_rejected_later_than_its_token_is_in_the_next_proof() -> None:
    rows = InFlightRows(KEY, Proven(), None, are_counted=False)
    rows.add(chunk(1, 2))
    rows.add(chunk(3))
    rows.accept(rows.confirm(ChannelState(Position(2)), 0.0) or Proven())
    assert rows.confirm(ChannelState(Position(2)), 1.0) is None
    assert rows.confirm(ChannelState(Position(2), 0, 1), 2.0) == Proven(Position(2), 0, 1)


def test_the_ledger_may_never_have_a_position_beyond_an_unproven_row() -> None:
    rows = in_flight(proven=10, rows=5, read_through=12)
    rows.add(chunk(13, 14, end=16))
    assert rows.accounted == Position(16)
    assert rows.read_through == Position(12)


def test_dead_letters_after_the_last_row_are_read_through_once_the_row_is_proven(rows: InFlightRows) -> None:
    rows.add(chunk(1, 2))
    rows.add(Chunk(Position(5), RowPositions(()), 0))
    assert rows.read_through is None
    rows.accept(Proven(Position(2), 2))
    assert rows.read_through == Position(5)


def test_what_dead_letters_alone_have_moved_does_not_go_back_when_rows_follow() -> None:
    rows = in_flight(proven=1, rows=1, read_through=1)
    rows.add(Chunk(Position(5), RowPositions(()), 0))
    assert rows.read_through == Position(5)
    rows.add(chunk(6, 7))
    assert rows.read_through == Position(5)


def test_a_token_inside_an_append_proves_the_rows_before_it(rows: InFlightRows) -> None:
    rows.add(chunk(1, 2, 3, 4))
    rows.accept(rows.confirm(ChannelState(Position(2), 2), 0.0) or Proven())
    assert rows.read_through == Position(2)
    assert not rows.is_empty
    assert rows.confirm(ChannelState(Position(4), 4), 0.0) == Proven(Position(4), 4)


def test_rows_that_a_proof_covers_already_are_not_waited_for() -> None:
    rows = in_flight(proven=10, rows=5, read_through=8)
    rows.add(chunk(9, 10))
    assert rows.is_empty
    assert rows.read_through == Position(10)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=12), st.data())
def test_whatever_the_order_of_commits_everything_is_proven_once(sizes: list[int], data: st.DataObject) -> None:
    rows, sent, committed = in_flight(), 0, 0
    for size in sizes:
        rows.add(chunk(*range(sent + 1, sent + size + 1)))
        sent += size
        committed = data.draw(st.integers(committed, sent))
        if committed and (confirmed := rows.confirm(ChannelState(Position(committed), committed), 0.0)):
            rows.accept(confirmed)
        if rows.read_through:
            assert rows.read_through.sequence_number == committed
    rows.accept(rows.confirm(ChannelState(Position(sent), sent), 0.0) or rows.proven)
    assert rows.is_empty
    assert rows.read_through == Position(sent)


def test_the_oldest_row_that_is_not_proven_says_since_when_a_proof_is_waited_for() -> None:
    rows = InFlightRows(KEY, Proven(), None)
    assert rows.waits_since_s is None
    for number, sent_s in ((1, 0.0), (2, 10.0), (3, 11.0)):
        rows.add(replace(chunk(number), sent_s=sent_s))
    assert rows.waits_since_s == 10.0
    rows.accept(Proven(Position(2), 2, 0))
    assert rows.waits_since_s == 11.0
