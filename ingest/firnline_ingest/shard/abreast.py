"""Holds a page back from the first record on that arrived later than the stream's shards may be taken in (spark/abreast.py).

The page stays in memory, and nothing more is read meanwhile: there is one for each shard, of about a megabyte.
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.reader import Read
from firnline_ingest.shard.demand import Demand
from firnline_ingest.shard.report import Doing, ShardReport

LOOK_S = 0.25

log = logging.getLogger(__name__)


class HeldPage:
    """One session's; not thread-safe. A run that is bounded by itself holds nothing back."""

    def __init__(self, report: ShardReport) -> None:
        self._report = report
        self._held: Read | None = None
        self.waits_ms = 0
        """What arrived before was handed on; service time. 0 where nothing was ever held back."""

    def next(self, demand: Demand, read: Callable[[Demand], Read | None]) -> Read | None:
        """What may be taken in now; None where there is nothing, or nothing yet."""
        until_ms = demand.work.until_ms if demand.arrival_ms is None else 0
        if self._held is None:
            found = read(demand)
            if found is None or not until_ms:
                return found
            self._held = found
        return self._handed_on(self._held, until_ms, demand)

    def _handed_on(self, held: Read, until_ms: int, demand: Demand) -> Read | None:
        late = _first_late(held.records, until_ms) if until_ms else None
        if late is None:
            self._held = None
            return held
        self._waits_for(int((held.records[late].ApproximateArrivalTimestamp or 0) * 1000) - 1, demand)
        if late == 0:
            self._report.doing(Doing.WAITING)
            self._report.answered(time.monotonic(), "")
            demand.wait(LOOK_S)
            return None
        self._held = replace(held, records=held.records[late:], gap=None)
        return replace(held, records=held.records[:late], children=(), is_end=False, is_at_tip=False)

    def _waits_for(self, waits_ms: int, demand: Demand) -> None:
        if waits_ms > self.waits_ms:
            self.waits_ms = waits_ms
            extra = {"shard": str(demand.work.key), "waits_ms": waits_ms, "until_ms": demand.work.until_ms}
            log.info("shard.waits", extra=extra)


def _first_late(records: Sequence[Record], until_ms: int) -> int | None:
    for index, record in enumerate(records):
        if (record.ApproximateArrivalTimestamp or 0) * 1000 > until_ms:
            return index
    return None
