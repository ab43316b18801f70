"""Tests of what is handed to a channel, how fast, and what a proof tells of rejected rows; what it proves is
test_in_flight.py's.
"""

from dataclasses import dataclass, field
from itertools import count
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.start import After, TrimHorizon
from firnline_ingest.ledger.reconcile import Case, Resume
from firnline_ingest.ledger.row import Proven, ShardRow
from firnline_ingest.records.rows import Rows
from firnline_ingest.shard.append_bisection import AppendBisection
from firnline_ingest.shard.channel_writer import ChannelWriter
from firnline_ingest.shard.opening import ResumedChannel
from firnline_ingest.shard.receipt import Tally
from firnline_ingest.snowflake.errors import SnowflakeUnavailable
from firnline_ingest.snowflake.in_flight import Chunk
from firnline_ingest.snowflake.row_positions import RowPositions
from firnline_ingest.snowflake.sending import APPEND_BYTES, UNSENT_BYTES, Pace, SendWindow
from firnline_ingest.values import ChannelState, Position
from tests.ingest.shard.conftest import World

UNCOUNTED: Any = SimpleNamespace(counted_of=lambda _: Position(0), counts=lambda *_: None, sent=lambda *_: None)


def writer_of(world: World, channel: Any, resume: Resume, *, read_through: Position | None = None, **more: Any) -> Any:
    work = world.work()
    return ChannelWriter(
        ResumedChannel(work.destinations[0], channel, resume),
        ShardRow(key=work.key, start=TrimHorizon(), read_through=read_through),
        work=work,
        services=world.services(),
        bisection=AppendBisection(work.channel),
        before_append=lambda _: None,
        after_append=lambda: None,
        **more,
    )


def told(world: World, error_through: Position | None) -> list[tuple[int, str, str]]:
    """Rows up to 5 are proven, 6 to 9 were sent, and one of them was rejected."""
    world.configure(tolerance="all")
    found = list[tuple[int, str, str]]()
    state = ChannelState(Position(9), 8, 1, error_through=error_through)
    channel: Any = SimpleNamespace(state=lambda: state, last_error=lambda: "because")
    baseline = Proven(Position(5), 5)
    resume = Resume(Case.IN_STEP, After(Position(5)), baseline.position, baseline)
    report: Any = SimpleNamespace(
        counted_of=lambda _: Position(0),
        counts=lambda *_: None,
        sent=lambda *_: None,
        proved=lambda _: None,
        rejected=lambda *what: found.append(what),
    )
    writer = writer_of(world, channel, resume, read_through=Position(5), report=report)
    writer.in_flight.add(Chunk(Position(9), RowPositions(["6", "7", "8", "9"]), 400))
    assert writer.prove(0.0)
    return found


@pytest.mark.parametrize(
    ("error_through", "through"),
    [
        (Position(7), Position(7)),
        (Position(9), Position(9)),
        (None, Position(9)),
        (Position(5), Position(9)),  # the words trail the counters
        (Position(12), Position(9)),  # of rows that are not proven yet
    ],
    ids=str,
)
def test_a_rejected_row_is_told_with_the_last_place_that_it_can_have(
    world: World, error_through: Position | None, through: Position
) -> None:
    assert told(world, error_through) == [(1, "because", through.token)]


@dataclass
class SlowChannel:
    """Sends nothing until it is asked to flush."""

    unsent: list[int] = field(default_factory=list)
    most_unsent: int = 0
    flushes: int = 0
    answers: bool = True

    def append(self, rows: Any, *, start: str, end: str) -> None:
        self.unsent.append(sum(len(bytes(row)) for row in rows))
        self.most_unsent = max(self.most_unsent, sum(self.unsent))

    def flush(self, timeout_s: float) -> None:
        if not self.answers:
            raise SnowflakeUnavailable("take the rows", "no answer")
        self.flushes += 1
        self.unsent.clear()


an_hour_later = count(0, 3600).__next__  # a clock on which no append waits for its pace


def append(world: World, channel: Any, *, row_bytes: int, rows: int) -> None:
    records = [Record(str(number)) for number in range(1, rows + 1)]
    made = Rows([msgspec.Raw(b"x" * row_bytes)] * rows, [row_bytes] * rows, range(rows))
    first = Resume(Case.FIRST, TrimHorizon(), None, Proven())
    writer_of(world, channel, first, report=UNCOUNTED, pace=Pace(an_hour_later)).append(records, made, Tally())


def test_the_sdk_never_holds_more_than_it_sends_as_rows_however_slow_it_sends(world: World) -> None:
    channel = SlowChannel()
    append(world, channel, row_bytes=1000, rows=10_000)
    assert APPEND_BYTES < channel.most_unsent <= UNSENT_BYTES
    assert channel.flushes == 9


def test_what_fits_is_appended_without_waiting(world: World) -> None:
    channel = SlowChannel()
    append(world, channel, row_bytes=1000, rows=1000)
    assert channel.flushes == 0


def test_a_row_that_is_larger_than_the_window_goes_alone(world: World) -> None:
    channel = SlowChannel()
    append(world, channel, row_bytes=UNSENT_BYTES + 1, rows=3)
    assert channel.flushes == 2
    assert channel.unsent == [UNSENT_BYTES + 1]


def test_a_server_that_takes_nothing_is_said_and_nothing_more_is_appended(world: World) -> None:
    channel = SlowChannel(answers=False)
    with pytest.raises(SnowflakeUnavailable):
        append(world, channel, row_bytes=1000, rows=10_000)
    assert sum(channel.unsent) <= UNSENT_BYTES


def test_a_window_that_was_emptied_has_all_its_room() -> None:
    channel = SlowChannel()
    window = SendWindow(channel)
    window.make_room(UNSENT_BYTES)
    window.empty()
    window.make_room(UNSENT_BYTES)
    assert channel.flushes == 1
