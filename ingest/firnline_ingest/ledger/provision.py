"""Opens the ledger's table; makes it first, where the configuration lets the engine."""

from firnline_ingest.config import EngineConfig
from firnline_ingest.kinesis.client import dynamodb_client
from firnline_ingest.ledger.dynamodb import KEY_SCHEMA, DynamoLedger
from firnline_ingest.ledger.errors import LedgerTableMissing


def open_ledger(config: EngineConfig) -> DynamoLedger:
    """Raises LedgerTableMissing, LedgerTableForeign, LedgerForbidden or LedgerUnavailable."""
    ledger = DynamoLedger(dynamodb_client(config.aws), config.ledger.table)
    try:
        ledger.check()
    except LedgerTableMissing:
        if not config.ledger.create:
            raise
        _create(config)
        ledger.check()
    return ledger


def _create(config: EngineConfig) -> None:
    client = dynamodb_client(config.aws)
    client.create_table(
        TableName=config.ledger.table,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in KEY_SCHEMA],
        KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in KEY_SCHEMA.items()],  # type: ignore[typeddict-item]
    )
    client.get_waiter("table_exists").wait(TableName=config.ledger.table)
