"""What the network and its names do to the first request, on a resolver and a port of the test's own."""

import socket
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from firnline_ingest.config.login import PrivateKey
from firnline_ingest.config.model import SnowflakeConfig
from firnline_ingest.errors import SnowflakeError
from firnline_ingest.snowflake.errors import HostUnknown, SnowflakeUnavailable
from firnline_ingest.snowflake.key import SigningKey
from firnline_ingest.snowflake.preflight import check_connection


@pytest.fixture(scope="module")
def key() -> SigningKey:
    made = rsa.generate_private_key(65537, 2048)
    return SigningKey(made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(), "test")


def refusal(key: SigningKey, url: str | None = None) -> SnowflakeError:
    snowflake = SnowflakeConfig(account="acme", user="U", role="R", private_key=PrivateKey(file=Path("x")), url=url)
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
