"""What our side of the SDK does where several shards share a client; the SDK itself is stood in for."""

import os
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.snowflake import pipe_clients
from firnline_ingest.snowflake.current_key import LOOK_EVERY_S
from firnline_ingest.snowflake.errors import ChannelLost, ClientLost, KeyRefused
from firnline_ingest.snowflake.key import SigningKey
from firnline_ingest.snowflake.pipe_clients import PipeClient, PipeClients
from firnline_ingest.snowflake.sdk import SdkChannels
from firnline_ingest.values import Position, TargetTable

TARGET = TargetTable("DB", "RAW", "EVENTS", "2026-01-01T00:00:00.000+00:00", "EVENTS-STREAMING")

CONFIG = {
    "version": 1,
    "application": "app",
    "aws": {"region": "us-east-1"},
    "ledger": {"table": "ledger"},
    "snowflake": {"account": "acme", "user": "INGEST", "role": "INGEST", "private_key": {"env": "KEY"}},
    "pipelines": [{"stream": "events", "database": "DB", "schema": "RAW"}],
    "dead_letters": {"folder": "dead-letters"},
    "spark": {"checkpoint": "checkpoint"},
}


class SdkError(Exception):
    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.error_code = SimpleNamespace(value=code)


def status(token: str | None, rows: int = 0) -> SimpleNamespace:
    return SimpleNamespace(
        status_code="SUCCESS",
        latest_committed_offset_token=token,
        created_on=datetime(2026, 11, 22, tzinfo=UTC),
        rows_inserted_count=rows,
        rows_error_count=0,
        last_error_message=None,
        last_refreshed_on=datetime.now(),
    )


class PanicException(BaseException):
    """As PyO3 has it: no Exception."""


@dataclass
class Client:
    """Has every channel at `committed`; what it says of a channel later is in `cached`."""

    committed: str | None = None
    cached: str | None = None
    is_invalid: bool = False
    is_refused: bool = False
    is_closed: bool = False
    opened: list[str] = field(default_factory=list)
    registered: set[str] = field(default_factory=set)
    asked: int = 0
    panics: str = ""
    """What it panics in: open, status or append."""
    hangs: threading.Event | None = None
    """Until then, a question about its channels has no answer."""

    def open_channel(self, name: str) -> tuple[Any, Any]:
        self.panic("open")
        self.refuse()
        if name in self.registered:
            raise SdkError("ChannelAlreadyExists")
        self.registered.add(name)
        self.opened.append(name)
        return Handle(self, name), status(self.committed)

    def get_channel_statuses(self, names: list[str]) -> dict[str, Any]:
        self.asked += 1
        self.panic("status")
        if self.hangs is not None:
            self.hangs.wait(20)
        return {name: status(self.cached) for name in names}

    def panic(self, place: str) -> None:
        if self.panics == place:
            raise PanicException("called `Option::unwrap()` on a `None` value")

    def close(self, *, wait_for_flush: bool) -> None:
        self.is_closed = True

    def refuse(self) -> None:
        if self.is_refused:
            raise SdkError("SfApiAuthError")
        if self.is_invalid or self.is_closed:
            raise SdkError("InvalidClientError")


@dataclass
class Handle:
    client: Client
    name: str
    code: str | None = None
    unclosable: int = 0
    """Attempts to close it that fail."""

    def append_rows(self, rows: object, *, start_offset_token: str, end_offset_token: str) -> None:
        self.client.panic("append")
        self.client.refuse()
        if self.code:
            raise SdkError(self.code)

    def close(self, **options: object) -> None:
        if self.unclosable:
            self.unclosable -= 1
            raise SdkError("NonFatal")
        self.client.registered.discard(self.name)


class Channels(SdkChannels):
    """Makes clients of ours."""

    def __init__(self, *clients: Client, **clocks: Callable[[], float]) -> None:
        super().__init__(EngineConfig.model_validate(CONFIG), **clocks)
        self.unused = list(clients)

    def _new_client(self, target: TargetTable) -> Any:
        if "KEY" in os.environ:
            self._key.read()
        return self.unused.pop(0)


def append(channel: Any) -> None:
    channel.append([b"{}"], start="1", end="2")


def wait_until(happened: Callable[[], object]) -> None:
    give_up_s = time.monotonic() + 10
    while not happened():
        assert time.monotonic() < give_up_s
        time.sleep(0.001)


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
    wait_until(lambda: lost.is_closed)
    assert not new.is_closed
    assert new.opened == ["first", "second"]
    channels.close()


def test_a_status_from_before_the_open_is_not_believed() -> None:
    before, opened_at = Position(1).token, Position(2)
    client = Client(committed=opened_at.token, cached=before)
    channels = Channels(client)
    channel, _ = channels.open(TARGET, "channel")
    give_up_s = time.monotonic() + 10
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


def new_key() -> str:
    key = rsa.generate_private_key(65537, 2048)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@pytest.fixture(scope="module")
def keys() -> tuple[SigningKey, SigningKey]:
    return SigningKey(new_key(), "test"), SigningKey(new_key(), "test")


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_a_key_that_was_replaced_is_taken_up_before_the_next_epoch(
    keys: tuple[SigningKey, SigningKey], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = Client(), Client()
    clock = Clock()
    channels = Channels(before, after, clock=clock)
    assert channels.fingerprint == ""
    channels.look_for_new_key()  # nothing was signed yet: nothing to look for

    monkeypatch.setenv("KEY", keys[0].pem)
    channel, _ = channels.open(TARGET, "channel")
    assert channels.fingerprint == keys[0].fingerprint
    monkeypatch.setenv("KEY", keys[1].pem)
    clock.now_s = LOOK_EVERY_S - 1
    channels.look_for_new_key()
    append(channel)  # too early to look again
    clock.now_s = LOOK_EVERY_S
    channels.look_for_new_key()

    wait_until(lambda: before.is_closed)
    with pytest.raises(ClientLost):
        append(channel)
    channel, _ = channels.open(TARGET, "channel")
    append(channel)
    assert (channels.fingerprint, after.is_closed) == (keys[1].fingerprint, False)
    channels.close()


def test_a_place_for_keys_that_is_out_of_reach_stops_nothing(
    keys: tuple[SigningKey, SigningKey], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    channels = Channels(Client(), clock=clock)
    monkeypatch.setenv("KEY", keys[0].pem)
    channel, _ = channels.open(TARGET, "channel")
    monkeypatch.delenv("KEY")
    clock.now_s = LOOK_EVERY_S
    channels.look_for_new_key()
    append(channel)
    assert channels.fingerprint == keys[0].fingerprint
    channels.close()


def test_shards_whose_old_key_is_refused_go_on_with_the_new_one(
    keys: tuple[SigningKey, SigningKey], monkeypatch: pytest.MonkeyPatch
) -> None:
    refused, new = Client(), Client()
    channels = Channels(refused, new)
    monkeypatch.setenv("KEY", keys[0].pem)
    first, _ = channels.open(TARGET, "first")
    second, _ = channels.open(TARGET, "second")
    refused.is_refused = True
    monkeypatch.setenv("KEY", keys[1].pem)

    with pytest.raises(ClientLost):
        append(first)
    with pytest.raises(ClientLost):
        append(second)
    first, _ = channels.open(TARGET, "first")
    append(first)
    assert channels.fingerprint == keys[1].fingerprint
    channels.close()


def test_a_key_that_is_refused_and_was_not_replaced_is_named(
    keys: tuple[SigningKey, SigningKey], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client()
    channels = Channels(client)
    monkeypatch.setenv("KEY", keys[0].pem)
    channel, _ = channels.open(TARGET, "channel")
    client.is_refused = True
    with pytest.raises(KeyRefused, match=re.escape(keys[0].fingerprint)):
        append(channel)
    channels.close()


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
        wait_until(use)
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
    wait_until(lambda: channel.state() and hanging.asked)
    now[0] += 100
    assert channel.state().committed is None  # it may take a while
    now[0] += 100
    with pytest.raises(ClientLost, match="200 s"):
        channel.state()
    channel, _ = channels.open(TARGET, "channel")
    channel.state()
    assert new.opened == ["channel"]
    assert hanging.hangs is not None
    hanging.hangs.set()
    channels.close()


def test_a_client_whose_rows_never_arrive_is_made_again_by_the_second_channel_that_is_opened_for_it() -> None:
    """Its sending has died, or its cache of states: nothing that it is asked says so."""
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
    wait_until(lambda: first.state().committed == Position(1))
    append(first)
    now[0] += 100
    channels.open(TARGET, "second")
    channels.close()
