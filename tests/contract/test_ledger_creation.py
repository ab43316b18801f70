"""The ledger's table, where the engine makes it."""

from collections.abc import Iterator

import pytest

from firnline_ingest.aws.client import dynamodb_client
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.ledger.errors import LedgerTableMissing

pytestmark = pytest.mark.contract


@pytest.fixture
def ledger() -> Iterator[DynamoLedger]:
    from moto import mock_aws

    with mock_aws():
        yield DynamoLedger(dynamodb_client(AwsConfig(region="us-east-1")), "ledger")


def test_a_table_that_is_made_is_a_ledger(ledger: DynamoLedger) -> None:
    with pytest.raises(LedgerTableMissing):
        ledger.check()
    ledger.create()
    ledger.check()
    assert ledger.current_run() is None


def test_of_two_engines_that_make_it_both_go_on(ledger: DynamoLedger) -> None:
    ledger.create()
    ledger.create()
    ledger.check()
