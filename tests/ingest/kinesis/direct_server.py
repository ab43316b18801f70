"""A server that answers GetRecords as a test says, byte by byte: pages, refusals, ends of connections; and a client of it."""

import socket
import ssl
import threading
import time
from typing import Any

import pytest

from firnline_ingest.config.model import AwsConfig
from firnline_ingest.kinesis.aws_errors import kinesis_error
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.direct import DirectReads
from firnline_local.snowflake.tls import Certificates

PAGE = b'{"Records":[{"SequenceNumber":"1","Data":"e30="}],"NextShardIterator":"next","MillisBehindLatest":0}'
THROTTLED = b'{"__type":"ProvisionedThroughputExceededException","message":"slow down"}'


def answer(body: bytes = PAGE, status: str = "200 OK", head: bytes = b"") -> bytes:
    length = b"" if b"Transfer-Encoding" in head or b"close" in head else b"Content-Length: %d\r\n" % len(body)
    return (
        b"HTTP/1.1 %b\r\nContent-Type: application/x-amz-json-1.1\r\nx-amzn-RequestId: r-1\r\n" % status.encode()
        + length
        + head
        + b"\r\n"
        + body
    )


class Server:
    """Answers each request with the next bytes; None ends the connection, a number waits for so many seconds."""

    def __init__(self, certificates: Certificates | None = None) -> None:
        self.answers: list[bytes | float | None] = []
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.connections = 0
        self._context: ssl.SSLContext | None = None
        if certificates is not None:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(certificates.cert_file, certificates.key_file)
        self._listener = socket.create_server(("127.0.0.1", 0))
        scheme = "http" if certificates is None else "https"
        self.url = f"{scheme}://127.0.0.1:{self._listener.getsockname()[1]}"
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        if self._listener.fileno() >= 0:
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._listener.close()
        self.end_connections()

    def end_connections(self) -> None:
        """Ends connections as a server does with those that were idle for long."""
        for each in self._open:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        self._open.clear()

    def _accept(self) -> None:
        while True:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(plain,), daemon=True).start()

    def _serve(self, plain: socket.socket) -> None:
        try:
            connection = self._context.wrap_socket(plain, server_side=True) if self._context else plain
            self._open.append(connection)
            with connection, connection.makefile("rb") as lines:
                while self._answer(connection, lines):
                    """The next one."""
        except OSError:
            plain.close()

    def _answer(self, connection: socket.socket, lines: Any) -> bool:
        start = lines.readline().decode()
        headers: dict[str, str] = {}
        while line := lines.readline().decode().strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        if not start:
            return False
        self.requests.append((start.strip(), headers, lines.read(int(headers.get("content-length", "0")))))
        following = self.answers.pop(0)
        if isinstance(following, float):
            time.sleep(following)
            return False
        if following is None:
            return False
        connection.sendall(following)
        return b"close" not in following


def client_of(server: Server, **more: Any) -> Any:
    aws = {"region": "us-east-1", "endpoints": {"kinesis": server.url}, **more.pop("aws", {})}
    return kinesis_client(AwsConfig(**aws), **more)


def read(client: Any) -> Any:
    return client.get_records(ShardIterator="iterator", Limit=10)


def direct(client: Any) -> int:
    reads = client.get_records.__self__
    return reads.direct if isinstance(reads, DirectReads) else 0


def warm(client: Any, server: Server) -> None:
    """One read by botocore, whose decisions are kept."""
    server.answers.append(answer())
    read(client)
    assert direct(client) == 0


def trouble(client: Any, kind: type[Exception]) -> Exception:
    with pytest.raises(kind) as raised:
        read(client)
    mapped = kinesis_error(raised.value, operation="GetRecords", stream="orders")
    assert getattr(mapped, "is_retryable", False), mapped
    return raised.value
