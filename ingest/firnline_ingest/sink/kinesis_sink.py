"""A stream to put records into: full requests, several at once, what was refused alone again.

Every record is acknowledged before `flush` returns, or an error says that one is not. Records are put at least once: an
answer that is lost is not a refusal. Any thread may give records.
"""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self

from firnline_ingest.errors import FirnlineError
from firnline_ingest.sink.errors import PutInterrupted, RecordUnfit, SinkFailed
from firnline_ingest.sink.keys import MOST_CHARACTERS, PartitionKey, by_number
from firnline_ingest.sink.options import MOST_BYTES, SinkOptions
from firnline_ingest.sink.put_records import Unanswered, is_refusal, put_records
from firnline_ingest.sink.sending import SendRetryBudget, send
from firnline_ingest.sink.waiting import Backlog, Entry, InAnyOrder, InOrderOfKeys, entry

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

ANSWERS_AFTER_ABORT_S = 1.0
"""How long an aborted sink waits for the answers to requests under way; without one, their records count as not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkReport:
    """Counts of what is in the stream."""

    stream: str
    records: int
    size_bytes: int
    """Of the records, without their keys."""
    retried: int
    """Records that were refused for a moment, and put again; each as often as it was."""
    seconds: float

    @property
    def megabytes_per_second(self) -> float:
        return self.size_bytes / 1e6 / self.seconds if self.seconds else 0.0


class KinesisSink:
    """Threads start with the first requests, at most `in_flight` of them, and end with `close`."""

    def __init__(
        self,
        client: "KinesisClient",
        stream: str,
        options: SinkOptions | None = None,
        *,
        key: PartitionKey = by_number,
        pause: Callable[[float], object] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`client` should try nothing again by itself and keep `in_flight` connections (sink/client.py makes one). `key` is
        for records that are given without one. `pause` replaces the wait between attempts, which an abort cuts short.
        """
        self._client = client
        self._stream = stream
        self._options = options or SinkOptions()
        self._key = key
        self._clock = clock
        self._began_s = clock()
        self._budget = SendRetryBudget(
            1 if self._options.fail_on_error else self._options.attempts, pause or self._pause
        )
        backlog = InOrderOfKeys if self._options.ordered else InAnyOrder
        self._backlog: Backlog = backlog(self._options)
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._idle = self._given = self._settled = self._bytes = self._retried = 0
        self._wanted = 0
        """Who waits for everything to be in."""
        self._maybe_in: set[int] = set()
        """Identities of unacknowledged records whose last request, or one before it, got no answer that refuses them."""
        self._is_closed = self._is_aborted = False
        self._failure: Exception | None = None

    def put(self, data: bytes, key: str | None = None, *, hash_key: str | None = None) -> None:
        """Returns when the record is given, not when it is in; waits while too many are neither.

        Raises RecordUnfit for what no stream takes, which hurts no other record; SinkFailed once the sink has failed, and
        RuntimeError once it is closed.
        """
        partition_key = self._key(self._given, data) if key is None else key
        given = entry(data, partition_key, hash_key, self._clock())
        self._refuse_unfit(given, partition_key)
        with self._changed:
            while self._given - self._settled >= self._options.buffered_records and not self._is_over:
                self._wanted += 1  # what waits for company would wait for us
                self._call_workers()
                self._changed.wait()
                self._wanted -= 1
            self._raise_failure()
            self._refuse_if_closed()
            self._given += 1
            is_first = self._backlog.oldest_s() is None
            self._backlog.add(given)
            if is_first or self._backlog.is_full():  # else another call looks at the clock for it
                self._call_workers()

    def flush(self) -> None:
        """Returns when every record that was given before is acknowledged. Raises SinkFailed, and RuntimeError where another
        thread closes the sink without them.
        """
        with self._changed:
            due = self._given
            self._wanted += 1
            self._call_workers()
            while self._settled < due and not self._is_over:
                self._changed.wait()
            self._wanted -= 1
            self._raise_failure()
            if self._settled < due:
                self._refuse_if_closed()

    def close(self) -> SinkReport:
        """Flushes, and ends the threads. Raises SinkFailed; the threads end all the same."""
        try:
            self.flush()
        finally:
            self._end()
        return self.report

    @property
    def report(self) -> SinkReport:
        with self._changed:
            return SinkReport(
                stream=self._stream,
                records=self._settled,
                size_bytes=self._bytes,
                retried=self._retried,
                seconds=self._clock() - self._began_s,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, _trace: TracebackType | None) -> None:
        """Closes; after an error, without what is not under way yet, and without another attempt of what is."""
        self._end(is_aborted=True) if kind else self.close()

    def _end(self, *, is_aborted: bool = False) -> None:
        with self._changed:
            self._is_closed = True
            self._is_aborted = self._is_aborted or is_aborted
            self._changed.notify_all()
        deadline_s = time.monotonic() + ANSWERS_AFTER_ABORT_S
        for thread in self._threads:
            thread.join(max(0.0, deadline_s - time.monotonic()) if is_aborted else None)

    def _refuse_unfit(self, given: Entry, key: str) -> None:
        if given.size > MOST_BYTES:
            raise RecordUnfit(self._stream, f"has {given.size:,} bytes with its key")
        if not 1 <= len(key) <= MOST_CHARACTERS:
            raise RecordUnfit(self._stream, f"has a partition key of {len(key)} characters")

    @property
    def _is_over(self) -> bool:
        """Nothing more is taken from the backlog."""
        return self._is_closed or self._failure is not None

    def _is_given_up(self) -> bool:
        """Returns whether what the stream refuses is not put again."""
        return self._is_aborted or self._failure is not None

    def _pause(self, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(self._is_given_up, seconds)

    def _refuse_if_closed(self) -> None:
        if self._is_closed:
            raise RuntimeError("the sink is closed")

    def _raise_failure(self) -> None:
        if self._failure:
            raise self.failed_by(self._failure) from self._failure

    def failed_by(self, cause: Exception) -> SinkFailed:
        """Returns what to raise for something that ended it from outside: how many records are in, and why no more."""
        with self._changed:
            return SinkFailed(
                self._stream,
                acknowledged=self._settled,
                unacknowledged=self._given - self._settled,
                unknown=len(self._maybe_in),
                cause=cause,
            )

    def _call_workers(self) -> None:
        if not self._idle and len(self._threads) < self._options.in_flight:
            self._threads.append(threading.Thread(target=self._work, name="put", daemon=True))
            self._threads[-1].start()
        self._changed.notify_all()

    def _work(self) -> None:
        while entries := self._next():
            try:
                send(
                    self._put, self._stream, entries, self._budget, settled=self._settle, is_given_up=self._is_given_up
                )
            except Exception as error:
                self._fail(error)
                return

    def _next(self) -> list[Entry]:
        """The next request's records, when there are enough of them, or one has waited for long; none at the end."""
        with self._changed:
            while not self._is_over:
                oldest_s, left_s = self._backlog.oldest_s(), None
                if oldest_s is not None:
                    left_s = oldest_s + self._options.linger_s - self._clock()
                    if self._wanted or self._backlog.is_full() or left_s <= 0:
                        return self._backlog.take()
                self._idle += 1
                self._changed.wait(left_s)
                self._idle -= 1
            return []

    def _put(self, entries: Sequence[Entry]) -> list[str | None]:
        with self._changed:
            if self._is_given_up():  # who raises it may have counted these as not in
                return ["the sink had failed before"] * len(entries)
            asked = {id(each) for each in entries} - self._maybe_in
            self._maybe_in |= asked
        try:
            causes = put_records(self._client, self._stream, entries)
        except Exception as error:
            if is_refusal(error.__cause__):
                with self._changed:
                    self._maybe_in -= asked
            raise
        refused = {
            id(each)
            for each, why in zip(entries, causes, strict=True)
            if why is not None and not isinstance(why, Unanswered)
        }
        with self._changed:
            self._maybe_in -= asked & refused  # those that are in stay until `_settle` counts them
            self._retried += len(causes) - causes.count(None)
        return causes

    def _settle(self, entries: list[Entry]) -> None:
        with self._changed:
            self._settled += len(entries)
            self._maybe_in.difference_update(map(id, entries))
            self._bytes += sum(len(each.data) for each in entries)
            self._backlog.settle(entries)
            self._changed.notify_all()

    def _fail(self, error: Exception) -> None:
        with self._changed:
            self._failure = self._failure or error
            self._changed.notify_all()


def put_all(
    client: "KinesisClient",
    stream: str,
    records: Iterable[bytes],
    options: SinkOptions | None = None,
    *,
    key: PartitionKey = by_number,
    pause: Callable[[float], object] | None = None,
) -> SinkReport:
    """Returns when every record is in the stream. Raises SinkFailed, for Ctrl-C too; then a part of them is.

    A record that no stream takes hurts no other one: SinkFailed names it when the others are in, or at once where
    `fail_on_error` is set.
    """
    options = options or SinkOptions()
    unfit: list[tuple[int, str]] = []
    sink = KinesisSink(client, stream, options, key=key, pause=pause)
    try:
        with sink:
            for number, record in enumerate(records, start=1):
                try:
                    sink.put(record)
                except RecordUnfit as error:
                    if options.fail_on_error:
                        raise
                    unfit.append((number, error.problem))
            report = sink.close()
        if unfit:
            number, problem = unfit[0]
            raise RecordUnfit(stream, problem, number=number, others=len(unfit) - 1)
        return report
    except SinkFailed:
        raise
    except KeyboardInterrupt as interrupt:
        raise sink.failed_by(PutInterrupted()) from interrupt
    except FirnlineError as error:
        raise sink.failed_by(error) from error
