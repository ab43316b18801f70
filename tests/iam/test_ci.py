"""Tests of what CI's roles may do with runs of EMR Serverless: the client of `firnline deploy` under their policies."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import boto3
import pytest
import yaml
from botocore.stub import Stubber

from firnline_infra.rollout.environment import unknown_run
from firnline_infra.runtimes.emr_serverless.service import EmrServerlessService, application_id
from firnline_infra.runtimes.errors import RuntimeRefused
from firnline_infra.runtimes.job import EngineJob
from firnline_infra.specification import EnvironmentSpec, parse_spec
from firnline_local.wsgi import WsgiServer
from tests.iam.call_log import LoggedCall
from tests.iam.ci import not_used, statements_of
from tests.iam.runtimes import EnforcingRuntimes
from tests.infra.runtimes.environments import job_of
from tests.local.runtimes.conftest import ACCOUNT, REGION, Service, Stage, client_of

NAME, OURS = "firnline-ci", "firnline:application"
MINE, OTHERS = {OURS: NAME}, {OURS: "payroll", "team": "payroll"}
TRUST = {"Statement": [{"Effect": "Allow", "Principal": {"Service": "emr-serverless.amazonaws.com"}}]}
WAYS = ["made", "adopted"]
RUN_STATEMENTS = {"RunEngine", "SeeRuns", "CancelRuns", "TagNewRun", "HandOverEngineRole"}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    stage = Stage()
    application = EnforcingRuntimes(tmp_path, account=ACCOUNT, region=REGION, launch=stage)
    with WsgiServer(application, name="runtimes") as server:
        yield Service(client_of(server.endpoint), stage, application)
    application.stop()


def specification(adopted: str | None) -> EnvironmentSpec:
    made = {"subnets": ["subnet-0a1b2c3d4e5f60718"], "security_group": {"vpc": "vpc-0a1b2c3d4e5f60718"}}
    section: dict[str, Any] = {"origin": "adopt", "application_id": adopted} if adopted else made
    document = {
        "version": 1,
        "name": "ci",
        "aws": {"region": REGION, "account": ACCOUNT, "runtime": {"emr_serverless": section}},
        "snowflake": {"account": "ORG-ACCOUNT", "warehouse": "SMALL"},
        "streams": [{"name": "orders"}],
        "pipelines": [{"stream": "orders", "database": "LAKE", "schema": "RAW"}],
    }
    return parse_spec(yaml.safe_dump(document), "ci.yaml")


class Ci:
    """An application of EMR Serverless, what others have in the account, and CI, which may do what its policies say."""

    def __init__(self, service: Service, way: str) -> None:
        self.service, self.is_made = service, way == "made"
        self.s3, self.iam = elsewhere("s3"), elsewhere("iam")
        tags = MINE if self.is_made else {}
        self.application = service.create(name=NAME, tags=tags, architecture="ARM64")
        self.other = service.create(name="payroll", tags=OTHERS)
        self.spec = specification(None if self.is_made else self.application)
        self.job: EngineJob = replace(job_of(self.spec), place=self.application)
        self.runtime = EmrServerlessService(service.client, self.s3.client, self.iam.client, self.application)

    def acts_as(self, role: str) -> None:
        statements = statements_of(self.spec, role)
        caller = {"access_key": "a", "principal": f"arn:aws:iam::{ACCOUNT}:role/{role}", "statements": statements}
        self._authorizer.callers.from_json(json.dumps(caller).encode())

    def calls(self) -> list[LoggedCall]:
        return [LoggedCall.from_json(each) for each in self._authorizer.log.since()["calls"]]

    def is_checked(self) -> None:
        for _ in range(3):
            self.s3.add_response("head_object", {})
        role = {"Path": "/", "RoleName": "engine", "RoleId": "A" * 16, "Arn": self.job.role_arn, "CreateDate": 0}
        self.iam.add_response("get_role", {"Role": {**role, "AssumeRolePolicyDocument": json.dumps(TRUST)}})
        assert self.runtime.check(self.job) == []

    @property
    def _authorizer(self) -> Any:
        assert isinstance(self.service.application, EnforcingRuntimes)
        return self.service.application.authorizer


def elsewhere(service: str) -> Stubber:
    """Returns a stub of what another server answers: the deployed engine's test has it under the same policies."""
    factory: Any = boto3.client
    stubber = Stubber(factory(service, region_name=REGION, aws_access_key_id="a", aws_secret_access_key="b"))
    stubber.activate()
    return stubber


@pytest.fixture
def ci(service: Service) -> Callable[[str], Ci]:
    return lambda way: Ci(service, way)


@pytest.mark.parametrize("way", WAYS)
def test_the_deployer_starts_sees_and_cancels_the_engine_and_needs_every_right_for_it(
    ci: Callable[[str], Ci], way: str
) -> None:
    ours = ci(way)
    ours.acts_as("Deploy")
    if ours.is_made:
        assert application_id(ours.service.client, NAME, "ci") == ours.application
    ours.is_checked()
    run = ours.runtime.start(ours.job, "00000001-token")
    assert [each.id for each in ours.runtime.runs(NAME)] == [run.id]
    ours.runtime.cancel(run, grace_s=0)
    ours.service.stage.attempt().end()
    needed = RUN_STATEMENTS | ({"FindApplication"} if ours.is_made else set())
    statements = [each for each in statements_of(ours.spec) if each["Sid"] in needed]
    assert {each["Sid"] for each in statements} == needed
    assert not_used(ours.calls(), statements) == set()


@pytest.mark.parametrize("way", WAYS)
def test_nothing_of_others_is_started_seen_or_ended(ci: Callable[[str], Ci], way: str) -> None:
    ours = ci(way)
    theirs = ours.service.start(ours.other, tags=OTHERS)
    ours.acts_as("Deploy")
    there = replace(ours.runtime, application_id=ours.other)
    for refused in (
        lambda: there.start(replace(ours.job, place=ours.other), "00000001-token"),
        lambda: there.runs(NAME),
        lambda: there.look(unknown_run(theirs)),
        lambda: ours.service.client.cancel_job_run(applicationId=ours.other, jobRunId=theirs),
        lambda: ours.runtime.start(
            replace(ours.job, role_arn=f"arn:aws:iam::{ACCOUNT}:role/payroll"), "00000001-token"
        ),
    ):
        with pytest.raises(Exception, match="is not authorized to perform"):
            refused()


def test_in_an_adopted_application_a_run_of_others_is_looked_at_and_left(ci: Callable[[str], Ci]) -> None:
    ours = ci("adopted")
    theirs = ours.service.start(ours.application, tags=OTHERS)
    ours.acts_as("Deploy")
    assert ours.runtime.runs(NAME) == []
    with pytest.raises(RuntimeRefused, match="CancelJobRun"):
        ours.runtime.cancel(ours.runtime.look(unknown_run(theirs)), grace_s=0)


@pytest.mark.parametrize("way", WAYS)
def test_a_previewer_sees_runs_and_starts_and_ends_none(ci: Callable[[str], Ci], way: str) -> None:
    ours = ci(way)
    run = ours.runtime.start(ours.job, "00000001-token")
    ours.acts_as("Preview")
    if ours.is_made:
        assert application_id(ours.service.client, NAME, "ci") == ours.application
    assert [each.id for each in ours.runtime.runs(NAME)] == [run.id]
    with pytest.raises(RuntimeRefused, match="StartJobRun"):
        ours.runtime.start(ours.job, "00000002-token")
    with pytest.raises(RuntimeRefused, match="CancelJobRun"):
        ours.runtime.cancel(run, grace_s=0)
