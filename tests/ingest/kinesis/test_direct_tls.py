"""Whom a read trusts that does not go botocore's way."""

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from botocore.exceptions import (
    SSLError,
)

from firnline_local.snowflake.tls import Certificates, make_certificates
from tests.fakes.wire import Server

from .direct_server import answer, client_of, direct, read, trouble, warm

pytestmark = pytest.mark.usefixtures("in_json")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def secure(certificates: Certificates) -> Iterator[Server]:
    with Server(certificates) as server:
        yield server


@pytest.mark.parametrize("by_variable", [False, True])
def test_the_configured_authority_is_trusted(
    secure: Server, certificates: Certificates, monkeypatch: pytest.MonkeyPatch, by_variable: bool
) -> None:
    if by_variable:
        monkeypatch.setenv("AWS_CA_BUNDLE", str(certificates.ca_file))
    client = client_of(secure, aws={} if by_variable else {"ca_file": certificates.ca_file})
    warm(client, secure)
    secure.answers += [answer()]
    assert len(read(client)["Records"]) == 1
    assert (direct(client), secure.connections) == (1, 2)


def test_another_certificate_is_refused_at_a_read_that_is_direct(
    secure: Server, certificates: Certificates, tmp_path: Path
) -> None:
    """A server that answers with another authority's certificate after the first read: somebody between us and Kinesis."""
    client = client_of(secure, aws={"ca_file": certificates.ca_file})
    warm(client, secure)
    other = make_certificates(tmp_path)
    assert secure._context is not None
    secure._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    secure._context.load_cert_chain(other.cert_file, other.key_file)
    error = trouble(client, SSLError)
    assert "certificate verify failed" in str(error).lower()
