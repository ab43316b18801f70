"""The part of HTTP/1.1 that a read of a shard takes: one request at a time on a connection that stays open.

A head is taken apart by its line breaks, and a body is read piece by piece. What goes wrong is botocore's error for it.
"""

import socket
import ssl
import weakref
from collections import deque
from typing import Any
from urllib.parse import urlsplit

from botocore.exceptions import (
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    ReadTimeoutError,
    SSLError,
)
from urllib3.util.wait import wait_for_read

HEAD_BYTES = 65_536
"""The longest head that is read; AWS's have less than 1 KB."""
PIECE_BYTES = 32_768
HEAD_END = b"\r\n\r\n"


class Headers(dict[str, str]):
    """By lower-case names; asked for in any case."""

    def get(self, name: str, default: Any = None) -> Any:
        return super().get(name.lower(), default)

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(name.lower())

    def __contains__(self, name: object) -> bool:
        return super().__contains__(str(name).lower())


class Connections:
    """The open connections to one host. Thread-safe: each is one thread's while it answers."""

    def __init__(
        self, url: str, context: ssl.SSLContext | None, *, most: int, connect_timeout_s: float, read_timeout_s: float
    ) -> None:
        """`context` for https."""
        parts = urlsplit(url)
        self.url = url
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if context else 80)
        host = f"[{self._host}]" if ":" in self._host else self._host
        if self._port != (443 if context else 80):  # as it is signed, without the port that the scheme implies
            host = f"{host}:{self._port}"
        self.host = host
        self._start = f"POST {parts.path or '/'} HTTP/1.1\r\nHost: {host}\r\nAccept-Encoding: identity\r\n"
        self._context = context
        self._connect_timeout_s, self._read_timeout_s = connect_timeout_s, read_timeout_s
        self._free: deque[socket.socket] = deque(maxlen=most)
        weakref.finalize(self, _close_all, self._free)

    def post(self, headers: list[tuple[str, str]], body: bytes) -> tuple[int, Headers, bytes]:
        """Sends one request and reads its answer. Raises what botocore raises where that fails."""
        lines = "".join([f"{name}: {value}\r\n" for name, value in headers])
        sent = f"{self._start}{lines}Content-Length: {len(body)}\r\n\r\n".encode("latin-1") + body
        connection = self._connection()
        try:
            connection.sendall(sent)
            status, answered, content = _Answer(connection).read()
        except BaseException as error:
            connection.close()
            raise self._explained(error) from error
        if connection.fileno() < 0 or answered.get("connection", "").lower() == "close":
            connection.close()
        else:
            self._keep(connection)
        return status, answered, content

    def close(self) -> None:
        _close_all(self._free)

    def _keep(self, connection: socket.socket) -> None:
        if len(self._free) == self._free.maxlen:
            connection.close()
        else:
            self._free.append(connection)

    def _connection(self) -> socket.socket:
        while True:
            try:
                connection = self._free.pop()
            except IndexError:
                return self._opened()
            if not wait_for_read(connection, timeout=0):  # by poll: select ends at descriptor 1023
                return connection
            connection.close()  # the server has closed it, or said something that nobody asked for

    def _opened(self) -> socket.socket:
        try:
            plain = socket.create_connection((self._host, self._port), self._connect_timeout_s)
        except TimeoutError as error:
            raise ConnectTimeoutError(endpoint_url=self.url, error=error) from error
        except OSError as error:
            raise EndpointConnectionError(endpoint_url=self.url, error=error) from error
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = plain
            if self._context is not None:
                connection = self._context.wrap_socket(plain, server_hostname=self._host)
            connection.settimeout(self._read_timeout_s)
        except TimeoutError as error:
            plain.close()
            raise ConnectTimeoutError(endpoint_url=self.url, error=error) from error
        except OSError as error:
            plain.close()
            raise SSLError(endpoint_url=self.url, error=error) from error
        return connection

    def _explained(self, error: BaseException) -> BaseException:
        if isinstance(error, TimeoutError):
            return ReadTimeoutError(endpoint_url=self.url, error=error)
        if isinstance(error, OSError | ValueError):
            return ConnectionClosedError(endpoint_url=self.url, error=error)
        return error


def _close_all(connections: deque[socket.socket]) -> None:
    while connections:
        connections.pop().close()


class _Answer:
    """Raises OSError and ValueError."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._buffer = bytearray()

    def read(self) -> tuple[int, Headers, bytes]:
        status, headers = self._head()
        while 100 <= status < 200:
            status, headers = self._head()
        if status in (204, 304):
            return status, headers, b""
        if "chunked" in headers.get("transfer-encoding", "").lower():
            return status, headers, self._chunks()
        length = headers.get("content-length")
        return status, headers, self._rest() if length is None else self._take(int(length))

    def _head(self) -> tuple[int, Headers]:
        end = self._find(HEAD_END)
        first, *lines = bytes(self._buffer[:end]).decode("latin-1").split("\r\n")
        del self._buffer[: end + len(HEAD_END)]
        version, _, rest = first.partition(" ")
        if not version.startswith("HTTP/1."):
            raise ValueError(f"it is not an answer of HTTP: {first[:40]!r}")
        headers = Headers()
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        if version == "HTTP/1.0":
            headers.setdefault("connection", "close")
        return int(rest[:3]), headers

    def _chunks(self) -> bytes:
        pieces = []
        while True:
            size = int(self._line().partition(b";")[0], 16)
            if size == 0:
                break
            pieces.append(self._take(size))
            self._line()
        while self._line():
            """A trailer."""
        return b"".join(pieces)

    def _line(self) -> bytes:
        end = self._find(b"\r\n")
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 2]
        return line

    def _find(self, end: bytes) -> int:
        while (place := self._buffer.find(end)) < 0:
            if len(self._buffer) > HEAD_BYTES:
                raise ValueError("its head is too long")
            self._more()
        return place

    def _more(self) -> None:
        piece = self._connection.recv(PIECE_BYTES)
        if not piece:
            raise ConnectionResetError("the connection was closed before the answer was whole")
        self._buffer += piece

    def _take(self, size: int) -> bytes:
        """Exactly so many bytes, in pieces that come and go: a second buffer of a page's size costs more than its copy."""
        if len(self._buffer) >= size:
            content = bytes(self._buffer[:size])
            del self._buffer[:size]
            return content
        pieces, left = [bytes(self._buffer)], size - len(self._buffer)
        self._buffer.clear()
        while left:
            piece = self._connection.recv(min(left, PIECE_BYTES))
            if not piece:
                raise ConnectionResetError(f"the connection was closed after {size - left} of {size} bytes")
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)

    def _rest(self) -> bytes:
        """To the end of the connection, which is then used no more."""
        pieces = [bytes(self._buffer)]
        while piece := self._connection.recv(PIECE_BYTES):
            pieces.append(piece)
        self._connection.close()
        return b"".join(pieces)
