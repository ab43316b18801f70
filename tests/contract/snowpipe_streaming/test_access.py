"""Tests of who gets in, and what the SDK says to who doesn't."""

from collections.abc import Callable
from typing import Any

import pytest

from firnline_local.snowflake.catalog import Role, kinds
from firnline_local.snowflake.catalog.users import PublicKey

World = Any  # of conftest.py

pytestmark = pytest.mark.contract


def refusal(of: Callable[[], Any]) -> Any:
    from snowflake.ingest.streaming import StreamingIngestError

    with pytest.raises(StreamingIngestError) as refused:
        of()
    return refused.value


def test_a_key_that_is_not_registered_is_refused(world: World, other_key: str) -> None:
    world.table()
    error = refusal(lambda: world.client(private_key=other_key))

    assert error.error_code.value == "SfApiAuthError"
    assert "390144" in error.message
    assert "JWT token is invalid" in error.message


def test_a_user_who_does_not_exist_gets_the_same_answer(world: World) -> None:
    world.table()

    assert "JWT token is invalid" in refusal(lambda: world.client(user="NOBODY")).message


def test_a_role_that_the_user_does_not_hold_is_refused(world: World) -> None:
    world.table()
    directory = world.catalog.directory
    other = directory.create(Role, f"OTHER_{world.schema.name}", container=world.catalog.account, owner=None)
    error = refusal(lambda: world.client(role=other.name))

    assert error.error_code.value == "AuthTokenError"
    assert "390189" in error.message


@pytest.mark.parametrize(
    ("missing", "code"),
    [
        ("USAGE on database", "ERR_DATABASE_DOES_NOT_EXIST_OR_NOT_AUTHORIZED"),
        ("USAGE on schema", "ERR_SCHEMA_DOES_NOT_EXIST_OR_NOT_AUTHORIZED"),
        ("INSERT on table", "ERR_TABLE_DOES_NOT_EXIST_NOT_AUTHORIZED"),
    ],
)
def test_without_a_grant_the_table_is_not_there(world: World, missing: str, code: str) -> None:
    table = world.table()
    privilege, _, kind = missing.split()
    on = {"database": table.schema.database, "schema": table.schema, "table": table}[kind]
    world.revoke(privilege, on)
    try:
        error = refusal(world.client)
        assert table.default_pipe is None, "who may not see the table makes no pipe either"
    finally:
        world.grant(privilege, on)

    assert error.error_code.value == "SfApiUserError"
    assert f"HTTP 404, error_code={code}" in error.message
    assert "ORDERS-STREAMING" in error.message


def test_a_custom_pipe_needs_operate(world: World) -> None:
    table = world.table()
    pipe = world.pipe("LOAD", table)
    error = refusal(lambda: world.client("LOAD"))
    assert "HTTP 404, error_code=ERR_PIPE_DOES_NOT_EXIST_OR_NOT_AUTHORIZED" in error.message

    world.grant("OPERATE", pipe)
    world.ingest({"id": 1}, pipe="load")
    assert world.rows(table) == [(1,)]


@pytest.mark.parametrize(
    ("pipe", "code"),
    [
        ("NOTHING-STREAMING", "ERR_TABLE_DOES_NOT_EXIST_NOT_AUTHORIZED"),
        ("NOTHING", "ERR_PIPE_DOES_NOT_EXIST_OR_NOT_AUTHORIZED"),
    ],
)
def test_a_pipe_that_does_not_exist_is_refused_when_the_client_is_made(world: World, pipe: str, code: str) -> None:
    error = refusal(lambda: world.client(pipe))

    assert error.error_code.value == "SfApiUserError"
    assert f"HTTP 404, error_code={code}" in error.message


def test_a_grant_that_is_revoked_stops_a_channel_that_is_open(world: World) -> None:
    table = world.table()
    channel, _ = world.client().open_channel("c")
    world.revoke("INSERT", table)
    channel.append_row({"id": 1}, "1")

    error = refusal(lambda: channel.wait_for_flush(20))
    assert error.error_code.value == "InvalidChannelError"
    assert "ERR_TABLE_DOES_NOT_EXIST_NOT_AUTHORIZED" in error.message


def test_both_registered_keys_open_the_door(world: World, other_key: str, other_public_key: PublicKey) -> None:
    world.table()
    user = world.catalog.directory.find(kinds.USER, ("ENGINE",))
    user.public_keys["RSA_PUBLIC_KEY_2"] = other_public_key
    try:
        assert world.client(private_key=other_key).open_channel("c")[1].status_code == "SUCCESS"
        assert world.client().open_channel("c")[1].status_code == "SUCCESS"
    finally:
        del user.public_keys["RSA_PUBLIC_KEY_2"]


def test_a_certificate_that_nobody_vouches_for_is_never_accepted(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    from firnline_local.snowflake.tls import make_certificates

    monkeypatch.setenv("SSL_CERT_FILE", str(make_certificates(tmp_path).ca_file))
    error = refusal(lambda: world.client(mgmt_retry_total_backoff_seconds=1))

    assert error.error_code.value == "HttpRetriesExhaustedError"
