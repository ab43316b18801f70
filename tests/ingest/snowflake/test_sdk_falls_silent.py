"""An SDK that panics, does not answer, or sends nothing costs its client, and no shard stands still; the SDK is stood in for."""

import threading

import pytest

from firnline_ingest.snowflake.channel_errors import ClientLost
from firnline_ingest.values import Position
from tests.fakes.configs import TARGET
from tests.ingest.waiting import until

from .standing_in_sdk import Channels, Client, append


@pytest.mark.parametrize("place", ["append", "status", "open"])
def test_a_panic_of_the_sdk_costs_its_client_and_no_thread(place: str) -> None:
    panicked, new = Client(), Client()
    channels = Channels(panicked, new)
    channel, _ = channels.open(TARGET, "first")
    panicked.panics = place

    def use() -> bool:
        if place == "open":
            channels.open(TARGET, "second")
        append(channel) if place == "append" else channel.state()
        return False

    with pytest.raises(ClientLost, match="unwrap"):
        until(use)
    channel, _ = channels.open(TARGET, "first")
    append(channel)
    channel.state()
    assert new.opened == ["first"]
    channels.close()


def test_a_question_that_the_sdk_never_answers_costs_its_client() -> None:
    now = [0.0]
    hanging, new = Client(hangs=threading.Event()), Client()
    channels = Channels(hanging, new, watch_clock=lambda: now[0])
    channel, _ = channels.open(TARGET, "channel")
    until(lambda: channel.state() and hanging.asked)
    now[0] += 100
    assert channel.state().committed is None  # it may take a while
    now[0] += 100
    with pytest.raises(ClientLost, match="200 s"):
        channel.state()
    channel, _ = channels.open(TARGET, "channel")
    channel.state()
    assert new.opened == ["channel"]
    hanging.hangs.set()
    channels.close()


def test_a_client_whose_rows_never_arrive_is_made_again_by_the_second_channel_that_is_opened_for_it() -> None:
    """The client's sending has died, or its cache of states: nothing that it is asked says so."""
    now = [0.0]
    dead, new = Client(), Client()
    channels = Channels(dead, new, watch_clock=lambda: now[0])
    for _ in range(2):
        channel, _ = channels.open(TARGET, "channel")
        append(channel)
        now[0] += 119
    channels.open(TARGET, "another")
    now[0] += 3
    with pytest.raises(ClientLost, match="seen committed"):
        channels.open(TARGET, "channel")
    channels.open(TARGET, "channel")
    assert (dead.opened, new.opened) == (["channel", "channel", "another"], ["channel"])
    channels.close()


def test_a_client_of_which_one_channel_moves_is_alive() -> None:
    now = [0.0]
    client = Client()
    channels = Channels(client, watch_clock=lambda: now[0])
    first, _ = channels.open(TARGET, "first")
    append(first)
    now[0] += 200
    client.cached = Position(1).token
    until(lambda: first.state().committed == Position(1))
    append(first)
    now[0] += 100
    channels.open(TARGET, "second")
    channels.close()
