from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config

from firnline_local.aws.server import AwsServer
from firnline_local.faults import FaultPlan
from tests.iam.aws import EnforcingApplication
from tests.iam.callers import Callers

ClientOf = Callable[..., Any]


@pytest.fixture(scope="module")
def application() -> EnforcingApplication:
    return EnforcingApplication(FaultPlan())


@pytest.fixture(scope="module")
def running(application: EnforcingApplication) -> Iterator[AwsServer]:
    with AwsServer(application.faults, application_of=lambda _: application) as server:
        yield server


@pytest.fixture
def aws(running: AwsServer) -> Iterator[AwsServer]:
    """Without faults. moto's state lasts for the module: a test names its own objects."""
    running.faults.replace([])
    yield running
    running.faults.replace([])


@pytest.fixture
def callers(application: EnforcingApplication) -> Iterator[Callers]:
    """Everybody may do everything once the test is over."""
    yield application.authorizer.callers
    application.authorizer.callers.forget("a")


@pytest.fixture
def client_of(aws: AwsServer) -> ClientOf:
    """A boto3 client of a service that tries only once."""
    session: Any = boto3.session.Session()

    def client_of(service: str, access_key: str = "a", region: str = "us-east-1") -> Any:
        return session.client(
            service,
            region_name=region,
            endpoint_url=aws.endpoint,
            aws_access_key_id=access_key,
            aws_secret_access_key="b",
            config=Config(retries={"total_max_attempts": 1}),
        )

    return client_of
