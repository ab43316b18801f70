"""werkzeug's threaded server on 127.0.0.1, for the servers that answer with a WSGI application."""

import threading
from typing import Self
from wsgiref.types import WSGIApplication, WSGIEnvironment

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

HOST = "127.0.0.1"


class Handler(WSGIRequestHandler):
    """Logs what failed, not each request; and a connection that a fault cut is not read again."""

    def connection_dropped(self, error: BaseException, environ: WSGIEnvironment | None = None) -> None:
        self.close_connection = True

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass


def listen(served: WSGIApplication, *, port: int = 0) -> BaseWSGIServer:
    """Binds the port, or a free one for 0; answers only once `serve_forever` runs."""
    return make_server(HOST, port, served, threaded=True, request_handler=Handler)


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
