"""HTTP/2 for the embedded Kinesis, which the Java SDK demands for fan-out: without TLS, by prior knowledge (RFC 9113, 3.3).

What the answers say is the embedded Kinesis' own; frames, windows and headers are those of the library h2.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, StreamEnded, StreamReset, WindowUpdated
from h2.exceptions import ProtocolError, StreamClosedError

from firnline_local.kinesis.http import HttpRequest
from firnline_local.kinesis.pusher import Pusher
from firnline_local.kinesis.server import Listener
from firnline_local.kinesis.wire import Reply


@dataclass(kw_only=True, eq=False)
class Exchange:
    """One request and the body of its answer, as far as the client has room for it. Implements Sink."""

    connection: "Http2Protocol"
    number: int
    headers: dict[str, str]
    received: bytearray = field(default_factory=bytearray)
    unsent: bytearray = field(default_factory=bytearray)
    pusher: Pusher | None = None
    is_whole: bool = False
    is_over: bool = False

    def is_closing(self) -> bool:
        return self.is_over

    def write(self, message: bytes) -> None:
        self.unsent += message
        self.flush()
        if self.unsent and self.pusher is not None:
            self.pusher.pause()

    def end(self) -> None:
        self.is_whole = True
        self.flush()

    def abort(self) -> None:
        self.connection.transport.abort()

    def flush(self) -> None:
        """Sends what the windows of the stream and of the connection allow."""
        frames = self.connection.frames
        while self.unsent and not self.is_over:
            size = min(frames.local_flow_control_window(self.number), frames.max_outbound_frame_size, len(self.unsent))
            if size <= 0:
                break
            frames.send_data(self.number, bytes(self.unsent[:size]))
            del self.unsent[:size]
        if self.is_whole and not self.unsent and not self.is_over:
            self.is_over = True
            frames.end_stream(self.number)
        self.connection.send()

    def close(self) -> None:
        self.is_over = True
        if self.pusher is not None:
            self.pusher.close()


class Http2Protocol(asyncio.Protocol):
    """One connection, with as many requests at once as the client likes."""

    transport: asyncio.Transport

    def __init__(self, answer: Callable[[HttpRequest], Reply], connections: set[asyncio.Transport]) -> None:
        self._answer = answer
        self._connections = connections
        self._exchanges: dict[int, Exchange] = {}
        self.frames = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._connections.add(transport)
        self.frames.initiate_connection()
        self.send()

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self.transport)
        for each in self._exchanges.values():
            each.close()

    def data_received(self, data: bytes) -> None:
        try:
            events = self.frames.receive_data(data)
        except ProtocolError:
            self.send()
            self.transport.close()
            return
        for event in events:
            self._take(event)
        self.send()

    def send(self) -> None:
        if data := self.frames.data_to_send():
            self.transport.write(data)

    def _take(self, event: object) -> None:
        match event:
            case RequestReceived(stream_id=number, headers=headers):
                self._exchanges[number] = Exchange(connection=self, number=number, headers=dict(headers))
            case DataReceived(stream_id=number, data=data, flow_controlled_length=length):
                self._exchanges[number].received += data
                self.frames.acknowledge_received_data(length, number)
            case StreamEnded(stream_id=number):
                self._reply(self._exchanges[number])
            case StreamReset(stream_id=number) if number in self._exchanges:
                self._exchanges.pop(number).close()
            case WindowUpdated():
                for each in [each for each in self._exchanges.values() if each.unsent]:
                    each.flush()
                    if not each.unsent and each.pusher is not None:
                        each.pusher.resume()

    def _reply(self, exchange: Exchange) -> None:
        headers = exchange.headers
        request = HttpRequest(headers[":method"], headers[":path"], headers, bytes(exchange.received))
        reply = self._answer(request)
        if reply.is_cut:
            self.transport.abort()
            return
        asyncio.get_running_loop().call_later(reply.delay_s, self._send_reply, exchange, reply)

    def _send_reply(self, exchange: Exchange, reply: Reply) -> None:
        try:
            self.frames.send_headers(
                exchange.number, [(":status", str(reply.status)), ("content-type", reply.content_type)]
            )
        except StreamClosedError:
            return
        if reply.pushes is None:
            exchange.write(reply.body)
            exchange.end()
        else:
            exchange.pusher = Pusher(reply.pushes, exchange)


class Http2Listener(Listener):
    def _connection(self) -> asyncio.Protocol:
        return Http2Protocol(self._service.answer, self._connections)
