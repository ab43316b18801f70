"""The status as a page: one small server on loopback, which reads and never writes.

The standard library's, because four files and one stream of events need no framework: nothing is installed, and nothing listens
beyond this process. A browser's own rules are used against other pages: the Host header has to be the address that was printed
(a foreign name that resolves to 127.0.0.1 is refused), so has an Origin, what reads the ledger is for this page alone
(Sec-Fetch-Site: an image elsewhere has no Origin), and the content security policy lets nothing in.
"""

import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Self

from firnline_infra.status.feed import StatusFeed, StatusSource
from firnline_infra.status.overview import Overview, path_of

LOOPBACK = "127.0.0.1"
MOST_LISTENERS, SILENT_S, TIMEOUT_S = 16, 15.0, 30.0
PAGE = "text/html; charset=utf-8"
ASSETS = {
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    **{
        f"/{name}.js": (f"{name}.js", "text/javascript; charset=utf-8")
        for name in ("page", "parts", "shards", "charts", "overview")
    },
}
OF_ONE, OF_ALL = ("index.html", PAGE), ("overview.html", PAGE)
FILES = {"/": OF_ONE, **ASSETS}
"""What a server of one environment gives."""

Feed = StatusFeed | Overview
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@cache
def file_of_page(name: str) -> bytes:
    return files("firnline_infra.status").joinpath("page", name).read_bytes()


class StatusServer:
    """Serves from the `with` on, on threads of its own, until it ends.

    One reader is the page of its environment. Several, by their names, are an overview, and a page each below /env/NAME/.
    """

    def __init__(self, readers: StatusSource | Mapping[str, StatusSource], *, port: int = 0) -> None:
        self._server = _Server(port, _several(readers) if isinstance(readers, Mapping) else _one(readers))

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}/"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, name="status-page", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.over.set()
        for feed in self._server.site.feeds.values():
            feed.close()
        self._server.shutdown()
        self._server.server_close()

    def wait(self) -> None:
        """Waits until something else ends the server."""
        while not self._server.over.wait(1.0):
            pass


@dataclass(frozen=True)
class _Site:
    """Table of what is at which path."""

    files: Mapping[str, tuple[str, str]]
    feeds: Mapping[str, Feed]
    """By the path of the page that shows it."""

    def feed_at(self, path: str, name: str) -> Feed | None:
        return self.feeds.get(path.removesuffix(name)) if path.endswith(f"/{name}") else None


def _one(reader: StatusSource) -> _Site:
    return _Site(FILES, {"/": StatusFeed(reader)})


def _several(readers: Mapping[str, StatusSource]) -> _Site:
    overview = Overview(readers)
    pages = {path_of(name): feed for name, feed in overview.feeds.items()}
    return _Site({"/": OF_ALL, **ASSETS, **dict.fromkeys(pages, OF_ONE)}, {"/": overview, **pages})


class _Handler(BaseHTTPRequestHandler):
    server: "_Server"
    timeout = TIMEOUT_S
    server_version, sys_version = "firnline", ""

    def do_GET(self) -> None:
        if (refused := self._refused()) is not None:
            self._answer(refused, b"")
        elif (feed := self.server.site.feed_at(self.path, "events")) is not None:
            self._events(feed)
        elif (feed := self.server.site.feed_at(self.path, "status.json")) is not None:
            self._answer(HTTPStatus.OK, json.dumps(feed.now()).encode(), "application/json")
        elif isinstance(feed := self.server.site.feed_at(self.path, "history.json"), StatusFeed):
            self._answer(HTTPStatus.OK, json.dumps(feed.history()).encode(), "application/json")
        elif (file := self.server.site.files.get(self.path)) is not None:
            self._answer(HTTPStatus.OK, file_of_page(file[0]), file[1])
        else:
            self._answer(HTTPStatus.NOT_FOUND, b"")

    do_HEAD = do_GET  # noqa: N815 # so http.server calls it

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Called by http.server for a method that it does not have (501), or a request that can't be read."""
        self._answer(HTTPStatus(code), b"")

    def _refused(self) -> HTTPStatus | None:
        port = self.connection.getsockname()[1]
        hosts = {f"{host}:{port}" for host in (LOOPBACK, "localhost")}
        if self.headers.get("Host") not in hosts:
            return HTTPStatus.MISDIRECTED_REQUEST
        origin = self.headers.get("Origin")
        is_own = origin is None or origin in {f"http://{host}" for host in hosts}
        if self.path not in self.server.site.files:
            is_own = is_own and self.headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin")
        return None if is_own else HTTPStatus.FORBIDDEN

    def _events(self, feed: Feed) -> None:
        if self.command == "HEAD" or not self.server.listeners.acquire(blocking=False):
            self._answer(HTTPStatus.SERVICE_UNAVAILABLE, b"")
            return
        try:
            self._begin(HTTPStatus.OK, "text/event-stream")
            self.end_headers()
            with feed.listening():
                self._send_events(feed)
        finally:
            self.server.listeners.release()

    def _send_events(self, feed: Feed) -> None:
        seen = 0
        with suppress(OSError):
            while not self.server.over.is_set():
                number, document = feed.after(seen, SILENT_S)
                if self.server.over.is_set():
                    return
                text = f"data: {json.dumps(document)}\n\n" if number > seen else ": still here\n\n"
                self.wfile.write(text.encode())
                self.wfile.flush()
                seen = number

    def _answer(self, status: HTTPStatus, body: bytes, kind: str = "text/plain; charset=utf-8") -> None:
        self._begin(status, kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _begin(self, status: HTTPStatus, kind: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, **HEADERS}.items():
            self.send_header(name, value)

    def log_message(self, *_: object) -> None:
        """The terminal is for the address."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    """Python's 5 are fewer connections than a browser opens for one page, and on a busy machine the next is reset."""

    def __init__(self, port: int, site: _Site) -> None:
        super().__init__((LOOPBACK, port), _Handler)
        self.site, self.over = site, threading.Event()
        self.listeners = threading.BoundedSemaphore(MOST_LISTENERS)

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that goes away is not an error."""
