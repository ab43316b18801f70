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
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from firnline_local.aws.call import Call, identify
from firnline_local.aws.control import CONTROL_PREFIX, control
from firnline_local.aws.gate import Gate
from firnline_local.aws.refusal import Refusal, refuse
from firnline_local.faults import Fault, FaultKind, FaultPlan

SERVICES = ("cloudwatch", "dynamodb", "iam", "kms", "s3", "secretsmanager", "ssm", "sts")
ELSEWHERE = {"kinesis": "the embedded Kinesis has an endpoint of its own (python -m firnline_local.kinesis)"}


class AwsApplication:
    """Answers for the named services with `moto`; every other one is refused by name."""

    def __init__(self, moto: WSGIApplication, faults: FaultPlan, gate: Gate) -> None:
        self.faults = faults
        self.gate = gate
        self._moto = moto
        self._one_at_a_time = Lock()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"].startswith(CONTROL_PREFIX):
            return _send(control(environ, self.faults, self.gate), start_response)
        _read_whole(environ)
        call = identify(environ)
        fault = self.faults.decide(call.endpoint) if call.service in SERVICES else None
        if fault is None:
            return self._answer(call, environ, start_response)
        return self._with_fault(fault, call, environ, start_response)

    def _with_fault(
        self, fault: Fault, call: Call, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        if fault.kind in {FaultKind.ERROR, FaultKind.CUT}:
            with self._one_at_a_time:
                self.gate.record(self.gate.look(call, environ), succeeded=False)
            time.sleep(fault.delay_s)
            if fault.kind is FaultKind.CUT:
                raise _cut(environ)
            message = fault.message or "A fault that was asked for."
            return _send(refuse(call, status=fault.status, code=fault.code, message=message), start_response)
        content = self._answer(call, environ, start_response)
        time.sleep(fault.delay_s)
        if fault.kind is FaultKind.LOST:
            raise _cut(environ)
        return content

    def _answer(self, call: Call, environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
        statuses: list[str] = []

        def note_status(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            statuses.append(status)
            return start_response(status, headers, exc_info)

        with self._one_at_a_time:
            seen = self.gate.look(call, environ)
            refusal = _unknown(call) or self.gate.refusal(seen, environ)
            content = _send(refusal, note_status) if refusal else self._ask_moto(environ, note_status)
            self.gate.record(seen, succeeded=bool(statuses) and statuses[0] < "400")
        return content

    def _ask_moto(self, environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
        content = self._moto(environ, start_response)
        try:
            return list(content)
        finally:
            close: Callable[[], None] | None = getattr(content, "close", None)
            if close:
                close()


def _unknown(call: Call) -> Refusal | None:
    if call.service in SERVICES:
        return None
    where = ELSEWHERE.get(call.service, f"it has {', '.join(SERVICES)}")
    message = f"The embedded AWS has no {call.service} ({call.operation}): {where}."
    return refuse(call, status=400, code="UnknownOperationException", message=message)


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
