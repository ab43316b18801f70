"""Committing: when, in which order, and what moves together."""

import json
from typing import Any

import pytest

from firnline_local.snowflake.streaming import committer
from firnline_local.snowflake.streaming.channel import LastError
from firnline_local.snowflake.streaming.errors import ChannelInvalid

Account = Any  # of conftest.py


def test_rows_wait_for_the_commit_lag_and_token_and_counters_with_them(account: Account) -> None:
    table = account.table()
    channel = account.open()
    account.append(channel, '{"id":1}', end="1")
    account.clocks.advance(milliseconds=249)
    account.streaming.committer.commit_due()
    assert (account.rows(table), channel.offset_token, channel.rows_inserted) == ([], None, 0)

    account.clocks.advance(milliseconds=1)
    account.streaming.committer.commit_due()
    assert (account.rows(table), channel.offset_token, channel.rows_inserted) == ([(1, None)], "1", 1)
    assert channel.latency_s == pytest.approx(0.25)


def test_what_is_not_due_yet_waits_for_the_next_step(account: Account) -> None:
    table = account.table()
    channel = account.open()
    account.append(channel, '{"id":1}', end="1")
    account.clocks.advance(milliseconds=200)
    account.append(channel, '{"id":2}', end="2")
    account.clocks.advance(milliseconds=100)
    account.streaming.committer.commit_due()

    assert (account.rows(table), channel.offset_token) == ([(1, None)], "1")


def test_rows_keep_their_order_within_a_channel_however_small_the_steps_are(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(committer, "MAX_STEP_BYTES", 1)  # one request a step
    table = account.table()
    left, right = account.open("left"), account.open("right")
    for number in range(5):
        account.append(left, f'{{"id":{number}}}', end=str(number))
        account.append(right, f'{{"id":{100 + number}}}', end=str(number))
    account.commit()

    identifiers = [row[0] for row in account.rows(table)]
    assert [number for number in identifiers if number < 100] == [0, 1, 2, 3, 4]
    assert [number for number in identifiers if number >= 100] == [100, 101, 102, 103, 104]
    assert abs(identifiers.index(4) - identifiers.index(104)) == 1, "the channels take turns"


def test_a_table_evolves_for_new_keys_and_omitted_columns(account: Account) -> None:
    table = account.table("ORDERS", "ID NUMBER NOT NULL", enable_schema_evolution=True)
    account.grant("EVOLVE SCHEMA", table)
    channel = account.open()
    account.append(channel, '{"id":1,"price":1.5,"tags":["a"]}', '{"note":null}')
    account.commit()

    assert [(c.name, str(c.type), c.nullable) for c in table.columns] == [
        ("ID", "NUMBER(38,0)", True),
        ("PRICE", "FLOAT", True),
        ("TAGS", "VARIANT", True),
        ("NOTE", "VARCHAR(16777216)", True),
    ]
    assert account.rows(table) == [(1, 1.5, '["a"]', None), (None, None, None, None)]
    assert json.loads(table.columns[1].evolution or "")["evolutionType"] == "ADD_COLUMN"
    assert json.loads(table.columns[0].evolution or "")["evolutionType"] == "DROP_NOT_NULL"
    assert json.loads(table.columns[1].evolution or "") | {"triggeringTime": ""} == {
        "evolutionType": "ADD_COLUMN",
        "evolutionMode": "SNOWPIPE_STREAMING",
        "triggeringTime": "",
        "pipeName": 'DB.PUBLIC."ORDERS-STREAMING"',
    }


def test_a_pipe_that_matches_case_evolves_once_for_a_key(account: Account) -> None:
    table = account.table("ORDERS", "ID NUMBER", enable_schema_evolution=True)
    account.grant("EVOLVE SCHEMA", table)
    account.grant("OPERATE", account.pipe("LOAD", table, match_by_column_name="CASE_SENSITIVE"))
    channel = account.open(pipe="LOAD")
    account.append(channel, '{"ID":1,"price":2}')
    account.append(channel, '{"ID":2,"price":3}')
    account.commit()

    assert account.rows(table) == [(1, 2), (2, 3)]
    assert [column.name for column in table.columns] == ["ID", "price"]


def test_a_hundred_new_columns_are_the_limit_of_one_request_and_not_of_what_is_committed_together(
    account: Account,
) -> None:
    table = account.table("ORDERS", "ID NUMBER", enable_schema_evolution=True)
    account.grant("EVOLVE SCHEMA", table)
    channel = account.open()
    for half in range(2):
        account.append(channel, json.dumps({f"k{half}_{number}": 1 for number in range(100)}))
    account.commit()

    assert len(table.columns) == 201
    assert channel.status_code == "SUCCESS"


@pytest.mark.parametrize(("enabled", "granted"), [(True, False), (False, True)])
def test_a_table_evolves_only_where_it_is_enabled_and_the_role_may(
    account: Account, enabled: bool, granted: bool
) -> None:
    table = account.table("ORDERS", "ID NUMBER NOT NULL", enable_schema_evolution=enabled)
    if granted:
        account.grant("EVOLVE SCHEMA", table)
    channel = account.open()
    account.append(channel, '{"id":1,"price":1.5}', '{"price":2}')
    account.commit()

    assert account.rows(table) == [(1,)]
    assert channel.rows_error_count == 1


def test_a_request_that_the_table_cannot_evolve_for_invalidates_its_channel_and_no_other(account: Account) -> None:
    table = account.table("ORDERS", "ID NUMBER", enable_schema_evolution=True)
    account.grant("EVOLVE SCHEMA", table)
    broken, sound = account.open("broken"), account.open("sound")
    wide = {f"k{number}": 1 for number in range(101)}
    account.append(broken, '{"id":0}', end="0")
    account.append(broken, '{"id":1}', json.dumps(wide), end="1")
    account.append(broken, '{"id":3}', end="3")
    account.append(sound, '{"id":2}', end="2")
    account.commit()

    assert account.rows(table) == [(0,), (2,)]
    assert (broken.status_code, broken.offset_token) == ("ERR_CHANNEL_MUST_BE_REOPENED", "0")
    assert not account.streaming.channels.waiting
    assert broken.last_error is not None
    assert "101 columns" in broken.last_error.message
    assert sound.offset_token == "2"
    with pytest.raises(ChannelInvalid):
        account.append(broken, '{"id":3}')


def test_rows_that_the_store_refuses_invalidate_their_channels_and_are_not_forgotten_silently(
    account: Account, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    account.table()
    channel = account.open()
    account.append(channel, '{"id":1}', end="1")

    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError("the store is broken")

    monkeypatch.setattr(account.catalog, "insert_rows", refuse)
    account.commit()

    assert channel.status_code == "ERR_CHANNEL_MUST_BE_REOPENED"
    assert channel.offset_token is None
    assert "the store is broken" in capsys.readouterr().err


def test_what_waits_for_a_table_that_goes_gets_nowhere_and_is_counted(account: Account) -> None:
    table = account.table()
    channel = account.open()
    account.append(channel, '{"id":1}', '{"id":2}')
    account.catalog.directory.drop(table)
    account.commit()

    assert account.streaming.counts.rows_into_nowhere == 2
    assert not account.streaming.channels.waiting


def test_a_channel_that_was_invalidated_while_rows_waited_stops_nobody(account: Account) -> None:
    """Nothing of it is due any more, and the others' rows are."""
    table = account.table()
    lost, other = account.open("lost"), account.open("other")
    account.append(lost, '{"id":1}', end="1")
    lost.invalidate(LastError(message="gone", offset_upper_bound=None, at=account.clocks.wall))
    assert account.streaming.committer._wait_s() is None
    account.append(other, '{"id":2}', end="1")
    assert account.streaming.committer._wait_s() == pytest.approx(0.25)
    account.commit()
    assert account.rows(table) == [(2, None)]
    assert account.streaming.channels.waiting == {}
