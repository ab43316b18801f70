"""DynamoDB in process, with a table as another consumer left it, and an empty ledger."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firnline_ingest.aws.client import dynamodb_client
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.migration.migrate import MigrationWriter
from firnline_ingest.migration.tables import MigrationJournal
from firnline_local.aws.moto_repetitions import keep_what_repeats
from tests.fakes.migration import writer_of

GOLDEN = Path(__file__).parents[2] / "kcl" / "golden"
RECORDED = ["1.15.3-single", "2.7.2-single", "2.7.2-multi", "3.5.1-single", "3.5.1-multi"]


@pytest.fixture(scope="package")
def client() -> Any:
    """Made once: a client costs more than a test of it."""
    from moto import mock_aws

    keep_what_repeats()
    with mock_aws():
        return dynamodb_client(AwsConfig(region="us-east-1"))


@pytest.fixture
def dynamodb(client: Any) -> Iterator[Any]:
    from moto import mock_aws

    with mock_aws():
        yield client


@pytest.fixture
def world(dynamodb: Any) -> Any:
    """Returns what the library's newest version left, by one worker."""
    from tests.ingest.migration.world import World

    return World(dynamodb, "3.5.1-single")


@pytest.fixture
def writer(dynamodb: Any) -> MigrationWriter:
    ledger = DynamoLedger(dynamodb, "ledger")
    ledger.create()
    journal = MigrationJournal(dynamodb, "ledger_migration")
    journal.open(create=True)
    return writer_of(ledger, journal)


def recorded(name: str) -> dict[str, Any]:
    """Returns what the library's own consumer left (tests/kcl/run.py)."""
    found: dict[str, Any] = json.loads((GOLDEN / f"kcl-{name}.json").read_text())
    return found


def make_table(dynamodb: Any, name: str, key: dict[str, str], items: list[dict[str, Any]]) -> None:
    """Items as DynamoDB writes them."""
    dynamodb.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": part, "AttributeType": "S"} for part in key],
        KeySchema=[{"AttributeName": part, "KeyType": kind} for part, kind in key.items()],
    )
    dynamodb.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    for item in items:
        dynamodb.put_item(TableName=name, Item=item)
