"""Real botocore clients that the fake answers in this process.

botocore builds, signs and parses as it always does; only the sending is ours, so a test sees what production code would
see, down to the retries, and needs no socket.
"""

import time
from typing import TYPE_CHECKING, Any

from firnline_local.kinesis.wire import respond

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

    from firnline_local.kinesis.fake import FakeKinesis


def connect(client: "KinesisClient", kinesis: "FakeKinesis") -> None:
    """From now on, `kinesis` answers every request of this client. A fault's delay is really waited for."""
    from botocore.awsrequest import AWSResponse, HeadersDict
    from botocore.exceptions import ConnectionClosedError

    def answer(request: Any, **_: Any) -> AWSResponse:
        target, content_type = (_text(request.headers[name]) for name in ("X-Amz-Target", "Content-Type"))
        reply = respond(kinesis, target=target, content_type=content_type, body=request.body)
        time.sleep(reply.delay_s)
        if reply.is_cut:
            raise ConnectionClosedError(endpoint_url=request.url)
        headers: Any = HeadersDict({"Content-Type": reply.content_type})
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
