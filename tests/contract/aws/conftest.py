"""An STS that obeys the trust of roles and the policies of whoever asks, in this process."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import boto3
import pytest
from botocore.config import Config

from firnline_ingest.aws import identity
from firnline_ingest.config.access import Credentials
from firnline_ingest.config.model import AwsConfig
from firnline_local.aws.server import AwsServer
from firnline_local.faults import FaultPlan
from tests.iam.aws import EnforcingApplication

ACCOUNT = "123456789012"
ENGINE = f"arn:aws:iam::{ACCOUNT}:role/engine"
KEY = "tests"


class Account:
    """The engine's key, which may assume what it is allowed to, and roles with a trust."""

    def __init__(self, server: AwsServer, application: EnforcingApplication) -> None:
        self.server = server
        self._application = application
        self._seen = 0

    def client(self, service: str) -> Any:
        return boto3.client(
            service,
            region_name="us-east-1",
            endpoint_url=self.server.endpoint,
            aws_access_key_id="administrator",
            aws_secret_access_key="b",
        )

    def config(self, **given: Any) -> AwsConfig:
        endpoints = {"sts": self.server.endpoint, "secretsmanager": self.server.endpoint}
        return AwsConfig(region="us-east-1", endpoints=endpoints, credentials=Credentials(**given))

    def role(self, name: str, *trusted: str, external_id: str | None = None) -> str:
        condition = {"Condition": {"StringEquals": {"sts:ExternalId": external_id}}} if external_id else {}
        trust = {"Effect": "Allow", "Principal": {"AWS": list(trusted)}, "Action": "sts:AssumeRole", **condition}
        document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
        arn: str = self.client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=document)["Role"]["Arn"]
        return arn

    def may_assume(self, *roles: str) -> None:
        """The engine, and nothing else."""
        statement = {"Effect": "Allow", "Action": "sts:AssumeRole", "Resource": list(roles)}
        body = {"access_key": KEY, "principal": ENGINE, "statements": [statement] if roles else []}
        self._application.authorizer.callers.from_json(json.dumps(body).encode())

    def sessions(self) -> list[str]:
        """The roles of the sessions that were given since this was asked last."""
        told = self._application.authorizer.log.since(self._seen)
        self._seen = told["next"]
        return [
            call["accesses"][0]["resource"].rpartition("/")[2]
            for call in told["calls"]
            if call["operation"].startswith("AssumeRole") and call["succeeded"]
        ]


@pytest.fixture(scope="module")
def application() -> EnforcingApplication:
    return EnforcingApplication(FaultPlan())


@pytest.fixture(scope="module")
def server(application: EnforcingApplication) -> Iterator[AwsServer]:
    with AwsServer(application.faults, application_of=lambda _: application) as running:
        statement = {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}
        trust = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        iam = Account(running, application).client("iam")
        with suppress(
            iam.exceptions.EntityAlreadyExistsException
        ):  # moto's state is the process': another module made it
            iam.create_role(RoleName="engine", AssumeRolePolicyDocument=trust)
        yield running


@pytest.fixture
def account(server: AwsServer, application: EnforcingApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[Account]:
    """Yields where the engine may do nothing yet; moto's state lasts for the module: a test names its own roles."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)  # whatever the tests before have left
    monkeypatch.setattr(
        identity, "PATIENCE", Config(retries={"total_max_attempts": 1})
    )  # botocore would sleep in between
    server.faults.replace([])
    account = Account(server, application)
    account.may_assume()
    account.sessions()
    yield account
    application.authorizer.callers.forget(KEY)
