"""`python -m tests.iam.aws`: the embedded AWS as shipped, with an authorizer that enforces policies and notes calls."""

from collections.abc import Iterable
from http import HTTPStatus
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from firnline_local.aws.__main__ import command
from firnline_local.faults import FaultPlan
from tests.iam.authorizer import IamAuthorizer
from tests.iam.control import CONTROL_PREFIX, control


class EnforcingApplication:
    """Answers the routes about calls and callers, and hands on everything else."""

    def __init__(self, faults: FaultPlan) -> None:
        from firnline_local.aws.server import application

        self.faults = faults
        self.authorizer = IamAuthorizer()
        self._application: WSGIApplication = application(faults, self.authorizer)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if not environ["PATH_INFO"].startswith(CONTROL_PREFIX):
            return self._application(environ, start_response)
        method, target = environ["REQUEST_METHOD"], f"{environ['PATH_INFO']}?{environ.get('QUERY_STRING', '')}"
        is_about_callers = method == "POST" and environ["PATH_INFO"] == f"{CONTROL_PREFIX}callers"
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)) if is_about_callers else b""
        answer = control(method, target, body, log=self.authorizer.log, callers=self.authorizer.callers)
        if answer is None:
            return self._application(environ, start_response)
        status, content = answer
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(content)))]
        start_response(f"{status} {HTTPStatus(status).phrase}", headers)
        return [content]


if __name__ == "__main__":
    command(lambda: EnforcingApplication(FaultPlan()))()
