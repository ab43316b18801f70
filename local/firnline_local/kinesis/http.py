"""The part of HTTP/1.1 that AWS's clients speak: one request at a time on a connection that stays open.

Small because it has to be fast: a request is parsed from one buffer, and an answer is written as it is.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from http import HTTPStatus
from uuid import uuid4

from firnline_local.kinesis.pusher import Pusher
from firnline_local.kinesis.wire import Reply

MAX_BODY_BYTES = 1 << 30
HEAD_END = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """`headers` have lower-case names; `target` is the path with its query."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


class HttpProtocol(asyncio.Protocol):
    """One connection. `answer` is called in the loop's thread and must not wait; a reply may ask to be sent later."""

    def __init__(
        self,
        answer: Callable[[HttpRequest], Reply],
        now: Callable[[], datetime],
        connections: set[asyncio.Transport],
    ) -> None:
        """`connections` holds those that are open, so that a server can end them."""
        self._answer = answer
        self._now = now
        self._connections = connections
        self._buffer = bytearray()
        self._head: HttpRequest | None = None  # of a request whose body is still on its way
        self._is_answering = False
        self._pusher: Pusher | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if not isinstance(transport, asyncio.Transport):
            raise TypeError(f"{transport!r} is not a stream")
        self._transport = transport
        self._connections.add(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self._transport)
        if self._pusher is not None:
            self._pusher.close()

    def pause_writing(self) -> None:
        """The client reads too slowly: what is pushed waits in the service, and not in this process' memory."""
        if self._pusher is not None:
            self._pusher.pause()

    def resume_writing(self) -> None:
        if self._pusher is not None:
            self._pusher.resume()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._advance()

    def _advance(self) -> None:
        """Answers what the buffer holds in full, in order."""
        while not self._is_answering and not self._transport.is_closing():
            request = self._take_request()
            if request is None:
                return
            reply = self._answer(request)
            if reply.delay_s:
                self._is_answering = True
                asyncio.get_running_loop().call_later(reply.delay_s, self._send_late, reply)
            else:
                self._send(reply)

    def _take_request(self) -> HttpRequest | None:
        if self._head is None:
            end = self._buffer.find(HEAD_END)
            if end < 0:
                return None
            self._head = _parse_head(bytes(self._buffer[:end]))
            del self._buffer[: end + len(HEAD_END)]
        length = _body_length(self._head)
        if length is None:
            self._send(
                Reply(HTTPStatus.LENGTH_REQUIRED, b"send a Content-Length below 1 GiB", content_type="text/plain")
            )
            self._transport.close()
            return None
        if len(self._buffer) < length:
            return None
        head, self._head = self._head, None
        body = bytes(memoryview(self._buffer)[:length])
        del self._buffer[:length]
        return HttpRequest(head.method, head.target, head.headers, body)

    def _send_late(self, reply: Reply) -> None:
        self._is_answering = False
        if not self._transport.is_closing():
            self._send(reply)
            self._advance()

    def _send(self, reply: Reply) -> None:
        if reply.is_cut:
            self._transport.abort()
            return
        is_pushed = reply.pushes is not None
        length = "Transfer-Encoding: chunked" if is_pushed else f"Content-Length: {len(reply.body)}"
        head = (
            f"HTTP/1.1 {reply.status} {_reason(reply.status)}\r\n"
            f"x-amzn-RequestId: {uuid4()}\r\n"
            f"Date: {format_datetime(self._now(), usegmt=True)}\r\n"
            f"Content-Type: {reply.content_type}\r\n"
            f"{length}\r\n\r\n"
        )
        self._transport.writelines([head.encode(), reply.body])
        if reply.pushes is not None:
            self._is_answering = True
            self._pusher = Pusher(reply.pushes, Chunks(self._transport, self._pushed))

    def _pushed(self) -> None:
        self._pusher, self._is_answering = None, False
        self._advance()


@dataclass(frozen=True, slots=True)
class Chunks:
    """The body of an answer of unknown length; `done` is called at its end."""

    transport: asyncio.Transport
    done: Callable[[], None]

    def is_closing(self) -> bool:
        return self.transport.is_closing()

    def write(self, message: bytes) -> None:
        self.transport.write(b"%x\r\n%b\r\n" % (len(message), message))

    def end(self) -> None:
        self.transport.write(b"0\r\n\r\n")
        self.done()

    def abort(self) -> None:
        self.transport.abort()


def _parse_head(head: bytes) -> HttpRequest:
    request_line, *lines = head.decode("latin-1").split("\r\n")
    method, _, rest = request_line.partition(" ")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return HttpRequest(method, rest.rpartition(" ")[0], headers, b"")


def _body_length(head: HttpRequest) -> int | None:
    """Returns None for a body that is chunked, too long, or of a length that is not a number."""
    length = head.headers.get("content-length", "0")
    if "transfer-encoding" in head.headers or not length.isdecimal() or int(length) > MAX_BODY_BYTES:
        return None
    return int(length)


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Fault"
