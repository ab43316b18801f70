"""What an engine's row in the ledger shows of its last epoch, for whoever asks while it runs."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.backend import LeaseLedger
from firnline_ingest.shard.receipt import Receipt, ShardState
from firnline_ingest.spark.policy import describe

log = logging.getLogger(__name__)


@dataclass(slots=True)
class ShownRun:
    """One run's. What has changed is written; what could not be written is tried again with the next epoch."""

    ledger: LeaseLedger
    run_id: str
    _fingerprints: tuple[str, ...] = ()
    _waiting: int = 0

    def write(self, receipts: Sequence[Receipt]) -> None:
        """`firnline keys rotate` sees there whether the old key is still in use, `firnline status` whether there is room."""
        found = tuple(sorted({receipt.fingerprint for receipt in receipts} - {""}))
        if (
            found
            and found != self._fingerprints
            and self._told(lambda: self.ledger.show_fingerprints(self.run_id, found))
        ):
            self._fingerprints = found
        waiting = sum(receipt.state is ShardState.WAITING for receipt in receipts)
        if waiting != self._waiting and self._told(lambda: self.ledger.show_waiting(self.run_id, waiting)):
            self._waiting = waiting

    def _told(self, write: Callable[[], None]) -> bool:
        try:
            write()
        except FirnlineError as error:
            log.warning("ledger.unreachable", extra=describe(error))
            return False
        return True
