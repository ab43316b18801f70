"""Where a request goes: to an operation of Kinesis, or to the control routes under /__firnline__/."""

from firnline_local.kinesis.control import CONTROL_PREFIX, control
from firnline_local.kinesis.fake import FakeKinesis
from firnline_local.kinesis.http import HttpRequest
from firnline_local.kinesis.wire import Reply, respond


class KinesisFace:
    """Answers requests, one after the other. Subclassed by who wants to see each call before and after (tests/iam)."""

    def __init__(self, kinesis: FakeKinesis) -> None:
        self.kinesis = kinesis

    def answer(self, request: HttpRequest) -> Reply:
        if request.target.startswith(CONTROL_PREFIX):
            return control(self.kinesis, request)
        return respond(
            self.kinesis,
            target=request.headers.get("x-amz-target", ""),
            content_type=request.headers.get("content-type", ""),
            body=request.body,
        )
