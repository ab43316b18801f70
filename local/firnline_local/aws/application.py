"""The WSGI application: a control route, faults, an authorizer, the rules of AWS that moto lacks, and moto behind them.

Only one call at a time reaches moto. Its backends are not thread-safe, and a conditional write that is interleaved with
another would break what the ledger's fence rests on.

GET  /__firnline__/faults     the plan, with how often each fault was matched and hit
POST /__firnline__/faults     replaces it: a list of faults
"""

import time
from collections.abc import Callable, Iterable
from http import HTTPStatus
from io import BytesIO
from socket import SHUT_RDWR
from threading import Lock
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from firnline_local.aws.authorizer import Authorizer, Decision, allow_everything
from firnline_local.aws.aws_rules import violation
from firnline_local.aws.call import Answer, Call, error_answer, identify
from firnline_local.aws.parsed_call import ParsedCall, parse
from firnline_local.faults import Fault, FaultKind, FaultPlan, InvalidFault, faults_from_json

CONTROL_PREFIX = "/__firnline__/"
SERVICES = (
    "cloudwatch",
    "dynamodb",
    "ec2",
    "ecr",
    "elasticmapreduce",
    "events",
    "glue",
    "iam",
    "kms",
    "logs",
    "redshift",
    "s3",
    "scheduler",
    "secretsmanager",
    "ssm",
    "sts",
)
ELSEWHERE = {"kinesis": "the embedded Kinesis has an endpoint of its own (python -m firnline_local.kinesis)"}


class AwsApplication:
    """Answers for the named services with `moto`; every other one is refused by name."""

    def __init__(self, moto: WSGIApplication, faults: FaultPlan, *, authorizer: Authorizer = allow_everything) -> None:
        self.faults = faults
        self._authorizer = authorizer
        self._moto = moto
        self._lock = Lock()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"].startswith(CONTROL_PREFIX):
            return _send(_control(environ, self.faults), start_response)
        _read_whole(environ)
        call = identify(environ)
        fault = self.faults.decide(call.endpoint) if call.service in SERVICES else None
        if fault is None:
            return self._answer(call, environ, start_response)
        return self._with_fault(fault, call, environ, start_response)

    def _with_fault(
        self, fault: Fault, call: Call, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        if fault.kind in {FaultKind.ERROR, FaultKind.CUT, FaultKind.BODY}:
            with self._lock:
                self._authorizer(parse(call, environ)).record(False)
            time.sleep(fault.delay_s)
            if fault.kind is FaultKind.CUT:
                raise _cut(environ)
            if fault.kind is FaultKind.BODY:
                return _send(Answer(200, "application/x-amz-json-1.0", fault.body.encode()), start_response)
            message = fault.message or "A fault that was asked for."
            return _send(error_answer(call, status=fault.status, code=fault.code, message=message), start_response)
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

        with self._lock:
            parsed = parse(call, environ)
            decision = self._authorizer(parsed)
            refusal = _unknown_service(call) or decision.refusal or _broken_rule(parsed, decision)
            content = _send(refusal, note_status) if refusal else self._ask_moto(environ, note_status)
            decision.record(bool(statuses) and statuses[0] < "400")
        return content

    def _ask_moto(self, environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
        content = self._moto(environ, start_response)
        try:
            return list(content)
        finally:
            close: Callable[[], None] | None = getattr(content, "close", None)
            if close:
                close()


def _unknown_service(call: Call) -> Answer | None:
    if call.service in SERVICES:
        return None
    where = ELSEWHERE.get(call.service, f"it has {', '.join(SERVICES)}")
    message = f"The embedded AWS has no {call.service} ({call.operation}): {where}."
    return error_answer(call, status=400, code="UnknownOperationException", message=message)


def _broken_rule(call: ParsedCall, decision: Decision) -> Answer | None:
    principals = (decision.principal,) if decision.principal else call.state.principals(call.access_key)
    found = violation(call, principals)
    return error_answer(call.call, status=found.status, code=found.code, message=found.message) if found else None


def _control(environ: WSGIEnvironment, faults: FaultPlan) -> Answer:
    method, route = environ["REQUEST_METHOD"], environ["PATH_INFO"].removeprefix(CONTROL_PREFIX)
    if route != "faults" or method not in {"GET", "POST"}:
        return Answer(404, "text/plain", f"there is no {method} {route}; there are faults".encode())
    if method == "POST":
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        try:
            faults.replace(faults_from_json(body))
        except (InvalidFault, ValueError) as error:
            return Answer(400, "text/plain", str(error).encode())
    return Answer(200, "application/json", faults.to_json().encode())


def _read_whole(environ: WSGIEnvironment) -> None:
    """Reads the body before the lock is taken: a client that is slow, or stops midway, must not block the others."""
    length = -1 if environ.get("wsgi.input_terminated") else int(environ.get("CONTENT_LENGTH") or 0)
    environ["wsgi.input"] = BytesIO(environ["wsgi.input"].read(length))


def _send(answer: Answer, start_response: StartResponse) -> list[bytes]:
    length = str(len(answer.body))
    phrase = next((status.phrase for status in HTTPStatus if status == answer.status), "Fault")
    start_response(f"{answer.status} {phrase}", [("Content-Type", answer.content_type), ("Content-Length", length)])
    return [answer.body]


def _cut(environ: WSGIEnvironment) -> ConnectionError:
    """Closes the connection; after the error werkzeug answers no more."""
    environ["werkzeug.socket"].shutdown(SHUT_RDWR)
    return ConnectionAbortedError("a fault cut this connection")
