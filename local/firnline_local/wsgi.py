"""werkzeug's threaded server on 127.0.0.1, for the servers that answer with a WSGI application; how they answer, and fail."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from socket import SHUT_RDWR
from typing import Self
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from firnline_local.faults import Fault, FaultKind
from firnline_local.other_sites import refusal

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    """Beside the type and the length."""

    def send(self, start_response: StartResponse) -> list[bytes]:
        phrase = next((each.phrase for each in HTTPStatus if each == self.status), "Fault")
        own = {"Content-Type": self.content_type, "Content-Length": str(len(self.body))}
        start_response(f"{self.status} {phrase}", list({**own, **self.headers}.items()))
        return [self.body]


def body_of(environ: WSGIEnvironment) -> bytes:
    """The whole of it, also where it comes in chunks."""
    length = -1 if environ.get("wsgi.input_terminated") else int(environ.get("CONTENT_LENGTH") or 0)
    return bytes(environ["wsgi.input"].read(length))


def with_fault(
    fault: Fault, environ: WSGIEnvironment, *, answer: Callable[[], list[bytes]], instead: Callable[[], list[bytes]]
) -> list[bytes]:
    """Calls `answer` where the call takes effect, and else `instead`. A cut is an error, after which werkzeug says no more."""
    content = answer() if fault.kind in {FaultKind.SLOW, FaultKind.LOST} else instead()
    time.sleep(fault.delay_s)
    if fault.kind in {FaultKind.CUT, FaultKind.LOST}:
        environ["werkzeug.socket"].shutdown(SHUT_RDWR)
        raise ConnectionAbortedError("a fault cut this connection")
    return content


class Handler(WSGIRequestHandler):
    """Logs what failed, not each request; and a connection that a fault cut is not read again."""

    def connection_dropped(self, error: BaseException, environ: WSGIEnvironment | None = None) -> None:
        self.close_connection = True

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass


def listen(served: WSGIApplication, *, port: int = 0) -> BaseWSGIServer:
    """Binds the port, or a free one for 0; answers only once `serve_forever` runs."""
    return make_server(HOST, port, _for_no_other_site(served), threaded=True, request_handler=Handler)


def _for_no_other_site(served: WSGIApplication) -> WSGIApplication:
    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        headers = {
            name[5:].lower().replace("_", "-"): value for name, value in environ.items() if name.startswith("HTTP_")
        }
        if (reason := refusal(headers)) is not None:
            return Answer(HTTPStatus.FORBIDDEN, "text/plain", reason.encode()).send(start_response)
        return served(environ, start_response)

    return answer


def endpoint(server: BaseWSGIServer) -> str:
    return f"http://{HOST}:{server.port}"


class WsgiServer:
    """Serves from a thread while the `with` block lasts."""

    def __init__(self, served: WSGIApplication, *, name: str) -> None:
        self._server = listen(served)
        self.endpoint = endpoint(self._server)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name=name, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
