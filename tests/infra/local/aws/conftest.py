from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config

from firnline_infra.local.aws import AwsServer

ClientOf = Callable[[str], Any]


@pytest.fixture(scope="module")
def running() -> Iterator[AwsServer]:
    with AwsServer() as server:
        yield server


@pytest.fixture
def aws(running: AwsServer) -> Iterator[AwsServer]:
    """Without faults. moto's state lasts for the module: a test names its own objects."""
    running.faults.replace([])
    yield running
    running.faults.replace([])


@pytest.fixture
def client_of(aws: AwsServer) -> ClientOf:
    """A boto3 client of a service that tries only once."""

    def client_of(service: str) -> Any:
        return boto3.session.Session().client(
            service,  # type: ignore[call-overload]
            region_name="us-east-1",
            endpoint_url=aws.endpoint,
            aws_access_key_id="a",
            aws_secret_access_key="b",
            config=Config(retries={"total_max_attempts": 1}),
        )

    return client_of
