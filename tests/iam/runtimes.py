"""`python -m tests.iam.runtimes`: the embedded runtimes as shipped, with an authorizer that enforces policies: those of
callers, and those of the roles that jobs run as, in every server of AWS.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, build_opener
from urllib.request import Request as HttpRequest
from wsgiref.types import StartResponse, WSGIEnvironment

from firnline_local.aws.policy import Statement, statements_of_role
from firnline_local.faults import FaultPlan
from firnline_local.runtimes.__main__ import command
from firnline_local.runtimes.authorizer import ServiceCall
from firnline_local.runtimes.jobs.credentials import ADMINISTRATOR, JobEndpoints, client
from firnline_local.runtimes.jobs.submission import Launcher
from firnline_local.runtimes.server import RuntimesApplication
from tests.iam.accesses import accesses_of
from tests.iam.call_log import CallLog
from tests.iam.callers import Callers
from tests.iam.control import CONTROL_PREFIX, control
from tests.iam.kinesis_calls import KinesisDirectory as NamedDirectory
from tests.iam.request import Access, Request


class EnforcingAuthorizer:
    """Notes each call; and lets a job's role do only what its policies allow when its session begins."""

    def __init__(self, account: str, region: str, places: Callable[[], JobEndpoints]) -> None:
        self.log = CallLog()
        self.callers = Callers()
        self._account = account
        self._region = region
        self._places = places

    def refusal(self, call: ServiceCall, /) -> str | None:
        refused = self.callers.refused(call.access_key, self._accesses(call))
        return refused[1] if refused else None

    def over(self, call: ServiceCall, succeeded: bool, /) -> None:
        accesses = self._accesses(call)
        self.log.record(
            call.service, call.operation, access_key=call.access_key, succeeded=succeeded, accesses=accesses
        )

    def principal(self, access_key: str, /) -> str | None:
        return self.callers.principal(access_key)

    def began_session(self, access_key: str, role_arn: str, /) -> None:
        places = self._places()
        iam: Any = client(places, "iam", *ADMINISTRATOR)
        statements = statements_of_role(iam, role_arn.rpartition("/")[2])
        for endpoint in (places.aws, places.kinesis):
            tell(endpoint, access_key, role_arn, statements)

    def _accesses(self, call: ServiceCall) -> tuple[Access, ...]:
        request = Request(
            service=call.service,
            operation=call.operation,
            account=self._account,
            region=self._region,
            directory=NamedDirectory(self._account, self._region),
            parameters={**call.parameters, "ResourceTags": call.tags},
        )
        here = {"aws:RequestedRegion": self._region}
        return tuple(replace(each, context={**each.context, **here}) for each in accesses_of(request))


def tell(endpoint: str, access_key: str, principal: str, statements: list[Statement]) -> None:
    """A server whose callers are enforced."""
    body = json.dumps({"access_key": access_key, "principal": principal, "statements": statements}).encode()
    with build_opener(ProxyHandler({})).open(HttpRequest(f"{endpoint}{CONTROL_PREFIX}callers", data=body), timeout=30):
        pass


class EnforcingRuntimes(RuntimesApplication):
    """Answers the routes about calls and callers, and hands on everything else."""

    def __init__(self, folder: Path, *, account: str, region: str, launch: Launcher | None = None) -> None:
        self.authorizer = EnforcingAuthorizer(account, region, lambda: self.places)
        super().__init__(
            folder, account=account, region=region, faults=FaultPlan(), authorizer=self.authorizer, launch=launch
        )

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Any:
        route = environ["PATH_INFO"].removeprefix(CONTROL_PREFIX)
        if not environ["PATH_INFO"].startswith(CONTROL_PREFIX) or route not in {"calls", "callers"}:
            return super().__call__(environ, start_response)
        target = f"{environ['PATH_INFO']}?{environ.get('QUERY_STRING', '')}"
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        log, callers = self.authorizer.log, self.authorizer.callers
        answer = control(environ["REQUEST_METHOD"], target, body, log=log, callers=callers)
        status, content = answer or (404, b"{}")
        start_response(f"{status} OK", [("Content-Type", "application/json"), ("Content-Length", str(len(content)))])
        return [content]


if __name__ == "__main__":
    command(EnforcingRuntimes)()
