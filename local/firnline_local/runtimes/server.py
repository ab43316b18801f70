"""The WSGI application of the embedded runtimes: control routes, credentials of jobs, faults, and the services.

GET  /__firnline__/faults              the plan, with how often each fault was matched and hit
POST /__firnline__/faults              replaces it: a list of faults
POST /__firnline__/places              {"aws": …, "kinesis": …}: where the services are that jobs speak to
GET  /__firnline__/credentials/JOB     what an SDK in a job asks for, with the job's token

All other paths are those of the service that a request is signed for: EMR Serverless, EMR on EC2, EMR on EKS, EKS
(associations of Pod Identity), Redshift Serverless, Redshift's Data API.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4
from wsgiref.types import StartResponse, WSGIEnvironment

from firnline_local.aws.call import SERVICE_KEY, credential
from firnline_local.clock import Clock, SystemClock
from firnline_local.faults import CONTROL_PREFIX, Fault, FaultKind, FaultPlan, asked
from firnline_local.runtimes.authorizer import AllowEverything, RuntimeAuthorizer, ServiceCall
from firnline_local.runtimes.clusters import PodIdentity, VirtualClusters
from firnline_local.runtimes.emr_ec2.machines import Instances, Machines, MachinesHere
from firnline_local.runtimes.emr_ec2.service import ClustersOnEc2
from firnline_local.runtimes.emr_serverless.service import EmrServerless
from firnline_local.runtimes.jobs.credentials import PATH as CREDENTIALS
from firnline_local.runtimes.jobs.credentials import (
    JobEndpoints,
    JobSessions,
    RoleSession,
    client,
    has_role,
    role_of_profile,
)
from firnline_local.runtimes.jobs.spark import SparkLauncher
from firnline_local.runtimes.jobs.spark_home import Archives, installed_spark
from firnline_local.runtimes.jobs.submission import Launcher, LaunchRefused, Submission
from firnline_local.runtimes.redshift.control import RedshiftServerless
from firnline_local.runtimes.redshift.data_api import RedshiftData
from firnline_local.runtimes.redshift.schedules import ScheduledStatements
from firnline_local.runtimes.rest_json import Request, ServiceError, answer_of, operation_of, parse
from firnline_local.runtimes.service import RuntimeService
from firnline_local.wsgi import Answer, body_of, with_fault

CLUSTER = "local"
NOWHERE = "http://127.0.0.1:1"


class RuntimesApplication:
    """`listens_at` has to be set before a job is started: jobs fetch their credentials there."""

    def __init__(
        self,
        folder: Path,
        *,
        account: str,
        region: str,
        faults: FaultPlan,
        authorizer: RuntimeAuthorizer | None = None,
        launch: Launcher | None = None,
        machines: Callable[[Instances], Machines] | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Jobs work in the folder. `launch` runs them in place of Spark, and `machines` are those of clusters on EC2 in place
        of this one. `clock` ends runs that have lasted too long."""
        self.faults = faults
        self.listens_at = NOWHERE
        self.places = JobEndpoints(aws=NOWHERE, kinesis=NOWHERE, region=region, account=account)
        self._authorizer = authorizer or AllowEverything()
        self._account = account
        self._sessions = JobSessions()
        self.launch = launch or self._spark(folder)
        serverless = EmrServerless(account, region, self.launch, clock or SystemClock())
        workgroups = RedshiftServerless(account, region)
        self.associations = PodIdentity(
            account, region, clusters=lambda: {CLUSTER}, has_role=lambda arn: has_role(self.places, arn)
        )
        clusters = VirtualClusters(
            account, region, clusters=lambda: {CLUSTER}, launch=self.launch, roles=self.associations.roles
        )
        on_ec2 = ClustersOnEc2(
            account,
            region,
            role_of=lambda profile: role_of_profile(self.places, profile),
            machines=machines or self._machines_in(folder / "clusters"),
        )
        data_api = self._data_api(workgroups)
        self._schedules = ScheduledStatements(self._as_service, self._session, self._execute(data_api))
        self._services: Mapping[str, RuntimeService] = {
            each.name: each for each in (serverless, on_ec2, clusters, self.associations, workgroups, data_api)
        }

    def _spark(self, folder: Path) -> SparkLauncher:
        return SparkLauncher(
            folder=folder,
            archives=Archives(folder / "archives"),
            places=lambda: self.places,
            endpoint=lambda: self.listens_at,
            sessions=self._sessions,
            spark=installed_spark,
            on_session=self._authorizer.began_session,
        )

    def _machines_in(self, folder: Path) -> Callable[[Instances], Machines]:
        return lambda asked: MachinesHere(
            folder / asked.name,
            asked,
            places=self.places,
            spark=installed_spark,
            on_session=self._authorizer.began_session,
        )

    def _data_api(self, workgroups: RedshiftServerless) -> RedshiftData:
        """Reads streams, and the roles that it may be, as a service does."""
        return RedshiftData(self._account, self.places.region, workgroups, self._as_service)

    def _as_service(self, service: str) -> Any:
        return client_of_redshift(self.places, service)

    def _session(self, submission: Submission) -> str:
        session = RoleSession(submission, self.places, self._authorizer.began_session)
        return str(session.current()["AccessKeyId"])

    def _execute(self, data_api: RedshiftData) -> Callable[[Mapping[str, Any], str], object]:
        def execute(parameters: Mapping[str, Any], access_key: str) -> object:
            return self._asked(data_api, Request("ExecuteStatement", parameters), access_key)

        return execute

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        body = body_of(environ)
        path = environ["PATH_INFO"].encode("latin-1").decode(errors="replace")
        if path.startswith(CONTROL_PREFIX):
            return self._control(environ, path, body).send(start_response)
        service, path = self._service(environ), environ.get("HTTP_X_AMZ_TARGET", path)
        operation = operation_of(service.name, environ["REQUEST_METHOD"], path)
        fault = self.faults.decide(f"{service.name}:{operation}")

        def answer() -> list[bytes]:
            return self._answer(environ, path, body).send(start_response)

        if fault is None:
            return answer()
        return with_fault(fault, environ, answer=answer, instead=lambda: _failed(fault).send(start_response))

    def _service(self, environ: WSGIEnvironment) -> RuntimeService:
        """The one that the request is signed for; EMR Serverless where it is not."""
        return self._services.get(credential(environ).service) or self._services[EmrServerless.name]

    def stop(self) -> None:
        """Ends every job."""
        for service in self._services.values():
            service.stop()

    def _answer(self, environ: WSGIEnvironment, path: str, body: bytes) -> Answer:
        service, query = self._service(environ), environ.get("QUERY_STRING", "")
        try:
            request = parse(service.name, environ["REQUEST_METHOD"], path, query, body)
            if (service.name, request.operation) == (RedshiftData.name, "ExecuteStatement"):
                self._schedules.run_due()
            content = self._asked(service, request, credential(environ).access_key)
        except ServiceError as error:
            return _error(error)
        return _said(200, answer_of(service.name, request.operation, content))

    def _asked(self, service: RuntimeService, request: Request, access_key: str) -> dict[str, Any]:
        """Raises ServiceError."""
        call = ServiceCall(
            service=service.name,
            operation=request.operation,
            parameters=request.parameters,
            access_key=access_key,
            tags=service.tags_of(request.parameters),
        )
        succeeded = False
        try:
            if sentence := self._authorizer.refusal(call):
                raise ServiceError(403, "AccessDeniedException", sentence)
            caller = self._authorizer.principal(access_key) or f"arn:aws:iam::{self._account}:user/administrator"
            content = service.answer(request.operation, request.parameters, caller)
            succeeded = True
        finally:
            self._authorizer.over(call, succeeded)
        return content

    def _control(self, environ: WSGIEnvironment, path: str, body: bytes) -> Answer:
        method, route = environ["REQUEST_METHOD"], path.removeprefix(CONTROL_PREFIX)
        if path.startswith(CREDENTIALS) and method == "GET":
            return self._credentials(path.removeprefix(CREDENTIALS), environ.get("HTTP_AUTHORIZATION", ""))
        if route == "faults" and method in {"GET", "POST"}:
            return _said(*asked(self.faults, method, body))
        if route == "places" and method == "POST":
            self.places = replace(self.places, **json.loads(body))
            return _said(200, b"{}")
        return _said(404, f"there is no {method} {route}; there are faults, places and credentials".encode())

    def _credentials(self, job: str, token: str) -> Answer:
        try:
            found = self._sessions.answer(job, token)
        except LaunchRefused as refusal:
            return _said(500, json.dumps({"code": "AssumeRoleFailed", "message": str(refusal)}).encode())
        return _said(403, b'{"code": "Forbidden"}') if found is None else _said(200, json.dumps(found).encode())


@cache
@cache
def client_of_redshift(places: JobEndpoints, service: str) -> Any:
    """Each of them is asked with every statement: to make one takes longer than to ask it."""
    return client(places, service, f"{SERVICE_KEY}redshift.amazonaws.com", "service")


def _failed(fault: Fault) -> Answer:
    if fault.kind is FaultKind.BODY:
        return _said(200, fault.body.encode())
    code = fault.code or "InternalServerException"
    return _error(ServiceError(fault.status, code, fault.message or "A fault that was asked for."))


def _error(error: ServiceError) -> Answer:
    content = {"__type": error.code, "message": error.message}
    return _said(error.status, json.dumps(content).encode(), {"x-amzn-ErrorType": error.code})


def _said(status: int, body: bytes, headers: Mapping[str, str] | None = None) -> Answer:
    return Answer(status, "application/json", body, {"x-amzn-RequestId": str(uuid4()), **(headers or {})})
