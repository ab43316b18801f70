"""Shared-throughput reads: GetShardIterator once, then GetRecords, five times a second and shard at most,
and less and less often while nothing comes.

Iterators are not kept over trouble: whatever happens to one, the next begins at the reader's position.
"""

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from firnline_ingest.config.running import PollingConfig
from firnline_ingest.kinesis.aws_errors import answered
from firnline_ingest.kinesis.cbor import CBOR_REFUSALS
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.service_time import service_time_ms
from firnline_ingest.kinesis.source import Page
from firnline_ingest.kinesis.start import After, AtTimestamp, Start
from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

READS_PER_S = 5
SHARD_BYTES_PER_S = 2_000_000  # what the service gives one shard; a larger page is paid for by waiting
PAGE_BYTES = 1_000_000  # what is asked for: two such reads a second are all that a shard gives, and memory stays small
FIRST_PAGE_RECORDS = 1000  # until the size of records is known
IDLE_AFTER_S = 10.0  # at the tip, without a record
PART_OF_PAUSE = 0.1  # the first record after a pause waits for no more than this part of it


class PollingSource:
    """Implements PageSource."""

    operation = "GetRecords"

    def __init__(
        self, client: "KinesisClient", key: ShardKey, polling: PollingConfig, *, clock: Callable[[], float]
    ) -> None:
        self._client = client
        self._key = key
        self._polling = polling
        self._clock = clock
        self._iterator: str | None = None
        self._is_first = True
        self._limit = min(polling.max_records, FIRST_PAGE_RECORDS)
        self._answered_s: deque[float] = deque(maxlen=READS_PER_S)
        self._busy_s = clock()
        self.not_before_s = 0.0
        self.calls = 0

    def page(self, start: Start) -> Page | None:
        if self._iterator is None:
            self._iterator, self._is_first = self._new_iterator(start), True
        started_s = self._clock()
        self.calls += 1
        answer = self._call("GetRecords", needs="Records", ShardIterator=self._iterator, Limit=self._limit)
        records: Sequence[Record] = answer["Records"]
        size = sum(len(record.Data) for record in records)
        if records or answer["MillisBehindLatest"] != 0:
            self._busy_s = self._clock()
        self.not_before_s = self._earliest_next_read_s(started_s, size)
        if records:
            self._limit = max(1, min(self._polling.max_records, PAGE_BYTES * len(records) // max(size, 1)))
        self._iterator = answer.get("NextShardIterator") or None
        is_first, self._is_first = self._is_first, False
        return Page(
            records,
            answer["MillisBehindLatest"],
            goes_on=self._iterator is not None,
            children=tuple(child["ShardId"] for child in answer.get("ChildShards") or ()),
            is_explicit="NextShardIterator" in answer,
            answered_ms=service_time_ms(answer),
            cbor_refusals=answer["ResponseMetadata"].get(CBOR_REFUSALS, 0),
            is_first=is_first,
        )

    def forget(self) -> None:
        self._iterator = None

    def close(self) -> None:
        pass

    def _earliest_next_read_s(self, started_s: float, size: int) -> float:
        """The service counts a read when it gets it, which may be as late as its answer: five of those in a second at most."""
        self._answered_s.append(self._clock())
        interval_s = self._interval_s()
        window_s = min(1.0, READS_PER_S * interval_s) if len(self._answered_s) == READS_PER_S else 0.0
        return max(started_s + interval_s, started_s + size / SHARD_BYTES_PER_S, self._answered_s[0] + window_s)

    def _interval_s(self) -> float:
        usual_s, longest_s = self._polling.interval_ms / 1000, self._polling.idle_interval_ms / 1000
        pause_s = self._clock() - self._busy_s
        return usual_s if pause_s < IDLE_AFTER_S else max(usual_s, min(longest_s, pause_s * PART_OF_PAUSE))

    def _new_iterator(self, start: Start) -> str:
        request: dict[str, Any] = {"StreamName": self._key.stream, "ShardId": self._key.shard_id}
        if isinstance(start, After):
            request |= {
                "ShardIteratorType": "AT_SEQUENCE_NUMBER",
                "StartingSequenceNumber": str(start.position.sequence_number),
            }
        elif isinstance(start, AtTimestamp):
            request |= {"ShardIteratorType": "AT_TIMESTAMP", "Timestamp": start.ms / 1000}
        else:
            request |= {"ShardIteratorType": "TRIM_HORIZON"}
        iterator: str = self._call("GetShardIterator", needs="ShardIterator", **request)["ShardIterator"]
        return iterator

    def _call(self, operation: str, *, needs: str, **request: Any) -> Any:
        method = {"GetRecords": "get_records", "GetShardIterator": "get_shard_iterator"}[operation]
        call = partial(getattr(self._client, method), **request)
        return answered(call, operation=operation, stream=self._key.stream, needs=needs)
