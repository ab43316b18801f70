"""Where a request goes: to an operation of Kinesis, or to the control routes under /__firnline__/."""

from firnline_infra.local.kinesis.control import CONTROL_PREFIX, control
from firnline_infra.local.kinesis.http import HttpRequest
from firnline_ingest.testing.kinesis import FakeKinesis
from firnline_ingest.testing.kinesis.wire import Reply, respond


def answer(kinesis: FakeKinesis, request: HttpRequest) -> Reply:
    if request.target.startswith(CONTROL_PREFIX):
        return control(kinesis, request)
    headers = request.headers
    return respond(
        kinesis,
        target=headers.get("x-amz-target", ""),
        content_type=headers.get("content-type", ""),
        body=request.body,
    )
