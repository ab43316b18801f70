"""Open, append, commit, status, reopen, drop: what exactly once rests on."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

World = Any  # of conftest.py

pytestmark = pytest.mark.contract

GONE = "ERR_CHANNEL_DOES_NOT_EXIST_OR_NOT_AUTHORIZED"
"""The SDK's own word for a channel that a status doesn't mention."""


def test_rows_that_were_appended_are_committed_with_their_token(world: World) -> None:
    table = world.table("ID NUMBER", "NAME VARCHAR")
    channel, status = world.client().open_channel("shard-0")
    assert (status.status_code, status.latest_committed_offset_token) == ("SUCCESS", None)

    channel.append_rows([{"id": 1, "name": "a"}, {"id": 2}], "1", "2")
    channel.append_row({"ID": 3}, "3")
    world.wait_for_commit(channel, "3")

    assert world.rows(table) == [(1, "a"), (2, None), (3, None)]
    status = channel.get_channel_status()
    assert (status.rows_inserted_count, status.rows_parsed_count, status.rows_error_count) == (3, 3, 0)
    assert (status.database_name, status.schema_name) == ("DB", world.schema.name)
    assert (status.pipe_name, status.channel_name) == ("ORDERS-STREAMING", "shard-0")
    assert abs((status.created_on - world.catalog.clock().astimezone().replace(tzinfo=None)).total_seconds()) < 60


def test_opening_again_returns_the_committed_token_and_the_counters_go_on(world: World) -> None:
    world.table()
    channel = world.ingest({"id": 1})

    channel, status = world.client().open_channel("c")
    assert (status.latest_committed_offset_token, status.rows_inserted_count) == ("1", 1)
    channel.append_row({"id": 2}, "2")
    world.wait_for_commit(channel, "2")
    assert channel.get_channel_status().rows_inserted_count == 2


def test_a_second_opener_fences_the_first(world: World) -> None:
    from snowflake.ingest.streaming import StreamingIngestError

    table = world.table()
    first, _ = world.client().open_channel("c")
    second, _ = world.client().open_channel("c")

    first.append_row({"id": 1}, "1")
    with pytest.raises(StreamingIngestError, match="STALE_CONTINUATION_TOKEN_SEQUENCER") as refused:
        first.wait_for_flush(20)
    assert refused.value.error_code.value == "InvalidChannelError"
    with pytest.raises(StreamingIngestError, match="STALE_CONTINUATION_TOKEN_SEQUENCER"):
        first.append_row({"id": 1}, "1")

    second.append_row({"id": 2}, "2")
    world.wait_for_commit(second, "2")
    assert world.rows(table) == [(2,)]


def test_an_opening_waits_for_uncommitted_rows(world: World) -> None:
    table = world.table()
    channel, _ = world.client().open_channel("c")
    world.hold_commits()
    channel.append_row({"id": 1}, "1")
    channel.wait_for_flush(20)
    counts = world.snowflake.streaming.counts
    refused = counts.refused_opens

    patient = world.client(open_channel_409_retry_total_backoff_seconds=60)
    with ThreadPoolExecutor(1) as thread:
        opening = thread.submit(patient.open_channel, "c")
        world.wait_until(lambda: counts.refused_opens > refused)
        world.hold_commits(on=False)
        _, status = opening.result(20)

    assert status.latest_committed_offset_token == "1"
    assert world.rows(table) == [(1,)]


def test_an_opener_who_loses_patience_discards_uncommitted_rows_and_learns_where_to_go_on(world: World) -> None:
    table = world.table()
    channel = world.ingest({"id": 1})
    world.hold_commits()
    channel.append_row({"id": 2}, "2")
    channel.wait_for_flush(20)

    again, status = world.client(open_channel_409_retry_total_backoff_seconds=1).open_channel("c")
    world.hold_commits(on=False)
    assert status.latest_committed_offset_token == "1"
    again.append_row({"id": 3}, "3")
    world.wait_for_commit(again, "3")
    assert world.rows(table) == [(1,), (3,)]


def test_an_opening_can_set_the_token(world: World) -> None:
    world.table()
    channel, status = world.client().open_channel("c", "41")

    assert status.latest_committed_offset_token == "41"
    assert channel.get_latest_committed_offset_token() == "41"


def test_a_dropped_channel_forgets_its_token(world: World) -> None:
    table = world.table()
    client = world.client()
    channel, _ = client.open_channel("c")
    channel.append_row({"id": 1}, "1")
    world.wait_for_commit(channel, "1")
    client.drop_channel("c")

    world.wait_until(lambda: client.get_channel_statuses(["c"])["c"].status_code == GONE)
    _, status = client.open_channel("c")
    assert (status.latest_committed_offset_token, status.rows_inserted_count) == (None, 0)
    assert world.rows(table) == [(1,)]


def test_closing_flushes_and_keeps_the_channel(world: World) -> None:
    table = world.table()
    client = world.client()
    channel, _ = client.open_channel("c")
    channel.append_row({"id": 1}, "1")
    channel.close()

    world.wait_until(lambda: client.get_latest_committed_offset_tokens(["c"])["c"] == "1")
    assert world.rows(table) == [(1,)]


def test_names_may_hold_what_a_path_may_not(world: World) -> None:
    world.table(name="My Orders/2026")
    client = world.client('"My Orders/2026-STREAMING"')
    channel, status = client.open_channel("stream@1/shard~0 ü")
    channel.append_row({"id": 1}, "1")
    world.wait_for_commit(channel, "1")

    assert status.channel_name == "stream@1/shard~0 ü"
    assert status.pipe_name == "My Orders/2026-STREAMING"


def test_many_channels_of_a_pipe_keep_their_own_tokens(world: World) -> None:
    table = world.table()
    client = world.client()
    channels = {f"c{number}": client.open_channel(f"c{number}")[0] for number in range(20)}
    for number, channel in enumerate(channels.values()):
        channel.append_rows([{"id": number}], None, f"t{number}")

    expected = {name: f"t{number}" for number, name in enumerate(channels)}
    world.wait_until(lambda: client.get_latest_committed_offset_tokens(list(channels)) == expected)
    assert sorted(world.rows(table)) == [(number,) for number in range(20)]


def test_a_replaced_table_swallows_rows_and_only_the_status_shows_it(world: World) -> None:
    from snowflake.ingest.streaming import StreamingIngestError

    world.table()
    before = world.snowflake.streaming.counts.rows_into_nowhere
    client = world.client()
    channel, _ = client.open_channel("c")
    replacement = world.table(replace=True)
    channel.append_row({"id": 1}, "1")
    channel.wait_for_flush(20)

    assert client.get_channel_statuses(["c"])["c"].status_code == GONE
    with pytest.raises(StreamingIngestError) as refused:
        channel.get_channel_status()
    assert refused.value.error_code.value == "ChannelNotFound"
    assert world.rows(replacement) == []
    assert world.snowflake.streaming.counts.rows_into_nowhere > before


def test_appends_to_a_table_that_was_dropped_invalidate_the_channel(world: World) -> None:
    from snowflake.ingest.streaming import StreamingIngestError

    table = world.table()
    channel, _ = world.client().open_channel("c")
    world.catalog.directory.drop(table)

    assert channel.get_channel_status().status_code == "ERR_TABLE_DOES_NOT_EXIST_NOT_AUTHORIZED"
    channel.append_row({"id": 1}, "1")
    with pytest.raises(StreamingIngestError, match="ERR_TABLE_DOES_NOT_EXIST_NOT_AUTHORIZED"):
        channel.wait_for_flush(20)
