"""Which records an audit is about: those that arrived from the pipeline's beginning up to a moment fixed at the start."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from firnline_infra.audit.errors import EndInTheFuture, StartUnknown
from firnline_infra.audit.horizon import arrival_text
from firnline_infra.audit.outcome import Standing, StreamRecord
from firnline_ingest.config.model import Pipeline, StartAt
from firnline_ingest.kinesis.page import Record

SECOND_MS = 1000


@dataclass(frozen=True, slots=True)
class Claim:
    since_ms: int | None
    """None: from the oldest record that the stream has."""
    until_ms: int

    @classmethod
    def of(cls, pipeline: Pipeline, *, server_ms: int, since: datetime | None, until: datetime | None) -> "Claim":
        """`server_ms` is the stream's clock in whole seconds. Raises StartUnknown or EndInTheFuture."""
        now_ms = server_ms + SECOND_MS - 1  # what arrived earlier in this second was there before the audit
        until_ms = _ms(until) if until else now_ms
        if until_ms > now_ms:
            raise EndInTheFuture(arrival_text(until_ms), arrival_text(server_ms))
        return cls(_since_ms(pipeline, since), until_ms)

    def records(self, kinesis_records: Iterable[Record]) -> Iterator[StreamRecord]:
        """One shard's, with their standing. As in the engine, the first record that is too late ends the claim."""
        standing = Standing.CLAIMED if self.since_ms is None else Standing.BEFORE_START
        for record in kinesis_records:
            timestamp = record.ApproximateArrivalTimestamp
            arrived_ms = None if timestamp is None else round(timestamp * 1000)
            if standing is Standing.BEFORE_START and (arrived_ms is None or arrived_ms >= (self.since_ms or 0)):
                standing = Standing.CLAIMED
            if arrived_ms is not None and arrived_ms > self.until_ms:
                standing = Standing.LATER
            yield StreamRecord(int(record.SequenceNumber), record.Data, standing, record.PartitionKey, arrived_ms)


def _since_ms(pipeline: Pipeline, since: datetime | None) -> int | None:
    if since is not None:
        return _ms(since)
    if pipeline.initial_position.at is StartAt.LATEST:
        raise StartUnknown(pipeline.stream)
    timestamp = pipeline.initial_position.timestamp
    return None if timestamp is None else _ms(timestamp)


def _ms(time: datetime) -> int:
    return round(time.timestamp() * 1000)
