"""A client's key is replaced while engines run; the SDK itself is stood in for."""

import re

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from firnline_ingest.snowflake.channel_errors import ClientLost
from firnline_ingest.snowflake.current_key import LOOK_EVERY_S
from firnline_ingest.snowflake.errors import KeyRefused
from firnline_ingest.snowflake.key import SigningKey
from tests.fakes.clock import Clock
from tests.fakes.configs import TARGET
from tests.ingest.waiting import until

from .standing_in_sdk import Channels, Client, append


def new_key() -> str:
    key = rsa.generate_private_key(65537, 2048)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@pytest.fixture(scope="module")
def keys() -> tuple[SigningKey, SigningKey]:
    return SigningKey(new_key(), "test"), SigningKey(new_key(), "test")


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

    until(lambda: before.is_closed)
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
