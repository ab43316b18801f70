"""moto on 127.0.0.1, in werkzeug's threaded server."""

import threading
from collections.abc import Callable
from typing import Any, Self
from wsgiref.types import WSGIApplication, WSGIEnvironment

from moto.server import DomainDispatcherApplication, create_backend_app  # type: ignore[attr-defined] # re-exported
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from firnline_local.aws.application import AwsApplication
from firnline_local.aws.authorizer import Authorizer, allow_everything
from firnline_local.aws.moto_additions import add_to_moto
from firnline_local.faults import FaultPlan

HOST = "127.0.0.1"


class Handler(WSGIRequestHandler):
    """Logs what failed, not each request; and a connection that a fault cut is not read again."""

    def connection_dropped(self, error: BaseException, environ: WSGIEnvironment | None = None) -> None:
        self.close_connection = True

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass


def application(faults: FaultPlan, authorizer: Authorizer = allow_everything) -> AwsApplication:
    """The application with moto behind it. moto's state is this process's: two applications share it."""
    add_to_moto()
    moto: Any = DomainDispatcherApplication(create_backend_app)
    return AwsApplication(moto, faults, authorizer=authorizer)


def listen(served: WSGIApplication, *, port: int = 0) -> BaseWSGIServer:
    """Binds the port, or a free one for 0; answers only once `serve_forever` runs."""
    return make_server(HOST, port, served, threaded=True, request_handler=Handler)


def endpoint(server: BaseWSGIServer) -> str:
    return f"http://{HOST}:{server.port}"


class AwsServer:
    """Serves from a thread while the `with` block lasts. moto's state is this process's: reset it between tests."""

    def __init__(
        self, faults: FaultPlan | None = None, *, application_of: Callable[[FaultPlan], WSGIApplication] = application
    ) -> None:
        self.faults = faults or FaultPlan()
        self._server = listen(application_of(self.faults))
        self.endpoint = endpoint(self._server)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="aws", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
