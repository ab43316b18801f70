"""Tests of who may ask the embedded runtimes for what."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from firnline_local.wsgi import WsgiServer
from tests.iam.runtimes import EnforcingRuntimes
from tests.local.runtimes.conftest import ACCOUNT, REGION, ROLE, Service, Stage, client_of

USER = f"arn:aws:iam::{ACCOUNT}:user/ci"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    stage = Stage()
    application = EnforcingRuntimes(tmp_path, account=ACCOUNT, region=REGION, launch=stage)
    with WsgiServer(application, name="runtimes") as server:
        yield Service(client_of(server.endpoint), stage, application)
    application.stop()


def allow(service: Service, *statements: dict[str, Any]) -> None:
    """Allows the client of these tests something from now on."""
    assert isinstance(service.application, EnforcingRuntimes)
    caller = {"access_key": "a", "principal": USER, "statements": [{"Effect": "Allow", **each} for each in statements]}
    service.application.authorizer.callers.from_json(json.dumps(caller).encode())


def test_a_run_needs_the_right_to_start_it_and_the_right_to_pass_its_role(service: Service) -> None:
    application = service.create()
    arn = f"arn:aws:emr-serverless:{REGION}:{ACCOUNT}:/applications/{application}"
    start = {"Action": "emr-serverless:StartJobRun", "Resource": arn}
    to = {"StringEquals": {"iam:PassedToService": "emr-serverless.amazonaws.com"}}
    allow(service)
    with pytest.raises(ClientError, match=rf"AccessDenied.*{USER} is not authorized.*StartJobRun on resource: {arn}"):
        service.start(application)
    allow(service, start)
    with pytest.raises(ClientError, match=rf"iam:PassRole on resource: {ROLE}"):
        service.start(application)
    allow(service, start, {"Action": "iam:PassRole", "Resource": ROLE, "Condition": to})
    run = service.start(application)
    assert service.stage.attempt().submission.role_arn == ROLE
    with pytest.raises(ClientError, match="emr-serverless:GetJobRun"):
        service.run(application, run)


def test_a_condition_on_the_tags_of_a_run_holds(service: Service) -> None:
    application = service.create(tags={"team": "data"})
    ours = {"StringEquals": {"aws:ResourceTag/team": "data"}}
    allow(service, {"Action": "emr-serverless:GetApplication", "Resource": "*", "Condition": ours})
    service.client.get_application(applicationId=application)
    with pytest.raises(ClientError, match="CancelJobRun"):
        service.client.cancel_job_run(applicationId=application, jobRunId="00f1")
