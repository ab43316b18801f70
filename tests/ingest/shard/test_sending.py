from dataclasses import dataclass, field
from itertools import count
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.reconcile import Case, Resume
from firnline_ingest.ledger.row import Proven, ShardRow
from firnline_ingest.records.rows import Rows
from firnline_ingest.shard.append_bisection import AppendBisection
from firnline_ingest.shard.channel_writer import ChannelWriter
from firnline_ingest.shard.opening import ResumedChannel
from firnline_ingest.shard.receipt import Tally
from firnline_ingest.shard.work import Destination
from firnline_ingest.snowflake.errors import SnowflakeUnavailable
from firnline_ingest.snowflake.sending import APPEND_BYTES, UNSENT_BYTES, Pace, SendWindow
from firnline_ingest.values import ShardKey


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


KEY = ShardKey("events", 1, "shardId-0")
an_hour_later = count(0, 3600).__next__  # a clock on which no append waits for its pace


def append(channel: Any, *, row_bytes: int, rows: int) -> None:
    records = [Record(str(number)) for number in range(1, rows + 1)]
    made = Rows([msgspec.Raw(b"x" * row_bytes)] * rows, [row_bytes] * rows, range(rows))
    work: Any = SimpleNamespace(key=KEY, end_of=lambda record: record.position)
    services: Any = SimpleNamespace(now_ms=lambda: 0)
    nobody: Any = None
    ChannelWriter(
        ResumedChannel(Destination(nobody, "channel"), channel, Resume(Case.FIRST, TrimHorizon(), None, Proven())),
        ShardRow(key=KEY, start=TrimHorizon()),
        work=work,
        services=services,
        report=nobody,
        bisection=AppendBisection("channel"),
        before_append=lambda _: None,
        after_append=lambda: None,
        pace=Pace(an_hour_later),
    ).append(records, made, Tally())


def test_the_sdk_never_holds_more_than_it_sends_as_rows_however_slow_it_sends() -> None:
    channel = SlowChannel()
    append(channel, row_bytes=1000, rows=10_000)
    assert APPEND_BYTES < channel.most_unsent <= UNSENT_BYTES
    assert channel.flushes == 9


def test_what_fits_is_appended_without_waiting() -> None:
    channel = SlowChannel()
    append(channel, row_bytes=1000, rows=1000)
    assert channel.flushes == 0


def test_a_row_that_is_larger_than_the_window_goes_alone() -> None:
    channel = SlowChannel()
    append(channel, row_bytes=UNSENT_BYTES + 1, rows=3)
    assert channel.flushes == 2
    assert channel.unsent == [UNSENT_BYTES + 1]


def test_a_server_that_takes_nothing_is_said_and_nothing_more_is_appended() -> None:
    channel = SlowChannel(answers=False)
    with pytest.raises(SnowflakeUnavailable):
        append(channel, row_bytes=1000, rows=10_000)
    assert sum(channel.unsent) <= UNSENT_BYTES


def test_a_window_that_was_emptied_has_all_its_room() -> None:
    channel = SlowChannel()
    window = SendWindow(channel)
    window.make_room(UNSENT_BYTES)
    window.empty()
    window.make_room(UNSENT_BYTES)
    assert channel.flushes == 1
