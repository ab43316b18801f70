"""Tests of what our side of the SDK does where several shards share a client; the SDK itself is stood in for."""

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from firnline_ingest.snowflake import pipe_clients
from firnline_ingest.snowflake.channel_errors import ChannelLost, ClientLost
from firnline_ingest.snowflake.pipe_clients import PipeClient, PipeClients
from firnline_ingest.values import Position
from tests.fakes.configs import TARGET
from tests.ingest.waiting import until

from .standing_in_sdk import Channels, Client, append


def test_shards_that_share_a_lost_client_make_one_new_client_together() -> None:
    lost, new = Client(), Client()
    channels = Channels(lost, new)
    first, _ = channels.open(TARGET, "first")
    second, _ = channels.open(TARGET, "second")
    lost.is_invalid = True

    with pytest.raises(ClientLost):
        append(first)
    first, _ = channels.open(TARGET, "first")
    with pytest.raises(ClientLost):
        append(second)  # it learns of the loss after the client was made again
    second, _ = channels.open(TARGET, "second")

    append(first)
    append(second)
    until(lambda: lost.is_closed)
    assert not new.is_closed
    assert new.opened == ["first", "second"]
    channels.close()


def test_a_status_from_before_the_open_is_not_believed() -> None:
    before, opened_at = Position(1).token, Position(2)
    client = Client(committed=opened_at.token, cached=before)
    channels = Channels(client)
    channel, _ = channels.open(TARGET, "channel")
    give_up_s = time.monotonic() + 60
    while client.asked < 2 and time.monotonic() < give_up_s:  # then the first answer has been stored
        assert channel.state().committed == opened_at
    assert client.asked >= 2
    assert channel.state().committed == opened_at
    channels.close()


def test_a_handle_that_the_service_invalidated_loses_its_channel_and_not_the_client() -> None:
    client = Client()
    channels = Channels(client)
    channel, _ = channels.open(TARGET, "channel")
    channel._handle.code = "InvalidChannelError"
    with pytest.raises(ChannelLost):
        append(channel)
    assert not client.is_closed
    channels.close()


def test_an_open_waits_for_the_earlier_handle_to_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipe_clients, "CLOSE_PAUSE_S", 0.0)
    client = Client()
    channels = Channels(client)
    channel, _ = channels.open(TARGET, "channel")
    channel._handle.unclosable = 2
    channel.close()
    channel, _ = channels.open(TARGET, "channel")
    append(channel)
    assert not client.is_closed
    channels.close()


def test_a_handle_that_can_not_be_closed_costs_the_client_and_not_the_channel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipe_clients, "CLOSE_PAUSE_S", 0.0)
    stuck, new = Client(), Client()
    channels = Channels(stuck, new)
    channel, _ = channels.open(TARGET, "channel")
    channel._handle.unclosable = 10**9
    channel.close()
    with pytest.raises(ClientLost, match="can't be closed"):
        channels.open(TARGET, "channel")
    channel, _ = channels.open(TARGET, "channel")
    append(channel)
    assert new.opened == ["channel"]
    channels.close()


def test_a_client_whose_key_was_replaced_while_it_was_made_is_not_used() -> None:
    clients = PipeClients(lambda target: cast("PipeClient", making.pop()()))
    closed: list[str] = []
    late = SimpleNamespace(close=lambda: closed.append("late"))
    making: list[Callable[[], Any]] = [lambda: "new", lambda: clients.forget_all() or late]
    with pytest.raises(ClientLost):
        clients.of(TARGET)
    assert (closed, clients.of(TARGET)) == (["late"], "new")
