"""An epoch in the log: one line that adds it up, and the receipts that a person wants to see in full.

However many shards there are, an epoch writes a bounded number of lines; only receipts with incidents have no bound.
"""

import logging
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from firnline_ingest.shard.receipt import Receipt
from firnline_ingest.values import ShardKey

MOST_RECEIPTS = 32
SUMMED = (
    "records", "ingested", "rows", "reread_rows", "bytes", "dead_letters", "reread_letters", "skipped", "tombstones",
    "control_messages", "filtered", "unknown_keys", "rejected_rows",
    "throttled", "opens", "interruptions", "incidents", "unreadable_pages",
)  # fmt: skip # a paragraph, not a column

log = logging.getLogger(__name__)


@dataclass(slots=True)
class EpochReport:
    """Remembers what it said of each shard, to see what changed."""

    _said: dict[ShardKey, tuple[str, str]] = field(default_factory=dict)

    def write(self, receipts: Sequence[Receipt], stopped: Collection[ShardKey] = ()) -> None:
        log.info("epoch.ended", extra=summary(receipts, stopped))
        for receipt in self._in_full(receipts):
            log.info("shard.receipt", extra={**receipt.as_dict(), "new_keys": len(receipt.new_keys)})
        for receipt in receipts:
            self._said[receipt.key] = _state(receipt)

    def _in_full(self, receipts: Sequence[Receipt]) -> Sequence[Receipt]:
        """Those with incidents; then problems and changes; then the others, as far as the bound goes."""
        ordered = sorted(receipts, key=self._rank)
        certain = sum(receipt.incidents > 0 for receipt in receipts)
        return ordered[: max(certain, MOST_RECEIPTS)]

    def _rank(self, receipt: Receipt) -> int:
        if receipt.incidents:
            return 0
        if receipt.problem or receipt.dead_letters or receipt.rejected_rows:
            return 1
        return 2 if self._said.get(receipt.key) != _state(receipt) else 3


def summary(receipts: Sequence[Receipt], stopped: Collection[ShardKey]) -> dict[str, Any]:
    """The epoch's counts over all shards, their states, and the problems by id."""
    return {
        "shards": len(receipts),
        **Counter(receipt.state.value for receipt in receipts),
        **{name: sum(getattr(receipt, name) for receipt in receipts) for name in SUMMED},
        "behind_ms": max((receipt.behind_ms or 0 for receipt in receipts), default=0),
        "unanswered_s": max((receipt.unanswered_s for receipt in receipts), default=0),
        "problems": dict(Counter(receipt.problem.id for receipt in receipts if receipt.problem)),
        "stopped": sorted(str(key) if key.shard_id else key.stream for key in stopped)[:MOST_RECEIPTS],
    }


def _state(receipt: Receipt) -> tuple[str, str]:
    return receipt.state.value, receipt.problem.id if receipt.problem else ""
