"""The server: one asyncio loop on 127.0.0.1, in this process's main thread or in one of its own."""

import asyncio
import threading
from typing import Self

from firnline_local.kinesis.fake import FakeKinesis
from firnline_local.kinesis.http import HttpProtocol
from firnline_local.kinesis.routes import KinesisFace

HOST = "127.0.0.1"


class Listener:
    """Answers from `start` to `stop`, while the loop runs."""

    def __init__(self, face: KinesisFace) -> None:
        self._face = face
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

    def _connection(self) -> HttpProtocol:
        return HttpProtocol(self._face.answer, self._face.kinesis.clock, self._connections)


class KinesisServer:
    """Serves a fake that the test keeps in its hands, from a thread, while the `with` block lasts."""

    def __init__(self, kinesis: FakeKinesis) -> None:
        self.kinesis = kinesis
        self._listener = Listener(KinesisFace(kinesis))
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
