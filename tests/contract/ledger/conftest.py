import os
from collections.abc import Iterator
from typing import Any

import pytest

from firnline_ingest.aws.client import dynamodb_client
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.ledger.backend import Ledger
from tests.contract.ledger.tables import IN_AN_ACCOUNT, dynamo_ledger
from tests.fakes.ledger import MemoryLedger


@pytest.fixture
def dynamodb() -> Iterator[Any]:
    if IN_AN_ACCOUNT:
        yield dynamodb_client(AwsConfig(region=os.environ["AWS_REGION"]))
        return
    from moto import mock_aws

    with mock_aws():
        yield dynamodb_client(AwsConfig(region="us-east-1"))


@pytest.fixture(params=["memory", "dynamodb"])
def ledger(request: pytest.FixtureRequest) -> Ledger:
    if request.param == "memory":
        return MemoryLedger()
    return dynamo_ledger(request.getfixturevalue("dynamodb"))
