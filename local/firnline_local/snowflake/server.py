"""One TLS server on 127.0.0.1: the services of the embedded Snowflake, and the control routes, over one catalog."""

import asyncio
import socket
from collections.abc import Iterable
from pathlib import Path
from threading import Thread
from typing import Any, Self

import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from uvicorn.protocols.http.h11_impl import H11Protocol

from firnline_local.faults import FaultPlan
from firnline_local.other_sites import refusal
from firnline_local.snowflake.catalog import Catalog
from firnline_local.snowflake.faulty import ABORT
from firnline_local.snowflake.files import FileService, file_routes
from firnline_local.snowflake.sql import sql_routes
from firnline_local.snowflake.streaming import StreamingService, StreamingSettings, control_routes, streaming_routes
from firnline_local.snowflake.tls import make_certificates

HOST = "127.0.0.1"
BACKLOG = 1024

STOPS_WITHIN_S = 5
"""A client that keeps a connection open without an answer keeps no server up for longer."""


class EmbeddedSnowflake:
    """Serves a catalog from when it is made until `close`: in a thread of its own, or where `serve` is called."""

    def __init__(
        self,
        catalog: Catalog,
        *,
        folder: Path,
        port: int = 0,
        settings: StreamingSettings | None = None,
        hosts: Iterable[str] = (),
    ) -> None:
        """Writes its certificates into `folder`, for loopback and `hosts`; port 0 is a free one."""
        named = tuple(hosts)
        certificates = make_certificates(folder, hosts=named)
        self.catalog = catalog
        self.faults = FaultPlan()
        self.streaming = StreamingService(catalog, self.faults, settings=settings)
        self.files = FileService(catalog, self.faults)
        self.ca_file = certificates.ca_file
        self._socket = _listen(port)
        self.url = f"https://{HOST}:{self._socket.getsockname()[1]}"
        self._server = _Server(
            uvicorn.Config(
                _application(self.streaming, self.files),
                http=_protocol(named),
                ws="none",
                lifespan="off",
                log_level="warning",
                access_log=False,
                timeout_graceful_shutdown=STOPS_WITHIN_S,
                ssl_certfile=certificates.cert_file,
                ssl_keyfile=certificates.key_file,
            )
        )
        self._thread: Thread | None = None

    def serve(self) -> None:
        """Returns after SIGINT, SIGTERM or `close`."""
        self.streaming.start()
        self.files.start()
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self.files.close()
            self.streaming.close()

    def start(self) -> Self:
        self._thread = Thread(target=self.serve, name="embedded-snowflake", daemon=True)
        self._thread.start()
        return self

    def close(self) -> None:
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join()
        self._socket.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()


class CuttableProtocol(H11Protocol):
    """Lets a handler cut its connection, which ASGI has no word for."""

    hosts: tuple[str, ...] = ()
    """Names beside those of loopback."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn narrows it
        super().connection_made(transport)
        application = self.app

        async def with_abort(scope: Any, receive: Any, send: Any) -> None:
            scope.setdefault("extensions", {})[ABORT] = transport.abort
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
            reason = refusal(headers, self.hosts)
            await (application if reason is None else PlainTextResponse(reason, 403))(scope, receive, send)

        self.app = with_abort


def _protocol(hosts: tuple[str, ...]) -> type[CuttableProtocol]:
    return type("CuttableProtocol", (CuttableProtocol,), {"hosts": hosts})


class _Server(uvicorn.Server):
    """Ends at once: a client that keeps its connections open doesn't hold it up."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for connection in list(self.server_state.connections):
            transport = getattr(connection, "transport", None)
            if isinstance(transport, asyncio.Transport):
                transport.abort()
        await super().shutdown(sockets)


def _application(streaming: StreamingService, files: FileService) -> Starlette:
    return Starlette(
        routes=[
            *streaming_routes(streaming),
            *control_routes(streaming),
            *file_routes(files),
            *sql_routes(streaming.catalog, streaming.faults),
        ]
    )


def _listen(port: int) -> socket.socket:
    """Clients can connect from now on; they are answered once the server runs."""
    # The protocol is named because asyncio sets TCP_NODELAY only where it is; without, each answer waits for 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((HOST, port))
    listener.listen(BACKLOG)
    return listener
