"""The WSGI application: control routes, faults, and moto behind them.

Only one call at a time reaches moto. Its backends are not thread-safe, and a conditional write that is interleaved with
another would break what the ledger's fence rests on.
"""

import time
from collections.abc import Callable, Iterable
from http import HTTPStatus
from io import BytesIO
from socket import SHUT_RDWR
from threading import Lock
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from firnline_infra.local.aws.call import Call, identify
from firnline_infra.local.aws.refusal import Refusal, refuse
from firnline_ingest.testing.faults import Fault, FaultKind, FaultPlan, InvalidFault, faults_from_json

SERVICES = ("dynamodb", "iam", "kms", "s3", "secretsmanager", "sts")
FAULTS_ROUTE = "/__firnline__/faults"

ELSEWHERE = {"kinesis": "the embedded Kinesis has an endpoint of its own (python -m firnline_infra.local.kinesis)"}


class AwsApplication:
    """Answers for the named services with `moto`; every other one is refused by name."""

    def __init__(self, moto: WSGIApplication, faults: FaultPlan) -> None:
        self.faults = faults
        self._moto = moto
        self._one_at_a_time = Lock()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] == FAULTS_ROUTE:
            return _send(self._control(environ), start_response)
        _read_whole(environ)
        call = identify(environ)
        if call.service not in SERVICES:
            where = ELSEWHERE.get(call.service, f"it has {', '.join(SERVICES)}")
            message = f"The embedded AWS has no {call.service} ({call.operation}): {where}."
            refusal = refuse(call, status=400, code="UnknownOperationException", message=message)
            return _send(refusal, start_response)
        fault = self.faults.decide(call.endpoint)
        if fault is None:
            return self._ask_moto(environ, start_response)
        return self._with_fault(fault, call, environ, start_response)

    def _with_fault(
        self, fault: Fault, call: Call, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        if fault.kind is FaultKind.ERROR:
            time.sleep(fault.delay_s)
            message = fault.message or "A fault that was asked for."
            return _send(refuse(call, status=fault.status, code=fault.code, message=message), start_response)
        if fault.kind is FaultKind.CUT:
            time.sleep(fault.delay_s)
            raise _cut(environ)
        content = self._ask_moto(environ, start_response)
        time.sleep(fault.delay_s)
        if fault.kind is FaultKind.LOST:
            raise _cut(environ)
        return content

    def _ask_moto(self, environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
        with self._one_at_a_time:
            content = self._moto(environ, start_response)
            try:
                return list(content)
            finally:
                close: Callable[[], None] | None = getattr(content, "close", None)
                if close:
                    close()

    def _control(self, environ: WSGIEnvironment) -> Refusal:
        """The plan with its counts, after replacing it where a list was posted."""
        try:
            if environ["REQUEST_METHOD"] == "POST":
                self.faults.replace(
                    faults_from_json(environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)))
                )
        except InvalidFault as error:
            return Refusal(400, "text/plain", str(error).encode())
        return Refusal(200, "application/json", self.faults.to_json().encode())


def _read_whole(environ: WSGIEnvironment) -> None:
    """Whoever is slow to send a body, or is stopped while at it, must not keep moto from everybody else."""
    length = -1 if environ.get("wsgi.input_terminated") else int(environ.get("CONTENT_LENGTH") or 0)
    environ["wsgi.input"] = BytesIO(environ["wsgi.input"].read(length))


def _send(answer: Refusal, start_response: StartResponse) -> list[bytes]:
    length = str(len(answer.body))
    phrase = next((status.phrase for status in HTTPStatus if status == answer.status), "Fault")
    start_response(f"{answer.status} {phrase}", [("Content-Type", answer.content_type), ("Content-Length", length)])
    return [answer.body]


def _cut(environ: WSGIEnvironment) -> ConnectionError:
    """Closes the connection; the error tells werkzeug that there is nobody to answer any more."""
    environ["werkzeug.socket"].shutdown(SHUT_RDWR)
    return ConnectionAbortedError("a fault cut this connection")
