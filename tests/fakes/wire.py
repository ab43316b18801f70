"""A server that answers as a test says, byte by byte: pages, refusals, ends of connections."""

import socket
import ssl
import threading
import time
from typing import Any, Self

from firnline_local.snowflake.tls import Certificates

AWS_JSON = "application/x-amz-json-1.1"


def answer(body: bytes, status: str = "200 OK", head: bytes = b"", *, form: str = AWS_JSON) -> bytes:
    """`form`: its content type; none is said where it is empty."""
    length = b"" if b"Transfer-Encoding" in head or b"close" in head else b"Content-Length: %d\r\n" % len(body)
    said = b"Content-Type: %b\r\n" % form.encode() if form else b""
    return b"HTTP/1.1 %b\r\n%bx-amzn-RequestId: r-1\r\n%b%b\r\n%b" % (status.encode(), said, length, head, body)


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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
