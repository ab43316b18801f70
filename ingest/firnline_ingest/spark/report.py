"""An epoch in the log: one line that adds it up, and the receipts that say something new.

However many shards there are, an epoch writes a bounded number of lines; only receipts with incidents have no bound. A shard
of which nothing was counted and nothing has changed has no line.
"""

import logging
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from firnline_ingest.shard.receipt import COUNTS, Receipt
from firnline_ingest.values import ShardKey

MOST_RECEIPTS = 32
SUMMED = (
    "records", "ingested", "rows", "reread_rows", "bytes", "dead_letters", "reread_letters", "skipped", "tombstones",
    "control_messages", "filtered", "unknown_keys", "rejected_rows", "replayed_rows",
    "throttled", "opens", "interruptions", "incidents", "unreadable_pages",
)  # fmt: skip # a paragraph, not a column

log = logging.getLogger(__name__)


@dataclass(slots=True)
class EpochReport:
    """Remembers how each shard stood, and what it said of it, to see what changed."""

    _stood: dict[ShardKey, tuple[str, ...]] = field(default_factory=dict)
    _said: dict[ShardKey, tuple[str, ...]] = field(default_factory=dict)

    def write(self, receipts: Sequence[Receipt], stopped: Collection[ShardKey] = ()) -> None:
        log.info("epoch.ended", extra=summary(receipts, stopped))
        for receipt in self._in_full(receipts):
            log.info("shard.receipt", extra={**receipt.as_dict(), "new_keys": len(receipt.new_keys)})

    def _in_full(self, receipts: Sequence[Receipt]) -> Sequence[Receipt]:
        """The receipts to log in full: those with incidents, then problems and changes of state, then the others as far as
        the bound goes."""
        news = [each for each in receipts if self._said.get(each.key) != _stands(each) or _any_counted(each)]
        ordered = sorted(news, key=self._rank)
        certain = sum(receipt.incidents > 0 for receipt in news)
        said = ordered[: max(certain, MOST_RECEIPTS)]
        self._said |= {receipt.key: _stands(receipt) for receipt in said}
        self._stood |= {receipt.key: _stands(receipt) for receipt in receipts}
        return said

    def _rank(self, receipt: Receipt) -> int:
        if receipt.incidents:
            return 0
        if receipt.problem or receipt.dead_letters or receipt.rejected_rows:
            return 1
        return 2 if self._stood.get(receipt.key, ())[:2] != _stands(receipt)[:2] else 3


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


def _any_counted(receipt: Receipt) -> bool:
    """True if anything but reads was counted: an idle shard is read again and again."""
    return any(getattr(receipt, name) for name in COUNTS if name != "reads")


def _stands(receipt: Receipt) -> tuple[str, ...]:
    """State and problem first."""
    return receipt.state.value, receipt.problem.id if receipt.problem else "", receipt.end, receipt.proven
