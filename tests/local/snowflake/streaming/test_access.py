"""Scoped tokens."""

import base64
import json
from datetime import UTC, datetime, timedelta

import pytest

from firnline_local.snowflake.streaming.access import LIFETIME, Identity, ScopedTokens
from firnline_local.snowflake.streaming.errors import NotAuthenticated

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
