"""Time until Kinesis drops the oldest record that was not read, shard by shard.

It goes on falling for a shard that is not read: one that has stopped, that is paused, or whose stream can't be planned.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    from firnline_ingest.shard.receipt import Receipt

HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class Unread:
    """A plan's knowledge of a shard."""

    key: ShardKey
    known_ms: int
    """Service time: what arrived before was read; 0 where that is not known."""
    retention_hours: int


@dataclass(slots=True)
class TimeToTrim:
    """Remembers, of each shard that is to be read, since when its records are unread.

    The plan knows it from the ledger, which trails by some seconds; a receipt knows it where Kinesis has answered.
    """

    clock: Callable[[], float] = time.time
    _known: dict[ShardKey, Unread] = field(default_factory=dict)

    def planned(self, shards: Iterable[Unread]) -> None:
        """All shards of each stream that could be planned; of a stream that has none here, the last plan stands."""
        found = {shard.key: shard for shard in shards}
        streams = {key.stream for key in found}
        self._known = {key: known for key, known in self._known.items() if key.stream not in streams} | found

    def told(self, receipts: "Sequence[Receipt]") -> None:
        """A shard's answer says how far before its end its reader is."""
        now_ms = int(self.clock() * 1000)
        for receipt in receipts:
            known = self._known.get(receipt.key)
            if known is not None and receipt.behind_ms is not None:
                read_ms = max(known.known_ms, now_ms - receipt.behind_ms)
                self._known[receipt.key] = Unread(known.key, read_ms, known.retention_hours)

    def seconds(self) -> dict[ShardKey, int]:
        """The seconds until records are dropped, for each shard of which anything is known; 0 if some may be gone already."""
        now_ms = int(self.clock() * 1000)
        return {
            key: max(0, (known.known_ms + known.retention_hours * HOUR_MS - now_ms) // 1000)
            for key, known in self._known.items()
            if known.known_ms > 1 and known.retention_hours
        }
