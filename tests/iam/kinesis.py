"""`python -m tests.iam.kinesis`: the fake Kinesis as shipped, with a face that enforces policies and notes calls."""

from firnline_local.aws.call import credential_of
from firnline_local.kinesis import FakeKinesis, FakeKinesisError, cbor
from firnline_local.kinesis.__main__ import command
from firnline_local.kinesis.http import HttpRequest
from firnline_local.kinesis.server import KinesisService
from firnline_local.kinesis.wire import TARGET_PREFIX, Reply, error_reply
from tests.iam.accesses import accesses_of
from tests.iam.call_log import CallLog
from tests.iam.callers import Callers
from tests.iam.control import CONTROL_PREFIX, control
from tests.iam.kinesis_calls import iam_request
from tests.iam.request import Access


class EnforcingFace(KinesisService):
    """Notes each call, and answers one of a caller whose policies are enforced only where they allow it."""

    def __init__(self, kinesis: FakeKinesis) -> None:
        super().__init__(kinesis)
        self.log = CallLog()
        self.callers = Callers()

    def answer(self, request: HttpRequest) -> Reply:
        controlled = control(request.method, request.target, request.body, log=self.log, callers=self.callers)
        if controlled is not None:
            status, content = controlled
            return Reply(status, content, content_type="application/json")
        if request.target.startswith(CONTROL_PREFIX):
            return super().answer(request)
        operation = request.headers.get("x-amz-target", "").removeprefix(TARGET_PREFIX)
        access_key = credential_of(request.headers.get("authorization", "")).access_key
        accesses = accesses_of(iam_request(self.kinesis, operation, _in_json(request)))
        reply = self._refusal(access_key, accesses) or super().answer(request)
        self.log.record("kinesis", operation, access_key=access_key, succeeded=reply.status == 200, accesses=accesses)
        return reply

    def _refusal(self, access_key: str, accesses: tuple[Access, ...]) -> Reply | None:
        refused = self.callers.refused(access_key, accesses)
        if refused is None:
            return None
        access, sentence = refused
        code = "KMSAccessDeniedException" if access.action.startswith("kms:") else "AccessDeniedException"
        return error_reply(FakeKinesisError(code, sentence))


def _in_json(request: HttpRequest) -> bytes:
    is_cbor = request.headers.get("content-type") == cbor.CONTENT_TYPE
    return cbor.request_as_json(request.body) if is_cbor else request.body


if __name__ == "__main__":
    command(EnforcingFace)()
