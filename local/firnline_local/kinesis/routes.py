"""Where a request goes: to an operation of Kinesis, or to the control routes under /__firnline__/.

Each call is noted. One of a caller whose policies are enforced is answered only where they allow it.
"""

from firnline_local.iam.accesses import accesses_of
from firnline_local.iam.call_log import CallLog
from firnline_local.iam.callers import Callers
from firnline_local.iam.request import Access
from firnline_local.iam.signature import credential_of
from firnline_local.kinesis.control import CONTROL_PREFIX, control
from firnline_local.kinesis.errors import FakeKinesisError
from firnline_local.kinesis.fake import FakeKinesis
from firnline_local.kinesis.http import HttpRequest
from firnline_local.kinesis.seen import understand
from firnline_local.kinesis.wire import TARGET_PREFIX, Reply, error_reply, respond


class KinesisFace:
    """Answers requests, one after the other."""

    def __init__(self, kinesis: FakeKinesis) -> None:
        self.kinesis = kinesis
        self.log = CallLog()
        self.callers = Callers()

    def answer(self, request: HttpRequest) -> Reply:
        if request.target.startswith(CONTROL_PREFIX):
            return control(self.kinesis, self.log, self.callers, request)
        target = request.headers.get("x-amz-target", "")
        operation = target.removeprefix(TARGET_PREFIX)
        access_key = credential_of(request.headers.get("authorization", "")).access_key
        accesses = accesses_of(understand(self.kinesis, operation, request.body))
        reply = self._refusal(access_key, accesses) or respond(
            self.kinesis,
            target=target,
            content_type=request.headers.get("content-type", ""),
            body=request.body,
        )
        self.log.record("kinesis", operation, access_key=access_key, succeeded=reply.status == 200, accesses=accesses)
        return reply

    def _refusal(self, access_key: str, accesses: tuple[Access, ...]) -> Reply | None:
        refused = self.callers.refused(access_key, accesses)
        if refused is None:
            return None
        access, sentence = refused
        code = "KMSAccessDeniedException" if access.action.startswith("kms:") else "AccessDeniedException"
        return error_reply(FakeKinesisError(code, sentence))
