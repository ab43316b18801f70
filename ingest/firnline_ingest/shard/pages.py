"""Reads a shard page by page for its session: no more than may wait for its proof, and no further than its stream's alignment.

A page stays in memory from the first record on that arrived later than the stream's shards may be taken in (spark/alignment),
and nothing more is read meanwhile: there is one for each shard, of about a megabyte.
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from firnline_ingest.config.pipeline import Aggregation
from firnline_ingest.kinesis.aggregate import UserRecords
from firnline_ingest.kinesis.consumer_errors import SubscriptionTaken
from firnline_ingest.kinesis.lineage import read_hash_range
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.reader import Read, ShardReader
from firnline_ingest.kinesis.sources import Subscriber, page_source
from firnline_ingest.kinesis.start import After, Start
from firnline_ingest.shard.report import ShardActivity, ShardReport
from firnline_ingest.shard.request import ShardRequest
from firnline_ingest.shard.work import ShardServices, ShardWork

UNPROVEN_BYTES = 64_000_000  # per shard: past it reading waits for commits, so that memory is bounded
UNPROVEN_POLL_S = 0.2
ALIGNMENT_POLL_S = 0.25
READERS_COUNTS = ("reads", "throttled", "unreadable_pages", "cbor_refusals")

log = logging.getLogger(__name__)


class ShardPages:
    """The pages that one session reads; not thread-safe."""

    def __init__(
        self, work: ShardWork, services: ShardServices, start: Start, report: ShardReport, *, arrived_ms: int
    ) -> None:
        """`arrived_ms`: when the record arrived that was taken in last, by the service's clock; 0 if there was none."""
        clients = services.clients_of(work.pipeline)
        subscribes = clients.subscriber or clients.kinesis
        subscriber = Subscriber(subscribes, clients.consumers, work.registered_arn, clients.turns)
        self._reader = ShardReader(
            clients.kinesis,
            work.key,
            start,
            services.polling,
            retries=services.retries,
            incarnations=clients.incarnations,
            source=page_source(subscriber, work.key, work.pipeline.reader, services.polling, clock=time.monotonic),
            jitter=services.jitter,
        )
        self._report = report
        self._buffered = BufferedPage(report)
        self._idle = IdleWatch(arrived_ms)
        self._counted = dict.fromkeys(READERS_COUNTS, 0)
        self.is_taken = False
        """Whether the last call found that another attempt subscribes to the shard."""

    @property
    def held_back_ms(self) -> int:
        return self._buffered.held_back_ms

    def next(self, request: ShardRequest, unproven_bytes: int) -> Read | None:
        """Returns what may be taken in now; None if there is nothing yet. Raises ShardExpired, and what time can't heal."""
        self.is_taken = False
        return self._buffered.next(request, lambda request: self._read(request, unproven_bytes))

    def took(self, page: Read) -> None:
        """Notes that the page was taken in."""
        self._report.tally.idle_s = self._idle.took(page)

    def close(self) -> None:
        self._reader.close()

    def _read(self, request: ShardRequest, unproven_bytes: int) -> Read | None:
        self._report.set_activity(ShardActivity.READING)
        if unproven_bytes < UNPROVEN_BYTES:
            try:
                return self._reader.read(request.wait)
            finally:
                self._count()
                trouble = self._reader.trouble
                self.is_taken = isinstance(trouble, SubscriptionTaken)
                self._report.answered(self._reader.answered_at_s, trouble.what if trouble else "")
        self._report.answered(0.0, f"{unproven_bytes:,} bytes of rows wait for Snowflake to commit them")
        request.wait(UNPROVEN_POLL_S)
        return None

    def _count(self) -> None:
        """The reader counts from when it was made, the tally for as long as the process has the shard."""
        tally = self._report.tally
        for name in READERS_COUNTS:
            now = getattr(self._reader, name)
            setattr(tally, name, getattr(tally, name) + now - self._counted[name])
            self._counted[name] = now


class BufferedPage:
    """Holds back what arrived later than the alignment allows; a run that is bounded by itself holds nothing back."""

    def __init__(self, report: ShardReport) -> None:
        self._report = report
        self._page: Read | None = None
        self.held_back_ms = 0
        """What arrived before was handed on; service time. 0 if nothing was ever held back."""

    def next(self, request: ShardRequest, read: Callable[[ShardRequest], Read | None]) -> Read | None:
        """Returns what may be taken in now; None if there is nothing, or nothing yet."""
        until_ms = request.work.until_ms if request.arrival_ms is None else 0
        if self._page is None:
            found = read(request)
            if found is None or not until_ms:
                return found
            self._page = found
        return self._handed_on(self._page, until_ms, request)

    def _handed_on(self, page: Read, until_ms: int, request: ShardRequest) -> Read | None:
        late = _first_late(page.records, until_ms) if until_ms else None
        if late is None:
            self._page = None
            return page
        self._waits_for(int((page.records[late].ApproximateArrivalTimestamp or 0) * 1000) - 1, request)
        if late == 0:
            self._report.set_activity(ShardActivity.WAITING)
            self._report.answered(time.monotonic(), "")
            request.wait(ALIGNMENT_POLL_S)
            return None
        self._page = replace(page, records=page.records[late:], gap=None)
        return replace(page, records=page.records[:late], children=(), is_end=False, is_at_tip=False)

    def _waits_for(self, held_back_ms: int, request: ShardRequest) -> None:
        if held_back_ms > self.held_back_ms:
            self.held_back_ms, self._report.tally.idle_s = held_back_ms, 0
            extra = {"shard": str(request.work.key), "held_back_ms": held_back_ms, "until_ms": request.work.until_ms}
            log.info("shard.waits", extra=extra)


class IdleWatch:
    """Knows since when nothing arrives in a shard, across sessions.

    A shard is idle while Kinesis shows it read to its tip and no record comes. One that is behind, that waits for others, or that
    Kinesis does not answer for is not: what is in it is unknown.
    """

    def __init__(self, arrived_ms: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._arrived_ms = arrived_ms
        self._clock = clock
        self._since_s: float | None = None

    def took(self, read: Read) -> int:
        """Returns for how many seconds no record has come, as of this answer; 0 if it is not the shard's tip."""
        now_s = self._clock()
        if read.records:
            self._arrived_ms = int((read.records[-1].ApproximateArrivalTimestamp or 0) * 1000)
        if read.records or self._since_s is None:
            self._since_s = now_s - self._before_s(read)
        return int(now_s - self._since_s) if read.is_at_tip else 0

    def _before_s(self, read: Read) -> float:
        """Returns how old the newest record was when Kinesis answered; it may have been read long after it came."""
        if not self._arrived_ms or read.answered_ms is None:
            return 0.0
        return max(0, read.answered_ms - self._arrived_ms) / 1000


def user_records_of(work: ShardWork, services: ShardServices, start: Start) -> UserRecords:
    """Returns the unpacking of KPL aggregates for a session that goes on at `start`, perhaps inside an aggregate."""
    is_on = work.pipeline.aggregation is Aggregation.AUTO
    client = services.clients_of(work.pipeline).kinesis
    own_range = partial(read_hash_range, client, work.key.stream, work.key.shard_id)
    return UserRecords(own_range, start.position if isinstance(start, After) else None, is_on=is_on)


def _first_late(records: Sequence[Record], until_ms: int) -> int | None:
    for index, record in enumerate(records):
        if (record.ApproximateArrivalTimestamp or 0) * 1000 > until_ms:
            return index
    return None
