"""The engine's side of the SDK, with the real SDK against the embedded Snowflake."""

import gc
import threading
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from firnline_ingest.errors import SnowflakeError
from firnline_ingest.snowflake.channel_errors import ChannelLimitReached, ChannelLost, ClientLost, OpenRefused
from firnline_ingest.snowflake.errors import NotAllowed
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


def test_a_channel_says_when_it_was_made_which_tells_it_from_the_one_before_it(world: World) -> None:
    world.table()
    channels = world.channels()
    channel, first = channels.open(world.target, "shard")
    channel.close()
    channel, again = channels.open(world.target, "shard")
    assert first.created_ms == again.created_ms == channel.state().created_ms
    channel.close()
    channels.drop(world.target, "shard")
    _, anew = channels.open(world.target, "shard")
    assert 0 < first.created_ms < anew.created_ms


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
    assert 0 < seen[0].answered_s < seen[-1].answered_s, "an answer that is given again is told from a newer one"


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


def in_time(function: Callable[[], Any], within_s: float = 5) -> Any:
    """Returns what it returns. It fails where it takes longer, and leaves its thread behind."""
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(function()), daemon=True)
    thread.start()
    thread.join(within_s)
    assert answers, "it blocks"
    return answers[0]


def test_a_pipe_whose_client_can_not_be_made_holds_up_nobody_else(world: World) -> None:
    world.table()
    world.table(name="OTHER")
    channels = world.channels()
    channel, _ = channels.open(world.target, "first")
    world.fail("pipe-info", "ERROR", status=503)
    opened: list[Any] = []
    hanging = threading.Thread(target=lambda: opened.append(channels.open(world.target_of("OTHER"), "other")))
    hanging.start()
    world.wait_until(lambda: world.snowflake.faults.hits)

    in_time(lambda: (channels.look_for_new_key(), True))
    second, _ = in_time(lambda: channels.open(world.target, "second"))
    append(second, 1)
    world.wait_until(lambda: second.state().committed == Position(1))
    in_time(lambda: (channel.close(), True))

    world.snowflake.faults.replace([])
    hanging.join(60)
    assert opened


def test_closing_everything_waits_for_no_client_that_is_still_being_made(world: World) -> None:
    world.table()
    channels = world.channels()
    world.fail("pipe-info", "ERROR", status=503)

    def open_in_vain() -> None:
        with pytest.raises(ClientLost):
            channels.open(world.target, "shard")

    hanging = threading.Thread(target=open_in_vain)
    hanging.start()
    world.wait_until(lambda: world.snowflake.faults.hits)
    in_time(lambda: (channels.close(), True))
    world.snowflake.faults.replace([])
    hanging.join(60)
    assert not hanging.is_alive()


def test_a_channel_that_nobody_closed_holds_up_no_thread_that_collects_it(world: World) -> None:
    world.table()
    channels = world.channels()
    channel, _ = channels.open(world.target, "shard")
    world.fail("append", "CUT")
    append(channel, 1)

    def forget() -> bool:
        nonlocal channel
        channel = None
        gc.collect()
        return True

    assert in_time(forget)


def test_a_channel_is_opened_again_though_its_rows_could_not_be_sent(world: World) -> None:
    world.table()
    channels = world.channels()
    channel, _ = channels.open(world.target, "shard")
    world.fail("append", "CUT")
    append(channel, 1)
    in_time(lambda: (channel.close(), True))
    world.snowflake.faults.replace([])
    channel, state = channels.open(world.target, "shard")
    assert state.committed is None
    append(channel, 1)
    world.wait_until(lambda: channel.state() == ChannelState(Position(1), 1))


@pytest.mark.parametrize("endpoint", ["open", "pipe-info"])
def test_one_404_at_an_open_passes(world: World, endpoint: str) -> None:
    world.table()
    world.fail(endpoint, "ERROR", status=404, times=1)
    _, state = world.channels(missing_patience_s=30).open(world.target, "shard")
    assert state == ChannelState(None)


def test_a_404_that_lasts_is_told_with_the_services_own_words(world: World) -> None:
    world.table()
    words = "The supplied pipe does not exist or is not authorized."
    world.fail("open", "ERROR", status=404, code="ERR_PIPE_DOES_NOT_EXIST_OR_NOT_AUTHORIZED", message=words)
    with pytest.raises(NotAllowed, match=words):
        world.channels(missing_patience_s=0.1).open(world.target, "shard")


def test_a_pipe_with_as_many_channels_as_it_can_have_is_told_as_that(world: World) -> None:
    world.table()
    world.snowflake.streaming.settings.max_channels_per_pipe = 0
    with pytest.raises(ChannelLimitReached, match="ORDERS-STREAMING"):
        world.channels().open(world.target, "shard")


def test_a_refusal_that_is_about_no_privilege_names_none(world: World) -> None:
    world.table()
    world.fail("open", "ERROR", status=400, code="ERR_MALFORMED_REQUEST", message="what is this")
    with pytest.raises(OpenRefused, match="what is this"):
        world.channels().open(world.target, "shard")


@pytest.mark.parametrize("call", ["append", "state", "flush"])
def test_a_channel_that_the_service_gave_up_is_lost_with_the_services_own_words(world: World, call: str) -> None:
    table = world.table(enable_schema_evolution=True)
    world.grant("EVOLVE SCHEMA", table)
    channel, _ = world.channels().open(world.target, "shard")
    wide = b"{%s}" % b",".join(b'"K%d": 1' % number for number in range(150))
    channel.append([msgspec.Raw(wide)], start=Position(1).token, end=Position(1).token)
    world.wait_until(lambda: world.channel("shard", world.pipe_of("ORDERS")).status_code != "SUCCESS")

    def lose() -> bool:
        if call != "state":
            append(channel, 2)
        channel.flush(5) if call == "flush" else channel.state()
        return False

    with pytest.raises(ChannelLost) as raised:
        world.wait_until(lose)
    error = raised.value
    assert error.server_message == "Schema evolution failed: the batch would add 150 columns, and 100 is the limit."
    assert error.server_message in error.what


def test_a_key_that_is_gone_for_a_moment_is_missed_by_nobody_who_had_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.table()
    world.table(name="OTHER")
    channels = world.channels()
    channels.open(world.target, "shard")
    monkeypatch.delenv("FIRNLINE_KEY")
    channels.open(world.target_of("OTHER"), "shard")
    with pytest.raises(SnowflakeError) as raised:
        world.channels().open(world.target, "shard")
    assert raised.value.is_retryable


def test_one_status_that_is_refused_costs_nobody_anything(world: World) -> None:
    world.table()
    channel, _ = world.channels().open(world.target, "shard")
    world.fail("status", "ERROR", status=400, times=1)
    append(channel, 1)
    world.wait_until(lambda: channel.state() == ChannelState(Position(1), 1))
    assert world.snowflake.faults.hits


def test_a_rejected_row_is_told_with_the_servers_words_and_where_also_by_who_opens_the_channel_next(
    world: World,
) -> None:
    world.table()
    channel, _ = world.channels().open(world.target, "shard")
    append(channel, 1)
    channel.append([msgspec.Raw(b'{"ID": "no number"}')], start=Position(2).token, end=Position(3).token)
    world.wait_until(lambda: channel.state() == ChannelState(Position(3), 1, 1))
    append(channel, 4)
    world.wait_until(lambda: channel.state() == ChannelState(Position(4), 2, 1))
    assert "no number" in channel.last_error()
    assert channel.state().error_through == Position(3)
    channel.close()

    again, state = world.channels().open(world.target, "shard")
    assert (state.rows_error, state.error_through) == (1, Position(3))
    assert again.last_error() == channel.last_error(), "before its status is asked for"
