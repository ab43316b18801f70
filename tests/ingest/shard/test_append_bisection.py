"""Tests of what a shard does differently after its channel was lost, step by step, on a channel of the test's own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.kinesis.page import Record
from firnline_ingest.shard.append_bisection import LONGEST_WAIT, SMALLER, UNEXPLAINED, AppendBisection
from firnline_ingest.snowflake.channel_errors import AppendsRefused, ChannelLost, ChannelStalled
from firnline_ingest.snowflake.in_flight import Chunk
from firnline_ingest.snowflake.row_positions import RowPositions
from firnline_ingest.values import Position

MOST_AT_ONCE = 1000


def chunk(first: int, last: int) -> Chunk:
    return Chunk(Position(last), RowPositions([str(number) for number in range(first, last + 1)]), last - first + 1)


@dataclass
class Run:
    """A shard of so many records; `costs` tells whether the channel is lost with these."""

    records: int
    costs: Callable[[Sequence[int]], bool]
    message: str = "the service's words"
    bisection: AppendBisection = field(default_factory=lambda: AppendBisection("channel"))
    committed: int = 0
    losses: int = 0

    def finish(self) -> None:
        while not self._go_on():
            self.losses += 1
            assert self.losses < 1000
            self.bisection.opened(Position(self.committed) if self.committed else None)

    def _go_on(self) -> bool:
        """Returns whether everything went; else what was in flight is told, as a session does."""
        read = [Record(str(number)) for number in range(self.committed + 1, self.records + 1)]
        while read:
            count = self.bisection.records_at_once(read)
            some, read = read[:count], read[count:]
            numbers = [int(record.SequenceNumber) for record in some]
            if Position(numbers[0]) in self.bisection.refused:
                assert count == 1
            elif self.costs(numbers):
                behind = (
                    chunk(numbers[-1] + 1, self.records) if not self.bisection.is_needed_for(some) and read else None
                )
                self.bisection.lost(
                    ChannelLost("channel", "why", server_message=self.message),
                    [chunk(numbers[0], numbers[-1]), *([behind] if behind else [])],
                )
                return False
            else:
                self.bisection.passed()
            self.committed = numbers[-1]
        return True


@given(st.sets(st.integers(1, MOST_AT_ONCE), max_size=5))
def test_only_records_that_cost_the_channel_by_themselves_are_refused(bad: set[int]) -> None:
    run = Run(MOST_AT_ONCE, lambda numbers: any(number in bad for number in numbers))
    run.finish()
    assert {position.sequence_number for position in run.bisection.refused} == bad
    assert run.losses <= 2 + len(bad) * (len(SMALLER) + 3)


@pytest.mark.parametrize(("most", "losses"), [(300, 3), (100, 8), (10, 40), (1, 300)])
def test_what_goes_in_smaller_appends_is_refused_nowhere(most: int, losses: int) -> None:
    run = Run(MOST_AT_ONCE, lambda numbers: len(numbers) > most)
    run.finish()
    assert run.bisection.refused == {}
    assert run.losses <= losses


def test_a_channel_that_is_lost_once_changes_nothing() -> None:
    bisection = AppendBisection("channel")
    bisection.lost(ChannelLost("channel", "why"), [chunk(1, 10)])
    bisection.opened(None)
    assert bisection.records_at_once([Record(str(number)) for number in range(1, 11)]) == 10


def test_a_channel_that_is_lost_with_nothing_in_flight_blames_no_row() -> None:
    bisection = AppendBisection("channel")
    for _ in range(10):
        bisection.lost(ChannelLost("channel", "why"), [chunk(1, 10)])
        bisection.opened(Position(10))
    assert bisection.records_at_once([Record(str(number)) for number in range(11, 21)]) == 10


def test_trouble_that_is_not_the_rows_gives_up_three_records_and_no_more() -> None:
    run = Run(10, lambda numbers: True, message="")
    with pytest.raises(AppendsRefused):
        run.finish()
    assert len(run.bisection.refused) == UNEXPLAINED


def test_the_wait_for_a_commit_doubles_where_it_was_too_short_and_begins_anew_further_on() -> None:
    bisection = AppendBisection("channel")
    bisection.opened(Position(1))
    waits = []
    for _ in range(8):
        waits.append(bisection.commit_timeout_factor)
        bisection.lost(ChannelStalled.after("channel", 120), [chunk(2, 3)])
        bisection.opened(Position(1))
    assert waits == [1, 2, 4, 8, 16, 32, LONGEST_WAIT, LONGEST_WAIT]
    assert bisection.refused == {}
    bisection.opened(Position(2))
    assert bisection.commit_timeout_factor == 1
