"""The WSGI application: a control route, faults, an authorizer, the rules of AWS that moto lacks, and moto behind them.

Only one call at a time reaches moto. Its backends are not thread-safe, and a conditional write that is interleaved with
another would break what the ledger's fence rests on.

GET  /__firnline__/faults     the plan, with how often each fault was matched and hit
POST /__firnline__/faults     replaces it: a list of faults
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from io import BytesIO
from threading import Lock
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from firnline_local.aws.authorizer import Authorizer, Decision, allow_everything
from firnline_local.aws.aws_rules import violation
from firnline_local.aws.call import Call, error_answer, identify
from firnline_local.aws.parsed_call import ParsedCall, parse
from firnline_local.endpoints import AWS_SERVICES
from firnline_local.faults import CONTROL_PREFIX, Fault, FaultKind, FaultPlan, asked
from firnline_local.service_models.judge import DEFECT, ReadRequest, judged, wrong_answer
from firnline_local.service_models.liberties import installed, refused_of_moto
from firnline_local.service_models.models import WireRequest
from firnline_local.wsgi import Answer, body_of, with_fault

ELSEWHERE = {"kinesis": "the embedded Kinesis has an endpoint of its own (python -m firnline_local.kinesis)"}


class AwsApplication:
    """Answers for the named services with `moto`; every other one is refused by name."""

    def __init__(self, moto: WSGIApplication, faults: FaultPlan, *, authorizer: Authorizer = allow_everything) -> None:
        self.faults = faults
        self._authorizer = authorizer
        self._moto = moto
        self._lock = Lock()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        # The whole body, before the lock is taken: a client that is slow, or stops midway, must not block the others.
        environ["wsgi.input"] = BytesIO(body_of(environ))
        if environ["PATH_INFO"].startswith(CONTROL_PREFIX):
            return self._control(environ).send(start_response)
        call = identify(environ)
        fault = self.faults.decide(call.endpoint) if call.service in AWS_SERVICES else None
        if fault is None:
            return self._answer(call, environ, start_response)
        return with_fault(
            fault,
            environ,
            answer=lambda: self._answer(call, environ, start_response),
            instead=lambda: self._failed(call, environ, fault).send(start_response),
        )

    def _control(self, environ: WSGIEnvironment) -> Answer:
        method, route = environ["REQUEST_METHOD"], environ["PATH_INFO"].removeprefix(CONTROL_PREFIX)
        if route != "faults" or method not in {"GET", "POST"}:
            return Answer(404, "text/plain", f"there is no {method} {route}; there are faults".encode())
        status, body = asked(self.faults, method, environ["wsgi.input"].read())
        return Answer(status, "application/json", body)

    def _failed(self, call: Call, environ: WSGIEnvironment, fault: Fault) -> Answer:
        with self._lock:
            self._authorizer(parse(call, environ)).record(False)
        if fault.kind is FaultKind.BODY:
            return Answer(200, "application/x-amz-json-1.0", fault.body.encode())
        message = fault.message or "A fault that was asked for."
        return error_answer(call, status=fault.status, code=fault.code, message=message)

    def _answer(self, call: Call, environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
        with self._lock:
            parsed = parse(call, environ)
            decision = self._authorizer(parsed)
            read, refused = judged(call.service, _wire(environ, parsed.body))
            refusal = (
                _unknown_service(call)
                or decision.refusal
                or (refused and error_answer(call, status=400, code=refused.code, message=refused.message))
                or _broken_rule(parsed, decision)
            )
            answer = Heard.of(refusal) if refusal else self._ask_moto(environ)
            decision.record(answer.status < "400")
        if read and answer.status < "300":
            answer = _unless_wrong(call, read, answer)
        start_response(answer.status, answer.headers)
        return answer.content

    def _ask_moto(self, environ: WSGIEnvironment) -> "Heard":
        heard: list[tuple[str, list[tuple[str, str]]]] = []

        def note(status: str, headers: list[tuple[str, str]], *_: Any) -> Any:
            heard.append((status, headers))

        content = self._moto(environ, note)
        try:
            return Heard(list(content), *heard[-1])
        finally:
            close: Callable[[], None] | None = getattr(content, "close", None)
            if close:
                close()


@dataclass(frozen=True, slots=True)
class Heard:
    """An answer before it is sent."""

    content: list[bytes]
    status: str
    headers: list[tuple[str, str]]

    @classmethod
    def of(cls, answer: Answer) -> "Heard":
        sent: list[tuple[str, list[tuple[str, str]]]] = []

        def note(status: str, headers: list[tuple[str, str]], *_: Any) -> Any:
            sent.append((status, headers))

        content = answer.send(note)
        return cls(content, *sent[-1])


def _unless_wrong(call: Call, read: ReadRequest, answer: Heard) -> Heard:
    """The answer; an error of the imitation where it breaks the service's model."""
    problems = refused_of_moto(wrong_answer(read, b"".join(answer.content)))
    if not problems:
        return answer
    message = f"moto {installed()} answers {read.operation.name} beside botocore's model: {'; '.join(problems)}"
    return Heard.of(error_answer(call, status=501, code=DEFECT, message=message))


def _wire(environ: WSGIEnvironment, body: bytes) -> WireRequest:
    names = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): str(value)
        for name, value in environ.items()
        if name.startswith("HTTP_")
    }
    return WireRequest(
        method=environ["REQUEST_METHOD"],
        path=environ["PATH_INFO"].encode("latin-1").decode(errors="replace"),
        query=environ.get("QUERY_STRING", ""),
        headers={**names, "content-type": environ.get("CONTENT_TYPE", "")},
        body=body,
    )


def _unknown_service(call: Call) -> Answer | None:
    if call.service in AWS_SERVICES:
        return None
    where = ELSEWHERE.get(call.service, f"it has {', '.join(AWS_SERVICES)}")
    message = f"The embedded AWS has no {call.service} ({call.operation}): {where}."
    return error_answer(call, status=400, code="UnknownOperationException", message=message)


def _broken_rule(call: ParsedCall, decision: Decision) -> Answer | None:
    principals = (decision.principal,) if decision.principal else call.state.principals(call.access_key)
    found = violation(call, principals)
    return error_answer(call.call, status=found.status, code=found.code, message=found.message) if found else None
