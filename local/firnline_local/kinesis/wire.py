"""The service as its wire protocol (AWS JSON 1.1, and the same in CBOR) shows it, faults included.

Both ways to reach the fake answer through `respond`: over HTTP (server.py), and in process through `connect`, where
botocore builds, signs and parses as it always does and only the sending is replaced. A test then sees what production
code would see, down to the retries, and needs no socket.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from firnline_local.clock import Clock
from firnline_local.faults import Fault, FaultKind, FaultPlan
from firnline_local.kinesis import cbor, event_stream
from firnline_local.kinesis.errors import FakeKinesisError
from firnline_local.kinesis.subscription import Subscription

if TYPE_CHECKING:
    from botocore.awsrequest import AWSResponse
    from mypy_boto3_kinesis import KinesisClient

CONTENT_TYPE = "application/x-amz-json-1.1"
REST_S = 0.005
TARGET_PREFIX = "Kinesis_20131202."


class Service(Protocol):
    """The service that answers: FakeKinesis."""

    faults: FaultPlan

    @property
    def speaks_cbor(self) -> bool:
        """Returns whether it answers requests in CBOR, or refuses them."""

    @property
    def clock(self) -> Clock:
        """Clock of the Date header of an answer."""

    def handle(self, operation: str, body: bytes) -> bytes:
        """The answer's JSON. Raises FakeKinesisError."""

    def subscribe(self, body: bytes) -> Subscription:
        """Returns what SubscribeToShard pushes from now on. Raises FakeKinesisError."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply to a client, after `delay_s`: an answer, or a connection that is closed without one."""

    status: int
    body: bytes
    is_cut: bool = False
    delay_s: float = 0
    content_type: str = CONTENT_TYPE
    pushes: "Pushes | None" = None
    """In place of a body: messages until they are over."""
    is_of_fault: bool = False
    """The body is one that a fault asked for."""


def respond(kinesis: Service, *, target: str, content_type: str, body: bytes) -> Reply:
    """Answers one request, in the form in which it came; `target` is its X-Amz-Target header."""
    form = content_type.partition(";")[0].strip()
    if form == cbor.CONTENT_TYPE and kinesis.speaks_cbor:
        return _in_cbor(kinesis, target, body)
    if form != CONTENT_TYPE:
        problem = f"The content type {content_type!r} is not spoken here: send {CONTENT_TYPE}."
        return error_reply(FakeKinesisError("SerializationException", problem))
    return _in_json(kinesis, target, body)


def _in_json(kinesis: Service, target: str, body: bytes) -> Reply:
    if not target.startswith(TARGET_PREFIX):
        return error_reply(
            FakeKinesisError("UnknownOperationException", f"X-Amz-Target is {target!r}, not of Kinesis.")
        )
    operation = target.removeprefix(TARGET_PREFIX)
    fault = kinesis.faults.decide(f"kinesis:{operation}")
    if fault is None:
        return _answer(kinesis, operation, body)
    return _faulty_answer(kinesis, operation, body, fault)


def _in_cbor(kinesis: Service, target: str, body: bytes) -> Reply:
    """A fault's own body, and what a subscription pushes, stay as they are."""
    try:
        reply = _in_json(kinesis, target, cbor.request_as_json(body))
    except ValueError as error:
        reply = error_reply(FakeKinesisError("SerializationException", f"The request is not valid CBOR: {error}."))
    if reply.content_type != CONTENT_TYPE or reply.is_of_fault:
        return reply
    return replace(reply, body=cbor.answer_as_cbor(reply.body), content_type=cbor.CONTENT_TYPE)


def error_reply(error: FakeKinesisError, *, delay_s: float = 0) -> Reply:
    body = msgspec.json.encode({"__type": error.code, "message": error.message})
    return Reply(error.status, body, delay_s=delay_s)


def _answer(kinesis: Service, operation: str, body: bytes) -> Reply:
    try:
        if operation == "SubscribeToShard":
            pushes = Pushes(kinesis, kinesis.subscribe(body))
            return Reply(200, b"", content_type=event_stream.CONTENT_TYPE, pushes=pushes)
        return Reply(200, kinesis.handle(operation, body))
    except FakeKinesisError as error:
        return error_reply(error)


def _faulty_answer(kinesis: Service, operation: str, body: bytes, fault: Fault) -> Reply:
    if fault.kind is FaultKind.ERROR:
        code, message = fault.code or "InternalFailureException", fault.message or "A fault that was asked for."
        return error_reply(FakeKinesisError(code, message, fault.status), delay_s=fault.delay_s)
    if fault.kind is FaultKind.CUT:
        return Reply(0, b"", is_cut=True, delay_s=fault.delay_s)
    if fault.kind is FaultKind.BODY:
        return Reply(200, fault.body.encode(), delay_s=fault.delay_s, is_of_fault=True)
    reply = _answer(kinesis, operation, body)
    return replace(reply, is_cut=fault.kind is FaultKind.LOST, delay_s=fault.delay_s)


class Pushes:
    """The messages of one subscription, with the faults of `kinesis:SubscribeToShardEvent`: each event is a call of that.

    An ERROR is an exception in the stream, which ends it; a CUT and a LOST one end the connection before or after the event
    was taken; a SLOW one holds back what follows.
    """

    def __init__(self, kinesis: Service, subscription: Subscription) -> None:
        self._faults = kinesis.faults
        self._is_greeted = False
        self.subscription = subscription
        self.is_cut = False
        self.delay_s = 0.0
        """Of the message that was given last."""

    @property
    def is_over(self) -> bool:
        return self.subscription.is_over or self.is_cut

    def next(self) -> bytes | None:
        """Returns None if there is nothing now."""
        self.delay_s = 0.0
        with self.subscription.account.lock:
            message = self.subscription.next_message()
            if message is None or not self._is_greeted:
                self._is_greeted = True
                return message
            fault = self._faults.decide("kinesis:SubscribeToShardEvent")
            return message if fault is None else self._faulty(message, fault)

    def close(self) -> None:
        with self.subscription.account.lock:
            self.subscription.close()

    def _faulty(self, message: bytes, fault: Fault) -> bytes | None:
        self.delay_s = fault.delay_s
        if fault.kind is FaultKind.ERROR:
            code = fault.code or "InternalFailureException"
            return self.subscription.end(FakeKinesisError(code, fault.message or "A fault that was asked for."))
        if fault.kind is FaultKind.BODY:
            return fault.body.encode()
        if fault.kind in (FaultKind.CUT, FaultKind.LOST):
            self.subscription.close()
            self.is_cut = True
            return message if fault.kind is FaultKind.LOST else None
        return message


def connect(client: "KinesisClient", kinesis: Service, *, rest: Callable[[float], None] = time.sleep) -> None:
    """Lets `kinesis` answer every request of this client from now on. A fault's delay is really waited for.

    `rest` waits where a subscription has nothing to say.
    """

    def answer(request: Any, **_: Any) -> "AWSResponse":
        target, content_type = (_text(request.headers[name]) for name in ("X-Amz-Target", "Content-Type"))
        return answered(kinesis, target, content_type, request.body, rest=rest, url=request.url)

    events: Any = client.meta.events  # its stubs don't know handlers that answer
    events.register("before-send.kinesis", answer)


def answered(
    kinesis: Service,
    target: str,
    content_type: str,
    body: bytes,
    *,
    rest: Callable[[float], None] = time.sleep,
    url: str = "",
) -> "AWSResponse":
    """The answer to one request, as botocore's HTTP session has it. Raises ConnectionClosedError where a fault cuts it."""
    from botocore.awsrequest import AWSResponse, HeadersDict
    from botocore.exceptions import ConnectionClosedError

    reply = respond(kinesis, target=target, content_type=content_type, body=body)
    time.sleep(reply.delay_s)
    if reply.is_cut:
        raise ConnectionClosedError(endpoint_url=url)
    date = format_datetime(kinesis.clock(), usegmt=True)
    headers: Any = HeadersDict({"Content-Type": reply.content_type, "Date": date})
    content: Any = _Body(reply.body) if reply.pushes is None else PushedBody(reply.pushes, rest)
    return AWSResponse(url, reply.status, headers, content)


class _Body:
    """The part of urllib3's response that botocore reads."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self) -> list[bytes]:
        return [self._content]


class PushedBody:
    """A subscription, read as it comes."""

    def __init__(self, pushes: Pushes, rest: Callable[[float], None]) -> None:
        self._pushes, self._rest = pushes, rest
        self._is_shut = False

    def stream(self) -> Iterator[bytes]:
        from urllib3.exceptions import ProtocolError

        while not self._is_shut:
            message, delay_s = self._pushes.next(), self._pushes.delay_s
            if message is not None:
                yield message
                if delay_s:
                    self._rest(delay_s)
            elif self._pushes.is_over:
                break
            else:
                self._rest(REST_S)
        if self._pushes.is_cut or self._is_shut:
            raise ProtocolError("Connection broken: it was cut, as a fault wanted it, or its reader shut it down")

    def shutdown(self) -> None:
        """Like urllib3's: a thread that reads it reads no more."""
        self._is_shut = True

    def close(self) -> None:
        self._pushes.close()


def _text(header: str | bytes) -> str:
    return header.decode() if isinstance(header, bytes) else header
