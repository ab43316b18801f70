"""Tests of what a request is about, who sends it, and which pipes it may ingest through."""

import base64
import json
from datetime import UTC, datetime, timedelta

import pytest

from firnline_local.snowflake.streaming.access import LIFETIME, Identity, Operation, ScopedTokens, read_address
from firnline_local.snowflake.streaming.errors import NotAuthenticated

PIPE = "/v2/streaming/databases/DB/schemas/PUBLIC/pipes/ORDERS-STREAMING"
DATA = PIPE.replace("/streaming/", "/streaming/data/")


@pytest.mark.parametrize(
    ("method", "path", "operation"),
    [
        ("PUT", f"{PIPE}/channels/c", Operation.OPEN),
        ("DELETE", f"{PIPE}/channels/c", Operation.DROP),
        ("POST", f"{DATA}/channels/c/rows", Operation.APPEND),
        ("POST", f"{DATA}/channels/c/filebuffer", Operation.FILE_FRAGMENTS),
        ("POST", f"{DATA}/channels/ELASTIC/rows", Operation.ELASTIC_APPEND),
        ("POST", DATA.replace("/pipes/", "/tables/") + "/rows", Operation.ELASTIC_APPEND),
        ("POST", f"{PIPE}:bulk-channel-status", Operation.STATUS),
        ("POST", f"{PIPE}:pipe-info", Operation.PIPE_INFO),
    ],
)
def test_method_and_path_name_the_operation(method: str, path: str, operation: Operation) -> None:
    address = read_address(method, path)

    assert address is not None
    assert address.operation is operation


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", f"{PIPE}/channels/c"),
        ("PUT", f"{DATA}/channels/c"),
        ("POST", f"{PIPE}/channels/c/rows"),
        ("POST", f"{PIPE}:other"),
        ("PUT", f"{PIPE}/channels/a/b"),
    ],
)
def test_what_the_api_does_not_have_is_no_address(method: str, path: str) -> None:
    assert read_address(method, path) is None


def test_names_are_decoded_one_by_one_and_keep_their_spelling() -> None:
    path = "/v2/streaming/databases/db/schemas/%22My%20Schema%22/pipes/%22a%2Fb-STREAMING%22/channels/s~%C3%BC%2F1"
    address = read_address("PUT", path)

    assert address is not None
    assert (address.database, address.schema) == ("db", '"My Schema"')
    assert (address.target, address.channel) == ('"a/b-STREAMING"', "s~ü/1")


NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
ENGINE = Identity("ENGINE", "INGEST")


def test_a_token_carries_who_asks_and_as_what() -> None:
    tokens = ScopedTokens(lambda: NOON)

    assert tokens.read(tokens.issue(ENGINE)) == ENGINE


def test_a_token_expires() -> None:
    now = NOON
    tokens = ScopedTokens(lambda: now)
    token = tokens.issue(ENGINE)

    now = NOON + LIFETIME - timedelta(seconds=1)
    assert tokens.read(token) == ENGINE
    now = NOON + LIFETIME
    with pytest.raises(NotAuthenticated):
        tokens.read(token)


def test_the_sdk_can_read_the_expiry_out_of_a_token() -> None:
    payload = ScopedTokens(lambda: NOON).issue(ENGINE).split(".")[1]

    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    assert claims["exp"] == (NOON + LIFETIME).timestamp()


def test_a_token_of_another_process_or_an_altered_one_is_refused() -> None:
    tokens, others = ScopedTokens(lambda: NOON), ScopedTokens(lambda: NOON)
    header, payload, signature = tokens.issue(ENGINE).split(".")
    admin = others.issue(Identity("ENGINE", "ACCOUNTADMIN")).split(".")[1]

    for token in (others.issue(ENGINE), f"{header}.{admin}.{signature}", f"{header}.{payload}.", "", "nonsense"):
        with pytest.raises(NotAuthenticated):
            tokens.read(token)
