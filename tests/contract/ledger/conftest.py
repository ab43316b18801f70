import os
from collections.abc import Iterator
from typing import Any

import pytest

from firnline_ingest.aws.client import dynamodb_client
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.ledger.backend import Ledger
from tests.contract.ledger.tables import IN_AN_ACCOUNT, dynamo_ledger
from tests.fakes.ledger import MemoryLedger

LEDGERS = ["memory", "dynamodb", *([] if IN_AN_ACCOUNT else [pytest.param("dynalite", marks=pytest.mark.foreign)])]


@pytest.fixture
def dynamodb(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The one that the test's ledger is in; moto's where it has none, or one in memory."""
    if IN_AN_ACCOUNT:
        yield dynamodb_client(AwsConfig(region=os.environ["AWS_REGION"]))
        return
    called = getattr(request.node, "callspec", None)
    if called and called.params.get("ledger") == "dynalite":
        url = request.getfixturevalue("dynalite")
        yield dynamodb_client(AwsConfig(region="us-east-1", endpoints={"dynamodb": url}))
        return
    from moto import mock_aws

    with mock_aws():
        yield dynamodb_client(AwsConfig(region="us-east-1"))


@pytest.fixture(params=LEDGERS)
def ledger(request: pytest.FixtureRequest) -> Ledger:
    if request.param == "memory":
        return MemoryLedger()
    return dynamo_ledger(request.getfixturevalue("dynamodb"))
