"""An account's host, asked at a TLS server with the wildcards of Snowflake's certificates, which every name leads to."""

import socket
import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from firnline_ingest.config.login import PrivateKey
from firnline_ingest.config.model import SnowflakeConfig
from firnline_ingest.errors import SnowflakeError
from firnline_ingest.snowflake.key import SigningKey
from firnline_ingest.snowflake.preflight import check_connection

pytestmark = pytest.mark.contract
NAMES = ("*.snowflakecomputing.com", "*.cn-northwest-1.snowflakecomputing.cn")


class Hostname(BaseHTTPRequestHandler):
    """Answers with the host that it was asked as."""

    def do_GET(self) -> None:
        body = self.headers["Host"].encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate and its key, in one file; clients trust it as an authority."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "snowflake")])
    builder = x509.CertificateBuilder(
        name, name, key.public_key(), 1, now - timedelta(hours=1), now + timedelta(days=1)
    )
    names = x509.SubjectAlternativeName([x509.DNSName(each) for each in NAMES])
    signed = builder.add_extension(names, critical=False).sign(key, hashes.SHA256())
    file = tmp_path_factory.mktemp("tls") / "server.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(signed.public_bytes(Encoding.PEM) + private)
    return file


@pytest.fixture
def snowflake(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hostname)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    found = [(socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", server.server_port))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield
    server.shutdown()
    server.server_close()
    thread.join()


def asked(account: str, ca_file: Path, url: str | None = None) -> str:
    pem = rsa.generate_private_key(65537, 2048).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    place = PrivateKey(file=Path("key.p8"))
    config = SnowflakeConfig(account=account, user="U", role="R", private_key=place, url=url, ca_file=ca_file)
    return check_connection(config, SigningKey(pem.decode(), "test"))


@pytest.mark.usefixtures("snowflake")
@pytest.mark.parametrize(
    ("account", "host"),
    [
        ("ORG-MY_ACCOUNT", "org-my-account.snowflakecomputing.com"),
        ("xy12345.cn-northwest-1", "xy12345.cn-northwest-1.snowflakecomputing.cn"),
    ],
)
def test_the_host_of_an_account_is_one_that_its_certificate_names(account: str, host: str, certificate: Path) -> None:
    assert asked(account, certificate) == host


@pytest.mark.usefixtures("snowflake")
def test_a_host_that_the_certificate_does_not_name_is_no_matter_of_authorities(certificate: Path) -> None:
    with pytest.raises(SnowflakeError) as raised:
        asked("ORG-MY_ACCOUNT", certificate, "https://org-my_account.snowflakecomputing.com")
    assert raised.value.id == "FL-3003"
    assert "a hyphen for each underscore" in raised.value.next_step
    assert "ca_file" not in raised.value.next_step
