"""Reads one shard in order, from a start position to its end, whatever its pages come from (source.py).

Positions are kept, iterators and subscriptions are not: whatever happens to one, reading goes on at the record last read,
which is read again to see that it is still there. A first record that is not that one means that records were lost.
The end is a page that names no place to go on from with child shards, or one that a listing bears out, again and again; nothing
less ends a shard.
"""

import logging
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from firnline_ingest.config.retries import FIELDS, UNCHANGED, RetriesConfig
from firnline_ingest.config.running import PollingConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.errors import (
    IteratorExpired,
    PageUnreadable,
    PositionForeign,
    RetriesOver,
    StartRefused,
    StreamMissing,
    StreamThrottled,
)
from firnline_ingest.kinesis.lineage import children_of_closed
from firnline_ingest.kinesis.missing import Incarnations, why_missing
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.polling import PollingSource
from firnline_ingest.kinesis.source import Page, PageSource
from firnline_ingest.kinesis.start import After, Start
from firnline_ingest.values import Position, ShardKey

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

CHILDLESS_ENDS = 3
"""So many answers, each to a new iterator, have to end a closed shard without naming its children before it is at its end."""

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
    """One page, without records that were read before."""

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
    """Reads one shard on one thread; not thread-safe."""

    def __init__(
        self,
        client: "KinesisClient",
        key: ShardKey,
        start: Start,
        polling: PollingConfig,
        *,
        retries: RetriesConfig = UNCHANGED,
        source: PageSource | None = None,
        incarnations: Incarnations | None = None,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Polls where it is given no other source."""
        self._client = client
        self._key = key
        self._start = self._next = start
        self._interval_s = polling.interval_ms / 1000
        self._retries = retries
        self._clock = clock
        self._jitter = jitter
        self._source = source or PollingSource(client, key, polling, clock=clock)
        self._incarnations = incarnations or Incarnations(client)
        self._verifying: Position | None = None
        self._not_before_s = 0.0
        self._failures = 0
        self._missing = 0
        self._childless_ends = 0
        self._good_pages = 0
        """Since the last trouble."""
        self.throttled = 0
        self.unreadable_pages = 0
        self.cbor_refusals = 0
        self.answered_at_s = clock()
        """When the last good answer came, by `clock`; when the reader was made, where there was none yet."""
        self.trouble: FirnlineError | None = None
        """Why there was no good answer since."""

    @property
    def reads(self) -> int:
        return self._source.calls

    @property
    def unanswered_s(self) -> float:
        return self._clock() - self.answered_at_s

    def read(self, wait: Wait) -> Read | None:
        """The next page; None where `wait` said to give up, or after trouble that was waited out.

        Raises the fatal errors of kinesis/errors.py; ShardExpired where the service no longer has the shard.
        """
        not_before_s = max(self._not_before_s, self._source.not_before_s)
        if wait(max(0.0, not_before_s - self._clock())):
            return None
        page = None
        try:
            page = self._page()
            return None if page is None else self._read(page)
        except IteratorExpired:
            self._source.forget()
        except StreamThrottled as error:
            if page is None:
                self.throttled += 1
            else:
                self._source.forget()  # the page was not taken
            self._back_off(error)
        except FirnlineError as error:
            self._source.forget()
            self._back_off(self._passing(error))
        return None

    def close(self) -> None:
        self._source.close()

    def _page(self) -> Page | None:
        try:
            return self._source.page(self._next)
        except FirnlineError:
            self._childless_ends = 0
            raise

    def _passing(self, error: FirnlineError) -> FirnlineError:
        """The error where time can heal it. Raises the others."""
        if isinstance(error, StreamMissing):
            self._missing += 1
            error = why_missing(self._client, self._key, times=self._missing)
        if isinstance(error, PositionForeign):
            error = self._why_foreign(error)
        if isinstance(error, PageUnreadable):
            self.unreadable_pages += 1
            self._say(error)
        if not error.is_retryable:
            raise error
        return error

    def _why_foreign(self, error: PositionForeign) -> FirnlineError:
        if not isinstance(self._next, After):
            return StartRefused(self._key.stream, str(error.__cause__ or error.what))
        try:
            self._incarnations.make_sure_of(self._key)
        except FirnlineError as cause:
            return cause
        return error

    def _say(self, error: PageUnreadable) -> None:
        """Logs the first unreadable page, then each time that their number in a row has doubled: a line a page would be
        thousands an hour."""
        if self._failures & (self._failures - 1) == 0:
            log.warning(
                "reader.unreadable", extra={"shard": str(self._key), "pages": self.unreadable_pages, **_of(error)}
            )

    def _read(self, page: Page) -> Read:
        self.cbor_refusals += page.cbor_refusals
        children = self._children(page)
        if page.is_first and isinstance(self._next, After):
            self._verifying = self._next.position
        is_end = not page.goes_on
        gap = self._verify(page.records, is_complete=is_end or page.behind_ms == 0)
        if gap is not None or (page.records and not isinstance(self._next, After)):
            self._incarnations.make_sure_of(self._key)  # a position is of one stream, the horizon and a time are of any
        fresh = self._fresh(page.records)
        if fresh:
            self._childless_ends = 0
        self._ends_trouble(has_news=bool(fresh) or is_end)
        if page.records:
            self._next = After(Position(int(page.records[-1].SequenceNumber)))
        is_at_tip = page.behind_ms == 0 and not page.records and not is_end
        return Read(fresh, page.behind_ms, gap, children, is_end, page.answered_ms, is_at_tip)

    def _ends_trouble(self, *, has_news: bool) -> None:
        """Trouble is over with a good answer; after an unreadable one it takes news, or several good ones in a row.

        The record last read comes with each new iterator: a shard whose next page is unreadable each time is not read.
        """
        self._missing = 0
        self._good_pages += 1
        if has_news or self._good_pages > CHILDLESS_ENDS or not isinstance(self.trouble, PageUnreadable):
            self._failures, self.trouble, self.answered_at_s = 0, None, self._clock()

    def _children(self, page: Page) -> tuple[str, ...]:
        """The children in a page that ends the shard. Raises PageUnreadable for one that only looks like it.

        A null iterator is documented as the end; whether the service says null or nothing is not, and a closed shard may come
        without its children: then a listing decides. An end without children counts where the listing shows the shard closed, and
        CHILDLESS_ENDS of them with not one record between are the end, however far behind they say it is: a server that is like
        Kinesis before it named children counts that from the moment when the shard was closed.
        """
        if page.goes_on:
            return ()
        if page.children and page.is_explicit:
            return page.children
        if page.children or page.behind_ms == 0 or (page.behind_ms is not None and not page.records):
            listed = children_of_closed(self._client, self._key.stream, self._key.shard_id)
            self._childless_ends = self._childless_ends + 1 if listed else 0
            if listed and (page.children or self._childless_ends >= CHILDLESS_ENDS):
                return listed
        raise PageUnreadable(
            self._key.stream, self._source.operation, "it names no place to go on, and no child shards"
        )

    def _verify(self, records: Sequence[Record], *, is_complete: bool) -> Gap | None:
        """Checks that the record last read came first; an empty page that is not complete does not say."""
        expected = self._verifying
        if expected is None or not (records or is_complete):
            return None
        self._verifying = None
        first = Position(int(records[0].SequenceNumber)) if records else None
        if first and first.sequence_number == expected.sequence_number:
            return None
        return Gap(expected, first)

    def _fresh(self, records: Sequence[Record]) -> Sequence[Record]:
        """The records that were not read before; only the first ones of a page that follows a new iterator can have been.
        The record at the start is handed over again: it may be an aggregate that was read in part."""
        if not isinstance(self._next, After) or not records:
            return records
        known = self._next.position.sequence_number - (self._next is self._start)
        skip = 0
        while skip < len(records) and int(records[skip].SequenceNumber) <= known:
            skip += 1
        return records[skip:] if skip else records

    def _back_off(self, error: FirnlineError) -> None:
        """Full jitter, from the polling interval on. Raises RetriesOver."""
        self.trouble = error
        self._failures += 1
        self._good_pages = 0
        operation = getattr(error, "operation", self._source.operation)
        retry = self._retries.of(operation) or self._retries.get_records
        if retry.is_over_for_a_shard(self._failures):
            raise RetriesOver(str(self._key), operation, FIELDS.get(operation, "get_records"), self._failures, error)
        longest_s = retry.longest_s(self._failures, interval_s=self._interval_s)
        self._not_before_s = self._clock() + max(self._interval_s, longest_s * self._jitter())


def _of(error: FirnlineError) -> dict[str, str]:
    return {"problem": error.id, "what": error.what}
