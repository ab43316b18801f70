"""Opening, appending, asking and dropping: who may, and what a channel belongs to."""

from datetime import timedelta
from typing import Any

import pytest

from firnline_local.snowflake.catalog import kinds
from firnline_local.snowflake.streaming.access import Address, Operation
from firnline_local.snowflake.streaming.channels import IDLE_LIFETIME
from firnline_local.snowflake.streaming.errors import (
    ChannelLimit,
    ChannelNotFound,
    DatabaseNotFound,
    PipeNotFound,
    TableNotFound,
    TooManyRequests,
    UncommittedRows,
)

Account = Any  # of conftest.py


def at(channel: str, pipe: str = "ORDERS-STREAMING") -> Address:
    return Address(Operation.OPEN, "DB", "PUBLIC", pipe, channel)


def statuses(account: Account, *names: str, pipe: str = "ORDERS-STREAMING") -> dict[str, str]:
    found = account.streaming.channels.statuses("INGEST", at("", pipe), names)
    return {channel.name: code for channel, code in found}


def test_a_default_pipe_needs_no_grant_and_comes_to_exist_by_opening(account: Account) -> None:
    table = account.table()
    assert table.default_pipe is None

    assert account.open().pipe is table.default_pipe


def test_the_default_pipe_of_a_quoted_table_has_the_suffix_inside_its_quotes(account: Account) -> None:
    table = account.table("My Orders")

    assert account.open(pipe='"My Orders-STREAMING"').pipe.table is table
    with pytest.raises(TableNotFound):
        account.open(pipe="My Orders-STREAMING")


def test_a_role_that_was_dropped_may_nothing_more(account: Account) -> None:
    account.table()
    channel = account.open()
    account.catalog.directory.drop(account.role)

    with pytest.raises(DatabaseNotFound):
        account.append(channel, "{}")


def test_a_channel_is_found_again_whatever_its_case_and_keeps_its_name(account: Account) -> None:
    account.table()
    channel = account.open("Shard-1")

    assert account.open("SHARD-1") is channel
    assert channel.client_sequencer == 2
    assert statuses(account, "Shard-1", "SHARD-1", "other") == {"Shard-1": "SUCCESS"}


def test_dropping_forgets_the_token_and_discards_what_waits(account: Account) -> None:
    table = account.table()
    channel = account.open()
    account.append(channel, "{}", end="1")
    account.commit()
    account.append(channel, "{}", end="2")

    with pytest.raises(UncommittedRows):
        account.streaming.channels.drop("INGEST", at("c"), fail_on_uncommitted_rows=True)
    account.streaming.channels.drop("INGEST", at("c"), fail_on_uncommitted_rows=False)
    with pytest.raises(ChannelNotFound):
        account.append(channel, "{}")
    with pytest.raises(ChannelNotFound):
        account.streaming.channels.drop("INGEST", at("c"), fail_on_uncommitted_rows=False)

    assert statuses(account, "c") == {}
    assert account.open().offset_token is None
    account.commit()
    assert len(account.rows(table)) == 1


def test_a_channel_that_nobody_used_for_thirty_days_is_gone(account: Account) -> None:
    account.table()
    account.append(account.open(), "{}", end="1")
    account.commit()

    account.clocks.advance(days=29)
    assert account.open().offset_token == "1"
    account.append(account.open(), "{}", end="2")
    account.commit()
    account.clocks.advance(seconds=(IDLE_LIFETIME + timedelta(seconds=1)).total_seconds())
    assert statuses(account, "c") == {}
    assert account.open().offset_token is None


def test_where_no_table_is_left_appends_and_status_say_what_is_missing(account: Account) -> None:
    table = account.table()
    channel = account.open()
    account.catalog.directory.drop(table)

    with pytest.raises(TableNotFound):
        account.append(channel, "{}")
    assert statuses(account, "c") == {"c": "ERR_TABLE_DOES_NOT_EXIST_NOT_AUTHORIZED"}
    with pytest.raises(TableNotFound):
        statuses(account, "never opened")


def test_where_a_custom_pipe_is_gone_appends_say_so_and_where_it_was_made_again_they_go_nowhere(
    account: Account,
) -> None:
    table = account.table()
    pipe = account.pipe("LOAD", table)
    account.grant("OPERATE", pipe)
    channel = account.open(pipe="LOAD")
    account.catalog.directory.drop(pipe)

    with pytest.raises(PipeNotFound):
        account.append(channel, "{}")
    assert statuses(account, "c", pipe="LOAD") == {"c": "ERR_PIPE_DOES_NOT_EXIST_OR_NOT_AUTHORIZED"}
    account.grant("OPERATE", account.pipe("LOAD", table))
    account.append(channel, "{}")
    assert statuses(account, "c", pipe="LOAD") == {}
    assert account.streaming.counts.rows_into_nowhere == 1


@pytest.mark.parametrize("swapped", [False, True])
def test_appends_to_a_table_whose_name_is_anothers_now_go_nowhere_until_it_is_called_so_again(
    account: Account, swapped: bool
) -> None:
    table, other = account.table(), account.table("OTHER")
    account.grant("INSERT", other)
    channel = account.open()
    directory = account.catalog.directory
    if swapped:
        directory.swap(table, other)
    else:
        directory.rename(table, "OLD")
        directory.rename(other, "ORDERS")
    account.append(channel, '{"id":1}', end="1", pipe="ORDERS-STREAMING")
    account.commit()
    assert statuses(account, "c") == {}
    assert (account.rows(table), account.rows(other)) == ([], [])
    if swapped:
        directory.swap(table, other)
    else:
        directory.rename(other, "OTHER")
        directory.rename(table, "ORDERS")
    assert statuses(account, "c") == {"c": "SUCCESS"}


def test_a_table_that_is_undropped_has_its_channels_back(account: Account) -> None:
    table = account.table()
    channel = account.open()
    account.append(channel, '{"id":1}', end="1")
    account.commit()
    account.catalog.directory.drop(table)
    account.catalog.directory.undrop(kinds.TABLE, table.schema, "ORDERS")

    account.append(channel, '{"id":2}', end="2")
    account.commit()
    assert statuses(account, "c") == {"c": "SUCCESS"}
    assert len(account.rows(table)) == 2


def test_a_pipe_has_a_limited_number_of_channels(account: Account) -> None:
    account.table()
    account.streaming.settings.max_channels_per_pipe = 2
    account.open("a")
    account.open("b")

    with pytest.raises(ChannelLimit):
        account.open("c")
    account.open("a")


def test_the_request_limit_counts_each_channel_alone_and_is_off_by_default(account: Account) -> None:
    account.table()
    left, right = account.open("left"), account.open("right")
    for _ in range(20):
        account.append(left, "{}")

    account.streaming.settings.requests_per_second = 2
    account.append(right, "{}")
    account.append(right, "{}")
    with pytest.raises(TooManyRequests):
        account.append(right, "{}")
    account.append(left, "{}")
    account.clocks.advance(seconds=1)
    account.append(right, "{}")
