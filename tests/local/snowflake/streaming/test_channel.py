"""One channel's sequencers: who may append, what a repeat does, what an opening discards."""

from datetime import UTC, datetime

import pytest

from firnline_local.snowflake.catalog import Pipe, Table
from firnline_local.snowflake.streaming.channel import Append, Continuation, StreamingChannel
from firnline_local.snowflake.streaming.errors import StaleContinuation

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def channel() -> StreamingChannel:
    table = Table(id=1, name="T", container=None, owner=None, created_on=NOON, columns=[])
    pipe = Pipe(
        id=2,
        name="T-STREAMING",
        container=None,
        owner=None,
        created_on=NOON,
        table=table,
        definition="",
        is_default=True,
    )
    return StreamingChannel(id=7, name="c", pipe=pipe, role="INGEST", created_on=NOON, last_used=NOON)


def opened(channel: StreamingChannel) -> Continuation:
    channel.reopen("INGEST", offset_token=None, fail_on_uncommitted_rows=False)
    return channel.continuation


def rows(number: int) -> Append:
    return Append(request_id=f"r{number}", start_token=None, end_token=str(number), rows=b"{}\n", accepted_at=0)


def test_each_append_has_to_carry_the_token_of_the_one_before_and_changes_nothing_with_an_earlier_one(
    channel: StreamingChannel,
) -> None:
    first = opened(channel)
    channel.accept(first, rows(1))
    second = channel.continuation
    channel.accept(second, rows(2))
    channel.accept(first, rows(3))
    channel.accept(second, rows(2))

    with pytest.raises(StaleContinuation):
        channel.accept(Continuation(channel.id, channel.client_sequencer, channel.row_sequencer + 1), rows(3))
    assert [append.end_token for append in channel.pending] == ["1", "2"]


def test_a_repeat_is_recognised_after_its_rows_were_committed(channel: StreamingChannel) -> None:
    token = opened(channel)
    channel.accept(token, rows(1))
    channel.commit(channel.pending[0], inserted=1, errors=[], at=NOON, now=1)
    channel.accept(token, rows(1))

    assert not channel.pending
    assert channel.rows_inserted == 1


def test_an_append_without_a_token_leaves_the_committed_one(channel: StreamingChannel) -> None:
    channel.reopen("INGEST", offset_token="41", fail_on_uncommitted_rows=True)
    append = Append(request_id="r", start_token=None, end_token=None, rows=b"{}\n", accepted_at=0)
    channel.accept(channel.continuation, append)
    channel.commit(append, inserted=1, errors=[], at=NOON, now=0)

    assert channel.offset_token == "41"


@pytest.mark.parametrize("token", ["", "1_2", "1_2_3_4", "a_b_c", "1_2_-3", "१_1_1x"])
def test_a_token_that_the_service_never_gave_is_stale(token: str) -> None:
    with pytest.raises(StaleContinuation):
        Continuation.read(token)
