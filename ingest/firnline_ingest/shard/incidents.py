"""What is said of an incident once it is in the ledger: a log line for a person, and a call for who counts it."""

import logging
from collections.abc import Callable

from firnline_ingest.ledger.incident import Incident
from firnline_ingest.values import ShardKey

Noted = Callable[[Incident], None]

log = logging.getLogger(__name__)


def log_incident(key: ShardKey, incident: Incident) -> None:
    loss = incident.loss
    measured = (
        {"from_ms": loss.from_ms, "to_ms": loss.to_ms, "records": loss.records, "bytes": loss.bytes} if loss else {}
    )
    log.warning(
        "shard.incident",
        extra={"shard": str(key), "incident": incident.kind.value, "what": incident.detail, **measured},
    )


def uncounted(_incident: Incident) -> None:
    """The default: nobody counts."""
