"""The server: one asyncio loop on 127.0.0.1, in this process's main thread or in one of its own.

A request goes to an operation of Kinesis, or to the control route that shows and replaces the faults:

GET  /__firnline__/faults     the plan, with how often each fault was matched and hit
POST /__firnline__/faults     replaces it: a list of faults
"""

import asyncio
import threading
from collections.abc import Collection
from typing import Self

from firnline_local.faults import CONTROL_PREFIX, asked
from firnline_local.kinesis.fake import FakeKinesis
from firnline_local.kinesis.http import HttpProtocol, HttpRequest
from firnline_local.kinesis.wire import Reply, respond
from firnline_local.other_sites import refusal

HOST = "127.0.0.1"


class KinesisService:
    """Answers requests, one after the other. A test may subclass it, to see each call before and after."""

    def __init__(self, kinesis: FakeKinesis, hosts: Collection[str] = ()) -> None:
        """`hosts`: names beside those of loopback that it is asked by."""
        self.kinesis = kinesis
        self._hosts = hosts

    def answer(self, request: HttpRequest) -> Reply:
        if (reason := refusal(request.headers, self._hosts)) is not None:
            return Reply(403, reason.encode(), content_type="text/plain")
        if request.target.startswith(CONTROL_PREFIX):
            return self._control(request)
        return respond(
            self.kinesis,
            target=request.headers.get("x-amz-target", ""),
            content_type=request.headers.get("content-type", ""),
            body=request.body,
        )

    def _control(self, request: HttpRequest) -> Reply:
        if request.target != f"{CONTROL_PREFIX}faults" or request.method not in {"GET", "POST"}:
            refusal = f"there is no {request.method} {request.target}; there are {CONTROL_PREFIX}faults"
            return Reply(404, refusal.encode(), content_type="text/plain")
        status, body = asked(self.kinesis.faults, request.method, request.body)
        return Reply(status, body, content_type="application/json")


class Listener:
    """Answers from `start` to `stop`, while the loop runs."""

    def __init__(self, service: KinesisService) -> None:
        self._service = service
        self._connections: set[asyncio.Transport] = set()
        self.endpoint = ""

    async def start(self, *, port: int = 0) -> None:
        """Port 0 is a free one."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._connection, HOST, port)
        self.endpoint = f"http://{HOST}:{self._server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        """Cuts the connections that clients keep open."""
        self._server.close()
        for connection in list(self._connections):
            connection.abort()
        while self._connections:
            await asyncio.sleep(0)

    def _connection(self) -> asyncio.Protocol:
        return HttpProtocol(self._service.answer, self._service.kinesis.clock, self._connections)


class KinesisServer:
    """Serves a fake that the test keeps in its hands, from a thread, while the `with` block lasts."""

    def __init__(self, kinesis: FakeKinesis, listener: type[Listener] = Listener, hosts: Collection[str] = ()) -> None:
        """`hosts`: names beside those of loopback that it is asked by, behind a relay."""
        self.kinesis = kinesis
        self._listener = listener(KinesisService(kinesis, hosts))
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fake-kinesis", daemon=True)

    @property
    def endpoint(self) -> str:
        return self._listener.endpoint

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listener.start(), self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._listener.stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
