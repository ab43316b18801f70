from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config

from firnline_local.aws.server import AwsServer

ClientOf = Callable[..., Any]


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

    def client_of(service: str, access_key: str = "a", region: str = "us-east-1") -> Any:
        return boto3.session.Session().client(
            service,
            region_name=region,
            endpoint_url=aws.endpoint,
            aws_access_key_id=access_key,
            aws_secret_access_key="b",
            config=Config(retries={"total_max_attempts": 1}),
        )

    return client_of
