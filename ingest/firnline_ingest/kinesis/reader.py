"""Reads one shard in order, from a start position to its end, five times a second at most.

Positions are kept, iterators are not: whatever happens to an iterator, reading goes on at the record last read, which
is read once more to see that it is still there. A first record that is not that one means that records were lost.
The end is a null iterator with child shards, or one that a listing bears out; nothing less ends a shard.
"""

import logging
import random
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from firnline_ingest.config.model import PollingConfig
from firnline_ingest.errors import KinesisError
from firnline_ingest.kinesis.errors import (
    IteratorExpired,
    PageUnreadable,
    StreamMissing,
    StreamThrottled,
    answered,
)
from firnline_ingest.kinesis.lineage import children_of_closed
from firnline_ingest.kinesis.missing import why_missing
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.service_time import service_time_ms
from firnline_ingest.kinesis.start import After, AtTimestamp, Start
from firnline_ingest.values import Position, ShardKey

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

READS_PER_S = 5
SHARD_BYTES_PER_S = 2_000_000  # what the service gives one shard; a larger page is paid for by waiting
PAGE_BYTES = 1_000_000  # what is asked for: two such reads a second are all that a shard gives, and memory stays small
FIRST_PAGE_RECORDS = 1000  # until the size of records is known
LONGEST_BACKOFF_S = 5.0
CHILDLESS_ENDS = 3
"""So many answers in a row, each to a new iterator, have to end a shard without naming its children before a listing is asked."""

Wait = Callable[[float], bool]
"""Sleeps for some seconds; true where the reader should give up waiting."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Gap:
    """The record at `after`, which was read, is no longer there: what is between it and `first` may have been lost.

    No `first`: there is nothing up to the shard's tip, or its end.
    """

    after: Position
    first: Position | None


@dataclass(frozen=True, slots=True)
class Read:
    """One answer of GetRecords, without records that were read before."""

    records: Sequence[Record]
    behind_ms: int | None
    """None where the service did not say."""
    gap: Gap | None = None
    children: tuple[str, ...] = ()
    is_end: bool = False
    answered_ms: int | None = None
    """The service's time of the answer; None where it did not say."""
    is_at_tip: bool = False
    """There was nothing more. A page with records never says so: more of their millisecond may be behind its limit."""


class ShardReader:
    """Not thread-safe: one shard, one thread."""

    def __init__(
        self,
        client: "KinesisClient",
        key: ShardKey,
        start: Start,
        polling: PollingConfig,
        *,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._client = client
        self._key = key
        self._next = start
        self._polling = polling
        self._clock = clock
        self._jitter = jitter
        self._iterator: str | None = None
        self._limit = min(polling.max_records, FIRST_PAGE_RECORDS)
        self._verifying: Position | None = None
        self._not_before_s = 0.0
        self._answered_s: deque[float] = deque(maxlen=READS_PER_S)
        self._failures = 0
        self._missing = 0
        self._childless_ends = 0
        self.reads = 0
        self.throttled = 0
        self.unreadable_pages = 0
        self.answered_at_s = clock()
        """When the last good answer came, by `clock`; when the reader was made, where there was none yet."""
        self.trouble: KinesisError | None = None
        """Why there was no good answer since."""

    @property
    def unanswered_s(self) -> float:
        return self._clock() - self.answered_at_s

    def read(self, wait: Wait) -> Read | None:
        """The next page; None where `wait` said to give up, or after trouble that was waited out.

        Raises the fatal errors of kinesis/errors.py; ShardExpired where the service no longer has the shard.
        """
        if wait(max(0.0, self._not_before_s - self._clock())):
            return None
        try:
            return self._get_records(self._iterator or self._new_iterator())
        except IteratorExpired:
            self._iterator = None
        except StreamThrottled as error:
            self.throttled += 1
            self._back_off(error)
        except KinesisError as error:
            self._iterator = None
            self._back_off(self._passing(error))
        return None

    def _passing(self, error: KinesisError) -> KinesisError:
        """The error where time can heal it. Raises the others."""
        if isinstance(error, StreamMissing):
            self._missing += 1
            error = why_missing(self._client, self._key, times=self._missing)
        if isinstance(error, PageUnreadable):
            self.unreadable_pages += 1
            self._say(error)
        if not error.is_retryable:
            raise error
        return error

    def _say(self, error: PageUnreadable) -> None:
        """Once, and again whenever it was twice as many in a row: a line a page would be thousands an hour."""
        if self._failures & (self._failures - 1) == 0:
            log.warning(
                "reader.unreadable", extra={"shard": str(self._key), "pages": self.unreadable_pages, **_of(error)}
            )

    def _get_records(self, iterator: str) -> Read:
        started_s = self._clock()
        self.reads += 1
        childless_ends, self._childless_ends = self._childless_ends, 0
        page = self._call("GetRecords", needs="Records", ShardIterator=iterator, Limit=self._limit)
        records: Sequence[Record] = page["Records"]
        children = self._children(page, childless_ends)
        self._failures = self._missing = 0
        self.trouble, self.answered_at_s = None, self._clock()
        size = sum(len(record.Data) for record in records)
        self._not_before_s = self._earliest_next_read_s(started_s, size)
        self._iterator = page.get("NextShardIterator") or None
        behind_ms, is_end = page["MillisBehindLatest"], self._iterator is None
        gap = self._verify(records, is_complete=is_end or behind_ms == 0)
        fresh = self._fresh(records)
        if records:
            self._next = After(Position(int(records[-1].SequenceNumber)))
            self._limit = max(1, min(self._polling.max_records, PAGE_BYTES * len(records) // max(size, 1)))
        is_at_tip = behind_ms == 0 and not records and not is_end
        return Read(fresh, behind_ms, gap, children, is_end, service_time_ms(page), is_at_tip)

    def _children(self, page: Mapping[str, Any], childless_ends: int) -> tuple[str, ...]:
        """Those of a page that ends the shard. Raises PageUnreadable for one that only looks like it.

        Whether the service says null or nothing is not documented, and a closed shard may come without its children: then
        a listing decides, once `childless_ends` answers before this one were alike.
        """
        children = tuple(child["ShardId"] for child in page.get("ChildShards") or ())
        if page.get("NextShardIterator"):
            return ()
        if children and "NextShardIterator" in page:
            return children
        if not children and page["MillisBehindLatest"] == 0:
            self._childless_ends = childless_ends + 1
        if children or self._childless_ends >= CHILDLESS_ENDS:
            listed = children_of_closed(self._client, self._key.stream, self._key.shard_id)
            if listed:
                return listed
        raise PageUnreadable(self._key.stream, "GetRecords", "it has no next iterator, and no child shards")

    def _earliest_next_read_s(self, started_s: float, size: int) -> float:
        """The service counts a read when it gets it, which may be as late as its answer: five of those in a second at most."""
        interval_s = self._polling.interval_ms / 1000
        self._answered_s.append(self._clock())
        window_s = min(1.0, READS_PER_S * interval_s) if len(self._answered_s) == READS_PER_S else 0.0
        return max(started_s + interval_s, started_s + size / SHARD_BYTES_PER_S, self._answered_s[0] + window_s)

    def _verify(self, records: Sequence[Record], *, is_complete: bool) -> Gap | None:
        """Whether the record last read came first; an empty page that is not complete does not say."""
        expected = self._verifying
        if expected is None or not (records or is_complete):
            return None
        self._verifying = None
        first = Position(int(records[0].SequenceNumber)) if records else None
        if first and first.sequence_number == expected.sequence_number:
            return None
        return Gap(expected, first)

    def _fresh(self, records: Sequence[Record]) -> Sequence[Record]:
        """Only the first record of a page that follows a new iterator can have been read before."""
        if not isinstance(self._next, After) or not records:
            return records
        known = self._next.position.sequence_number
        skip = 0
        while skip < len(records) and int(records[skip].SequenceNumber) <= known:
            skip += 1
        return records[skip:] if skip else records

    def _new_iterator(self) -> str:
        request: dict[str, Any] = {"StreamName": self._key.stream, "ShardId": self._key.shard_id}
        if isinstance(self._next, After):
            self._verifying = self._next.position
            request |= {
                "ShardIteratorType": "AT_SEQUENCE_NUMBER",
                "StartingSequenceNumber": str(self._next.position.sequence_number),
            }
        elif isinstance(self._next, AtTimestamp):
            request |= {"ShardIteratorType": "AT_TIMESTAMP", "Timestamp": self._next.ms / 1000}
        else:
            request |= {"ShardIteratorType": "TRIM_HORIZON"}
        iterator: str = self._call("GetShardIterator", needs="ShardIterator", **request)["ShardIterator"]
        return iterator

    def _call(self, operation: str, *, needs: str, **request: Any) -> Any:
        method = {"GetRecords": "get_records", "GetShardIterator": "get_shard_iterator"}[operation]
        call = partial(getattr(self._client, method), **request)
        return answered(call, operation=operation, stream=self._key.stream, needs=needs)

    def _back_off(self, error: KinesisError) -> None:
        """Full jitter, from the polling interval up to some seconds."""
        self.trouble = error
        self._failures += 1
        longest = min(LONGEST_BACKOFF_S, self._polling.interval_ms / 1000 * 2**self._failures)
        self._not_before_s = self._clock() + max(self._polling.interval_ms / 1000, longest * self._jitter())


def _of(error: KinesisError) -> dict[str, str]:
    return {"problem": error.id, "what": error.what}
