"""The service as its wire protocol (AWS JSON 1.1) shows it, faults included.

Both ways to reach the fake answer through `respond`: over HTTP (server.py), and in process through `connect`, where
botocore builds, signs and parses as it always does and only the sending is replaced. A test then sees what production
code would see, down to the retries, and needs no socket.
"""

import time
from dataclasses import dataclass
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from firnline_local.clock import Clock
from firnline_local.faults import Fault, FaultKind, FaultPlan
from firnline_local.kinesis.errors import FakeKinesisError

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

CONTENT_TYPE = "application/x-amz-json-1.1"
TARGET_PREFIX = "Kinesis_20131202."


class Service(Protocol):
    """What answers: FakeKinesis."""

    faults: FaultPlan

    @property
    def clock(self) -> Clock:
        """What the Date header of an answer says."""

    def handle(self, operation: str, body: bytes) -> bytes:
        """The answer's JSON. Raises FakeKinesisError."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the client gets, after `delay_s`: an answer, or a connection that is closed without one."""

    status: int
    body: bytes
    is_cut: bool = False
    delay_s: float = 0
    content_type: str = CONTENT_TYPE


def respond(kinesis: Service, *, target: str, content_type: str, body: bytes) -> Reply:
    """Answers one request; `target` is its X-Amz-Target header."""
    if content_type.partition(";")[0].strip() != CONTENT_TYPE:
        problem = (
            f"The content type {content_type!r} is not spoken here: send {CONTENT_TYPE} (for CBOR, AWS_CBOR_DISABLE=1)."
        )
        return error_reply(FakeKinesisError("SerializationException", problem))
    if not target.startswith(TARGET_PREFIX):
        return error_reply(
            FakeKinesisError("UnknownOperationException", f"X-Amz-Target is {target!r}, not of Kinesis.")
        )
    operation = target.removeprefix(TARGET_PREFIX)
    fault = kinesis.faults.decide(f"kinesis:{operation}")
    if fault is None:
        return _answer(kinesis, operation, body)
    return _faulty_answer(kinesis, operation, body, fault)


def error_reply(error: FakeKinesisError, *, delay_s: float = 0) -> Reply:
    body = msgspec.json.encode({"__type": error.code, "message": error.message})
    return Reply(error.status, body, delay_s=delay_s)


def _answer(kinesis: Service, operation: str, body: bytes) -> Reply:
    try:
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
        return Reply(200, fault.body.encode(), delay_s=fault.delay_s)
    reply = _answer(kinesis, operation, body)
    return Reply(reply.status, reply.body, is_cut=fault.kind is FaultKind.LOST, delay_s=fault.delay_s)


def connect(client: "KinesisClient", kinesis: Service) -> None:
    """Lets `kinesis` answer every request of this client from now on. A fault's delay is really waited for."""
    from botocore.awsrequest import AWSResponse, HeadersDict
    from botocore.exceptions import ConnectionClosedError

    def answer(request: Any, **_: Any) -> AWSResponse:
        target, content_type = (_text(request.headers[name]) for name in ("X-Amz-Target", "Content-Type"))
        reply = respond(kinesis, target=target, content_type=content_type, body=request.body)
        time.sleep(reply.delay_s)
        if reply.is_cut:
            raise ConnectionClosedError(endpoint_url=request.url)
        date = format_datetime(kinesis.clock(), usegmt=True)
        headers: Any = HeadersDict({"Content-Type": reply.content_type, "Date": date})
        return AWSResponse(request.url, reply.status, headers, _Body(reply.body))

    events: Any = client.meta.events  # its stubs don't know handlers that answer
    events.register("before-send.kinesis", answer)


class _Body:
    """As much of urllib3's response as botocore reads."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self) -> list[bytes]:
        return [self._content]


def _text(header: str | bytes) -> str:
    return header.decode() if isinstance(header, bytes) else header
