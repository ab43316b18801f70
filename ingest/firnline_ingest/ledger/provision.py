"""Opens the ledger's table; makes it first, where the configuration lets the engine."""

from firnline_ingest.config import EngineConfig
from firnline_ingest.kinesis.client import dynamodb_client
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.ledger.errors import LedgerTableMissing


def open_ledger(config: EngineConfig) -> DynamoLedger:
    """Raises LedgerTableMissing, LedgerTableForeign, LedgerForbidden or LedgerUnavailable."""
    ledger = DynamoLedger(dynamodb_client(config.aws), config.ledger.table)
    try:
        ledger.check()
    except LedgerTableMissing:
        if not config.ledger.create:
            raise
        ledger.create()
        ledger.check()
    return ledger
