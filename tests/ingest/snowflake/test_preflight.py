"""Tests of what the network and its names do to the first request, on a resolver and a port of the test's own."""

import os
import socket
import ssl
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from firnline_ingest.config.login import PrivateKey
from firnline_ingest.config.model import SnowflakeConfig
from firnline_ingest.dead_letters import file_pipe
from firnline_ingest.errors import SnowflakeError
from firnline_ingest.snowflake import sdk, sql_session
from firnline_ingest.snowflake.errors import HostUnknown, SnowflakeUnavailable
from firnline_ingest.snowflake.key import SigningKey
from firnline_ingest.snowflake.preflight import check_connection


@pytest.fixture(scope="module")
def key() -> SigningKey:
    made = rsa.generate_private_key(65537, 2048)
    return SigningKey(made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(), "test")


def refusal(key: SigningKey, url: str | None = None, ca_file: Path | None = None) -> SnowflakeError:
    snowflake = SnowflakeConfig(
        account="acme", user="U", role="R", private_key=PrivateKey(file=Path("x")), url=url, ca_file=ca_file
    )
    with pytest.raises(SnowflakeError) as raised:
        check_connection(snowflake, key)
    return raised.value


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (socket.EAI_NONAME, HostUnknown),
        (socket.EAI_AGAIN, SnowflakeUnavailable),
        (socket.EAI_FAIL, SnowflakeUnavailable),
    ],
)
def test_only_a_name_that_is_not_there_is_a_mistake(
    key: SigningKey, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[SnowflakeError]
) -> None:
    def resolve(*_: object, **__: object) -> None:
        raise socket.gaierror(number, "the resolver's words")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    error = refusal(key)
    assert type(error) is kind
    assert "acme.snowflakecomputing.com" in error.what
    assert "the resolver's words" in error.what
    assert error.is_retryable is (kind is SnowflakeUnavailable)


def test_a_refused_connection_passes(key: SigningKey) -> None:
    assert refusal(key, "https://127.0.0.1:9").is_retryable


@pytest.mark.parametrize("content", [None, "no PEM"])
def test_an_authority_that_is_not_where_the_engine_runs_is_named(
    key: SigningKey, tmp_path: Path, content: str | None
) -> None:
    file = tmp_path / "company.pem"
    if content is not None:
        file.write_text(content)
    error = refusal(key, ca_file=file)
    assert error.id == "FL-3018"
    assert str(file) in error.what
    assert "aws.runtime.kubernetes.volumes" in error.next_step
    assert error.is_retryable


def test_every_client_of_snowflake_trusts_the_authority_that_is_named(
    key: SigningKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first request, statements, files and the SDK; each is held where it takes the authority."""
    ours = Path("/etc/ours.pem")
    snowflake = SnowflakeConfig(account="acme", user="U", role="R", private_key=PrivateKey(file=ours), ca_file=ours)
    config: Any = SimpleNamespace(snowflake=snowflake)
    trusted: list[object] = []

    def hold(*_: object, **given: object) -> None:
        trusted.append(given.get("cafile") or given.get("ca_file") or os.environ["SSL_CERT_FILE"])
        raise LookupError

    monkeypatch.setenv("SSL_CERT_FILE", "nowhere")
    monkeypatch.setattr(ssl, "create_default_context", hold)
    with pytest.raises(LookupError):
        check_connection(snowflake, key)
    for module in (sql_session, file_pipe):
        monkeypatch.setattr(module, "load_key", lambda _: key)
    monkeypatch.setattr(sql_session, "check_connection", lambda *_: None)
    monkeypatch.setattr(sql_session, "connect", hold)
    monkeypatch.setattr(file_pipe, "ingest_manager", hold)
    monkeypatch.setattr(sdk, "make_importable", hold)
    session = sql_session.SqlSession(config)
    with pytest.raises(LookupError):
        session.rows("SELECT 1")
    with pytest.raises(LookupError):
        file_pipe.account_snowpipe(config, file_pipe.FileTarget("DB", "RAW", "ORDERS"), session)
    with pytest.raises(LookupError):
        sdk.load_sdk(snowflake)
    assert list(map(str, trusted)) == [str(ours)] * 4
