"""Counters and tokens that don't move together: proofs come later, and nothing that is right is refused.

A channel is simulated on a clock of its own: requests commit in order, and an answer may have the token of one moment
and the counters of another.
"""

import random
from dataclasses import dataclass, field

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
HOUR_S = 3600
REJECTED = 7  # each row whose number this divides is rejected by the table


def state_of(rows: int) -> ChannelState:
    """Returns what a channel says that has committed the rows 1 to `rows`."""
    rejected = rows // REJECTED
    return ChannelState(Position(rows) if rows else None, rows - rejected, rejected)


@dataclass
class Channel:
    """Rows are numbered from 1; `commits` has how many rows there were after each commit."""

    rows: InFlightRows = field(default_factory=lambda: InFlightRows(KEY, Proven(), None))
    sent: int = 0
    commits: list[int] = field(default_factory=lambda: [0])

    def send(self, count: int) -> None:
        numbers = range(self.sent + 1, self.sent + count + 1)
        self.rows.add(Chunk(Position(numbers[-1]), RowPositions([str(number) for number in numbers]), 100 * count))
        self.sent += count

    def commit(self, rows: int | None = None) -> None:
        self.commits.append(self.sent if rows is None else rows)

    def answer(self, *, token: int = 0, counters: int = 0) -> ChannelState:
        """Returns the state as it was `token` commits ago, with the counters of `counters` commits ago."""
        before = self.commits[max(0, len(self.commits) - 1 - token)]
        counted = state_of(self.commits[max(0, len(self.commits) - 1 - counters)])
        return ChannelState(state_of(before).committed, counted.rows_inserted, counted.rows_error)

    def ask(self, now_s: float, *, token: int = 0, counters: int = 0) -> None:
        confirmed = self.rows.confirm(self.answer(token=token, counters=counters), now_s)
        if confirmed is not None:
            counted = state_of(confirmed.position.sequence_number)
            assert confirmed == Proven(counted.committed, counted.rows_inserted, counted.rows_error)
            self.rows.accept(confirmed)

    @property
    def proven(self) -> int:
        position = self.rows.proven.position
        return position.sequence_number if position else 0


@pytest.mark.parametrize(("token", "counters"), [(0, 1), (1, 0), (0, 3)])
def test_what_trails_by_commits_for_an_hour_under_load_proves_everything_later(token: int, counters: int) -> None:
    channel = Channel()
    for second in range(HOUR_S):
        channel.send(10)
        channel.commit()
        channel.ask(second, token=token, counters=counters)
        assert channel.sent - channel.proven <= 40
    channel.ask(HOUR_S)
    assert channel.rows.is_empty
    assert channel.rows.read_through == Position(channel.sent)


def test_counters_that_trail_at_four_answers_of_five_never_stop_a_shard() -> None:
    chance = random.Random(1)
    channel = Channel()
    for second in range(HOUR_S):
        channel.send(chance.randint(1, 20))
        channel.commit()
        channel.ask(second, counters=1 if chance.random() < 0.8 else 0)
    channel.ask(HOUR_S)
    assert channel.rows.is_empty


@pytest.fixture
def channel() -> Channel:
    return Channel()


def test_counters_between_two_tokens_prove_the_rows_that_they_count(channel: Channel) -> None:
    channel.send(10)
    assert channel.rows.confirm(ChannelState(Position(10), 4), 0.0) == Proven(Position(4), 4)


def gone_back(channel: Channel) -> None:
    """To the answer before all that was proven."""
    for second in range(3):
        channel.send(5)
        channel.commit()
        channel.ask(second)
    channel.ask(3, token=2, counters=2)


def test_a_token_that_goes_back_for_an_answer_is_waited_for(channel: Channel) -> None:
    gone_back(channel)
    channel.ask(3 + TIMEOUT_S, token=2, counters=2)
    channel.ask(4 + TIMEOUT_S)
    channel.ask(5 + TIMEOUT_S, token=2, counters=2)
    assert channel.proven == 15


def test_a_token_that_stays_behind_what_was_proven_stops_the_shard(channel: Channel) -> None:
    gone_back(channel)
    with pytest.raises(LedgerBehind):
        channel.ask(3.1 + TIMEOUT_S, token=2, counters=2)


def test_rows_that_are_never_counted_stop_the_shard_once_nothing_more_comes(channel: Channel) -> None:
    channel.send(10)
    lacking = ChannelState(Position(10), 8)
    confirmed = channel.rows.confirm(lacking, 0.0)
    assert confirmed is not None
    channel.rows.accept(confirmed)
    assert channel.rows.confirm(lacking, TIMEOUT_S) is None
    with pytest.raises(CountsDisagree, match="sent 2 rows"):
        channel.rows.confirm(lacking, TIMEOUT_S + 0.1)


def test_more_than_was_ever_sent_stops_the_shard_at_once(channel: Channel) -> None:
    channel.send(3)
    with pytest.raises(CountsDisagree, match="sent 3 rows"):
        channel.rows.confirm(ChannelState(Position(3), 4), 0.0)


def test_errors_that_are_counted_before_the_token_comes_belong_to_no_row_yet(channel: Channel) -> None:
    channel.send(10)
    assert channel.rows.confirm(ChannelState(Position(5), 9, 1), 0.0) is None
    assert channel.rows.confirm(ChannelState(Position(10), 9, 1), 1.0) == Proven(Position(10), 9, 1)


steps = st.tuples(
    st.integers(0, 9),  # rows sent
    st.booleans(),  # whether all that was sent is committed
    st.integers(0, 3),  # commits that the token trails
    st.integers(0, 3),  # commits that the counters trail
)


@given(st.lists(steps, max_size=60))
def test_whatever_trails_is_proven_with_its_own_counts_and_never_refused(
    moves: list[tuple[int, bool, int, int]],
) -> None:
    channel = Channel()
    for second, (count, is_committed, token, counters) in enumerate(moves):
        if count:
            channel.send(count)
        if is_committed and channel.sent > channel.commits[-1]:
            channel.commit()
        before = channel.proven
        channel.ask(second % 25, token=token, counters=counters)
        assert before <= channel.proven <= channel.commits[-1]
    channel.commit()
    channel.ask(100)
    assert channel.proven == channel.sent
    assert channel.rows.is_empty


@given(st.lists(st.integers(1, 9), min_size=1, max_size=20), st.data())
def test_a_token_may_cut_an_append_anywhere(sizes: list[int], data: st.DataObject) -> None:
    channel = Channel()
    for second, size in enumerate(sizes):
        channel.send(size)
        channel.commit(data.draw(st.integers(channel.commits[-1], channel.sent)))
        channel.ask(second, counters=data.draw(st.integers(0, 2)))
        assert channel.proven <= channel.commits[-1]
    channel.commit()
    channel.ask(len(sizes))
    assert channel.rows.is_empty
