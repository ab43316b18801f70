"""Reads one shard for one batch, in a Spark task: its records as Arrow batches."""

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from firnline_ingest.config.reader import FanOut, FanOutReader, Reader
from firnline_ingest.config.running import PollingConfig
from firnline_ingest.datasource.ends import BatchEnds
from firnline_ingest.datasource.errors import EndsDiffer, SourceRecordsLost
from firnline_ingest.datasource.offset import END, ShardEnd, parse_start_text, start_text
from firnline_ingest.datasource.options import SourceOptions
from firnline_ingest.datasource.rows import FrameRows
from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.aggregate import UserRecords
from firnline_ingest.kinesis.client import kinesis_client, subscribing_client
from firnline_ingest.kinesis.errors import ShardExpired
from firnline_ingest.kinesis.lineage import read_hash_range
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.reader import Read, ShardReader
from firnline_ingest.kinesis.sources import Subscriber, page_source
from firnline_ingest.kinesis.start import After, Start
from firnline_ingest.kinesis.user_record import AggregateProblem, UserRecord
from firnline_ingest.values import Position, ShardKey

if TYPE_CHECKING:
    from pyarrow import RecordBatch

PATIENCE_S = 600.0
"""How long Kinesis may fail to answer before the task fails."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ShardRange:
    """The work of a task: a shard from `start` on, up to where the batch ends it.

    `until_ms` is the arrival of the last record that is wanted. A batch read has no `query`: it keeps no ends.
    """

    key: ShardKey
    start: str
    until_ms: int | None = None
    query: str | None = None
    batch: int = 0
    consumer_arn: str | None = None
    """Reads by fan-out; polls where absent."""


def read_range(options: SourceOptions, wanted: ShardRange, rows: FrameRows) -> Iterator["RecordBatch"]:
    """Raises the errors of kinesis/errors.py and of datasource/errors.py."""
    start = parse_start_text(wanted.start)
    if start is None:
        return
    ends = BatchEnds.of(options, wanted.query) if wanted.query else None
    known = ends.get(wanted.batch, wanted.key.shard_id) if ends else None
    reading = _Reading(options, wanted, start, known.at if known else None, rows)
    try:
        yield from reading.batches()
    finally:
        reading.close()
    if ends and known is None:
        end = ShardEnd(reading.end, reading.is_cut)
        if ends.put(wanted.batch, wanted.key.shard_id, end).at != end.at:
            raise EndsDiffer(wanted.key.stream, wanted.key.shard_id, wanted.batch)


class _Reading:
    """One shard's pages, up to the batch's end."""

    def __init__(
        self, options: SourceOptions, wanted: ShardRange, start: Start, known: str | None, rows: FrameRows
    ) -> None:
        self._options, self._wanted, self._rows = options, wanted, rows
        self._known = known
        self._bound = _bound(known)
        client = kinesis_client(options.aws)
        own_range = partial(read_hash_range, client, wanted.key.stream, wanted.key.shard_id)
        self._user_records = UserRecords(own_range)
        self._after = start.position if isinstance(start, After) else None
        polling = PollingConfig(max_records=min(10_000, options.max_records_per_shard))
        subscriber = Subscriber(subscribing_client(options.aws, connections=2) if wanted.consumer_arn else client)
        source = page_source(subscriber, wanted.key, _reader(wanted), polling, clock=time.monotonic)
        self._reader = ShardReader(client, wanted.key, start, polling, source=source)
        self.end = wanted.start
        """Where it ended, as an offset spells it."""
        self.is_cut = False
        """Whether it was full there, and more had arrived."""

    def close(self) -> None:
        self._reader.close()

    def batches(self) -> Iterator["RecordBatch"]:
        if self._known == self._wanted.start:
            return  # another attempt found nothing in it
        began_s, count = time.monotonic(), 0
        while True:
            read = self._next()
            if read is None:
                continue
            fresh = self._behind_the_start(read.records)
            records = self._wanted_ones(fresh)
            count += len(records)
            if records:
                self.end = start_text(After(Position(int(records[-1].SequenceNumber))))
                yield from self._arrow(records)
            is_cut = len(records) < len(fresh)
            if self._is_over(read, is_cut, count, time.monotonic() - began_s):
                return

    def _next(self) -> Read | None:
        try:
            read = self._reader.read(_sleep)
        except ShardExpired as expired:
            if self._options.fail_on_data_loss:
                raise
            log.warning("source.expired", extra={"shard": str(self._wanted.key), "problem": expired.id})
            return Read((), None, is_end=True)
        if read is None and self._reader.trouble and self._reader.unanswered_s > PATIENCE_S:
            raise self._reader.trouble
        if read is not None and read.gap is not None:
            first = f"begins at {read.gap.first.sequence_number} now" if read.gap.first else "has nothing left"
            error: FirnlineError = SourceRecordsLost(
                self._wanted.key.stream, self._wanted.key.shard_id, str(read.gap.after.sequence_number), f"it {first}"
            )
            if self._options.fail_on_data_loss:
                raise error
            log.warning("source.lost", extra={"shard": str(self._wanted.key), "problem": error.id, "what": error.what})
        return read

    def _behind_the_start(self, records: Sequence[Record]) -> Sequence[Record]:
        """The reader hands over the record at its start again."""
        if records and self._after is not None:
            if int(records[0].SequenceNumber) <= self._after.sequence_number:
                records = records[1:]
            self._after = None
        return records

    def _wanted_ones(self, records: Sequence[Record]) -> Sequence[Record]:
        """Yields the records up to the batch's end."""
        if self._bound is not None:
            return [each for each in records if int(each.SequenceNumber) <= self._bound]
        if self._wanted.until_ms is not None:
            return _until(records, self._wanted.until_ms)
        return records

    def _is_over(self, read: Read, is_cut: bool, count: int, elapsed_s: float) -> bool:
        """Returns whether the batch ends here.

        Empty pages may lie before the next record, and an iterator that passed them is not kept: a batch that gave up among them
        would begin before them again, for ever.
        """
        if self._known is not None:
            return self._ends_as_known(read)
        if read.is_end and not is_cut:
            self.end = END
            return True
        is_long = count > 0 and elapsed_s >= self._options.max_seconds_per_shard
        is_full = is_long or count >= self._options.max_records_per_shard
        is_all = is_cut or read.behind_ms == 0
        self.is_cut = is_full and not is_all and not self._is_whole
        return is_all or self.is_cut

    @property
    def _is_whole(self) -> bool:
        """True if no later batch reads the rest: that of a batch read is all in one."""
        return self._wanted.query is None

    def _ends_as_known(self, read: Read) -> bool:
        """Returns whether it has come to where an earlier attempt had. Raises SourceRecordsLost if the shard ends before."""
        if read.is_end and self._known == END:
            return True
        seen = int(read.records[-1].SequenceNumber) if read.records else 0
        if self._bound is not None and seen >= self._bound:
            return True
        if (read.is_end or read.is_at_tip) and self._known != END and self._options.fail_on_data_loss:
            key = self._wanted.key
            raise SourceRecordsLost(key.stream, key.shard_id, f"{self._known} by an earlier attempt", "it ends before")
        return read.is_end or read.is_at_tip

    def _arrow(self, records: Sequence[Record]) -> Iterator["RecordBatch"]:
        for piece in self._user_records.pieces(records):
            yield self._rows.batch(list(filter(_is_own, piece)), self._wanted.key)


def _reader(wanted: ShardRange) -> Reader:
    return FanOutReader(fan_out=FanOut(consumer_arn=wanted.consumer_arn)) if wanted.consumer_arn else "polling"


def _is_own(record: Record) -> bool:
    """A KPL puts a record again that lies in a shard which its hash key does not belong to: here it would come twice."""
    fault = record.fault if isinstance(record, UserRecord) else None
    return fault is None or fault.problem is not AggregateProblem.MISPLACED


def _until(records: Sequence[Record], until_ms: int) -> Sequence[Record]:
    """The records up to the first one that arrived later: times of arrival are approximate, and need not rise."""
    for index, record in enumerate(records):
        if (record.ApproximateArrivalTimestamp or 0) * 1000 > until_ms:
            return records[:index]
    return records


def _bound(known: str | None) -> int | None:
    start = parse_start_text(known) if known else None
    return start.position.sequence_number if isinstance(start, After) else None


def _sleep(seconds: float) -> bool:
    time.sleep(seconds)
    return False
