"""The engine's side of the SDK, with the real SDK against the embedded Snowflake."""

from typing import Any

import msgspec
import pytest

from firnline_ingest.values import ChannelState, Position

World = Any  # of conftest.py

pytestmark = pytest.mark.contract


def append(channel: Any, *numbers: int) -> None:
    rows = [msgspec.Raw(b'{"ID": %d}' % number) for number in numbers]
    channel.append(rows, start=Position(numbers[0]).token, end=Position(numbers[-1]).token)


def test_a_channel_that_is_dropped_begins_again_without_a_token(world: World) -> None:
    world.table()
    channels = world.channels()
    channel, _ = channels.open(world.target, "shard")
    append(channel, 1, 2)
    world.wait_until(lambda: channel.state() == ChannelState(Position(2), 2))
    channel.close()

    channels.drop(world.target, "shard")
    _, state = channels.open(world.target, "shard")
    assert state == ChannelState(None, 0)


def test_a_channel_is_dropped_by_a_process_that_never_opened_it_and_twice_is_once(world: World) -> None:
    world.table()
    channel, _ = world.channels().open(world.target, "shard")
    append(channel, 1)
    world.wait_until(lambda: channel.state().committed == Position(1))
    another = world.channels()
    for _ in range(2):
        another.drop(world.target, "shard")
    assert another.open(world.target, "shard")[1].committed is None


def test_counters_that_trail_their_token_are_told_as_they_are_and_come_later(world: World) -> None:
    world.table()
    channel, _ = world.channels().open(world.target, "shard")
    world.snowflake.streaming.settings.counter_lag_ms = 500
    append(channel, 1, 2)
    seen = []
    world.wait_until(lambda: seen.append(channel.state()) or seen[-1] == ChannelState(Position(2), 2))
    assert ChannelState(Position(2), 0) in seen


def test_statuses_may_go_back(world: World) -> None:
    world.table()
    channels = world.channels()
    channel, _ = channels.open(world.target, "shard")
    for number in (1, 2):
        append(channel, number)
        world.wait_until(lambda number=number: channel.state() == ChannelState(Position(number), number))
    world.snowflake.streaming.settings.statuses_gone_back = 1000
    world.wait_until(lambda: channel.state() == ChannelState(Position(1), 1))
    world.wait_until(lambda: channel.state() == ChannelState(Position(2), 2))
