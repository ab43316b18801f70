"""Serves one of the canned servers: asyncio on a free port of 127.0.0.1, until the parent ends or a signal comes."""

import asyncio
import signal
import ssl
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from firnline_local.kinesis.http import HttpProtocol, HttpRequest
from firnline_local.kinesis.wire import Reply
from firnline_local.process import announce_ready

HOST = "127.0.0.1"


def serve(reply: Callable[[HttpRequest], Reply], tls: ssl.SSLContext | None = None, **facts: str) -> None:
    """Says where it listens, and `facts`, in one line of JSON on stdout."""
    asyncio.run(_serve(reply, tls, facts))


async def _serve(reply: Callable[[HttpRequest], Reply], tls: ssl.SSLContext | None, facts: Mapping[str, str]) -> None:
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    server = await loop.create_server(lambda: HttpProtocol(reply, lambda: datetime.now(UTC), set()), HOST, 0, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    announce_ready(endpoint=f"{'https' if tls else 'http'}://{HOST}:{port}", **facts)
    await stopped.wait()
