"""Opens the ledger's table; makes it first, where the configuration lets the engine."""

from firnline_ingest.aws.client import dynamodb_client
from firnline_ingest.config import EngineConfig
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.ledger.errors import LedgerTableMissing


def open_ledger(config: EngineConfig) -> DynamoLedger:
    """Raises LedgerTableMissing, LedgerTableForeign, LedgerForbidden or LedgerUnavailable."""
    ledger = _ledger(config)
    if not _is_there(ledger, config):
        ledger.create()
        ledger.check()
    return ledger


def check_ledger(config: EngineConfig) -> bool:
    """False where `open_ledger` would make the table. Makes nothing itself; raises as that does."""
    return _is_there(_ledger(config), config)


def _is_there(ledger: DynamoLedger, config: EngineConfig) -> bool:
    try:
        ledger.check()
    except LedgerTableMissing:
        if not config.ledger.create:
            raise
        return False
    return True


def _ledger(config: EngineConfig) -> DynamoLedger:
    return DynamoLedger(dynamodb_client(config.aws), config.ledger.table)
