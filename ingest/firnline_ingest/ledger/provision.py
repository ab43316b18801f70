"""Opens the ledger's table; makes it first, where the configuration lets the engine."""

from firnline_ingest.aws.client import READ_TIMEOUT_S, dynamodb_client
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.ledger.errors import LedgerTableMissing

BEAT_READ_TIMEOUT_S = 3  # a connection that went silent must not look like an engine's death (ledger/lease.py)


def open_ledger(config: EngineConfig, *, read_timeout_s: float = READ_TIMEOUT_S) -> DynamoLedger:
    """Raises LedgerTableMissing, LedgerTableForeign, LedgerForbidden or LedgerUnavailable."""
    ledger = _ledger(config, read_timeout_s)
    if not _is_there(ledger, config):
        ledger.create()
        ledger.check()
    return ledger


def check_ledger(config: EngineConfig) -> bool:
    """False where `open_ledger` would make the table. Makes nothing itself; raises as that does."""
    return _is_there(_ledger(config), config)


def existing_ledger(config: EngineConfig) -> DynamoLedger | None:
    """The ledger where it is there; as `check_ledger`."""
    ledger = _ledger(config)
    return ledger if _is_there(ledger, config) else None


def _is_there(ledger: DynamoLedger, config: EngineConfig) -> bool:
    try:
        ledger.check()
    except LedgerTableMissing:
        if not config.ledger.create:
            raise
        return False
    return True


def unchecked_ledger(config: EngineConfig, *, connections: int) -> DynamoLedger:
    """Returns the ledger without asking whether its table is there: for callers that come after `open_ledger`."""
    return DynamoLedger(dynamodb_client(config.aws, connections=connections), config.ledger.table)


def _ledger(config: EngineConfig, read_timeout_s: float = READ_TIMEOUT_S) -> DynamoLedger:
    return DynamoLedger(dynamodb_client(config.aws, read_timeout_s=read_timeout_s), config.ledger.table)
