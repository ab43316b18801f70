"""A real HTTP proxy on loopback: CONNECT, and plain requests in absolute form. It notes whom it was asked for.

`hosts` leads names that no resolver knows to ports of this machine. With a `login` it answers 407 to whoever has another one.
"""

import base64
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Self
from urllib.parse import urlsplit

CHUNK = 65_536
REFUSED = (
    b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nConnection: close\r\n"
    b"Content-Length: 0\r\n\r\n"
)
FORBIDDEN = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"


class ConnectProxy:
    """Takes connections while the `with` block lasts."""

    def __init__(
        self, hosts: Mapping[str, int] = {}, *, login: str | None = None, host_header: str | None = None
    ) -> None:
        """`host_header` is what servers get in plain requests, where they answer to no other name."""
        self.hosts = dict(hosts)
        self._host_header = host_header
        self.login = login
        self.forbidden: set[str] = set()
        self.asked: list[tuple[str, str]] = []
        """Method and host of each request, also of those that were refused."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []

    @property
    def port(self) -> int:
        port: int = self._listener.getsockname()[1]
        return port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def asked_hosts(self) -> set[str]:
        return {host for _, host in self.asked}

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, name="connect-proxy", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for each in (self._listener, *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._open.append(client)
                threading.Thread(target=self._serve, args=(client,), name="connect-proxy", daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError, ValueError), client, client.makefile("rb", buffering=0) as lines:
            self._serve_request(client, lines)

    def _serve_request(self, client: socket.socket, lines: Any) -> None:
        method, target, _ = lines.readline().decode().split(" ", 2)
        headers = {}
        while line := lines.readline().decode("latin-1").strip():
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        parts = urlsplit(f"//{target}" if method == "CONNECT" else target)
        host = parts.hostname or ""
        self.asked.append((method, host))
        if not self._lets_in(headers):
            client.sendall(REFUSED)
            return
        if host in self.forbidden:
            client.sendall(FORBIDDEN)
            return
        port = self.hosts.get(host, parts.port or 80)
        with socket.create_connection(("127.0.0.1", port)) as server:
            self._open.append(server)
            if method == "CONNECT":
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
                if self._host_header is not None:
                    headers["host"] = self._host_header
                kept = [f"{name}: {value}" for name, value in headers.items() if not name.startswith("proxy-")]
                kept.append("connection: close")
                server.sendall("\r\n".join([f"{method} {path} HTTP/1.1", *kept, "", ""]).encode("latin-1"))
            back = threading.Thread(target=_copy, args=(server, client), name="connect-proxy", daemon=True)
            back.start()
            _copy(client, server)
            back.join()

    def _lets_in(self, headers: Mapping[str, str]) -> bool:
        if self.login is None:
            return True
        return headers.get("proxy-authorization") == "Basic " + base64.b64encode(self.login.encode()).decode()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError, ValueError):
        while data := source.recv(CHUNK):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
