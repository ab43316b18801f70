"""Reads one shard of Kinesis from its trim horizon to its tip, independently of the engine's reader and its faults.

It makes at most four of the five reads a second that a shard allows all its consumers together, and reads no more bytes a
second than the shard allows.
"""

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from firnline_infra.audit.errors import StreamSilent
from firnline_ingest.activity import waiting_for
from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.page import Record

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

READ_EVERY_S = 0.25
SHARD_BYTES_PER_S = 2_000_000
PAGE_RECORDS = 10_000
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 5.0
TIMEOUT_S = 120.0


class ShardScan:
    """Scans one shard; not thread-safe."""

    def __init__(
        self,
        client: "KinesisClient",
        stream: str,
        shard_id: str,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._stream = stream
        self._shard_id = shard_id
        self._sleep = sleep
        self._clock = clock
        self._not_before_s = 0.0
        self.is_at_end = False
        """Whether a closed shard was read to its last record: it never has another one."""

    def first(self) -> Record | None:
        """The oldest record that the shard still has; None where it has none now."""
        return next(self._records(limit=1), None)

    def records(self) -> Iterator[Record]:
        """The shard's records in their order, up to its tip as it is when it is reached.

        Raises StreamSilent and the fatal errors of firnline_ingest.kinesis.errors.
        """
        return self._records(limit=PAGE_RECORDS)

    def _records(self, limit: int) -> Iterator[Record]:
        iterator: str | None = None
        last: str | None = None
        while True:
            page, iterator = self._page(iterator, last, limit)
            records: list[Record] = page["Records"]
            yield from records
            last = records[-1].SequenceNumber if records else last
            self.is_at_end = iterator is None
            if self.is_at_end or page["MillisBehindLatest"] == 0:
                return

    def _page(self, iterator: str | None, last: str | None, limit: int) -> tuple[Any, str | None]:
        """One answer, after as many retries as it takes, and the iterator that follows it."""
        from firnline_ingest.kinesis.errors import IteratorExpired

        silent_since_s, pause_s = self._clock(), FIRST_PAUSE_S
        while True:
            try:
                iterator = iterator or self._iterator_after(last)
                page = self._call("get_records", ShardIterator=iterator, Limit=limit)
            except IteratorExpired:
                iterator = None
            except FirnlineError as error:
                if not error.is_retryable:
                    raise
                if self._clock() - silent_since_s > TIMEOUT_S:
                    raise StreamSilent(f"{self._stream}/{self._shard_id}", TIMEOUT_S, error.what) from error
                self._sleep(pause_s)
                pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
            else:
                return page, page["NextShardIterator"]

    def _iterator_after(self, last: str | None) -> str:
        start = (
            {"ShardIteratorType": "TRIM_HORIZON"}
            if last is None
            else {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "StartingSequenceNumber": last}
        )
        answer = self._call("get_shard_iterator", StreamName=self._stream, ShardId=self._shard_id, **start)
        iterator: str = answer["ShardIterator"]
        return iterator

    def _call(self, operation: str, **request: Any) -> Any:
        """Paced: the larger a page was, the longer the wait before the next one."""
        from firnline_ingest.kinesis.aws_errors import kinesis_error
        from firnline_ingest.kinesis.errors import PositionForeign, StartRefused

        with waiting_for(f"Kinesis: {self._stream}, {self._shard_id}"):
            self._sleep(max(0.0, self._not_before_s - self._clock()))
        started_s = self._clock()
        try:
            with waiting_for(f"Kinesis: {self._stream}, {self._shard_id}"):
                answer: Any = getattr(self._client, operation)(**request)
        except Exception as error:
            self._not_before_s = started_s + READ_EVERY_S
            explained = kinesis_error(error, operation=_api_name(operation), stream=self._stream)
            if isinstance(explained, PositionForeign):  # each position here is the stream's own: it is asked again
                explained = StartRefused(self._stream, str(error))
            raise explained from error
        if operation == "get_records":
            size = sum(len(record.Data) for record in answer["Records"])
            self._not_before_s = started_s + max(READ_EVERY_S, size / SHARD_BYTES_PER_S)
        return answer


def _api_name(method: str) -> str:
    return "".join(part.title() for part in method.split("_"))
