"""The records that an audit is about, and which of them the stream still has.

AuditWindow: those that arrived from the pipeline's beginning up to a moment fixed at the start. RetentionCutoff: whether an
unmatched row is older (its record has left retention) or unexpected (its record should still be there).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from firnline_infra.audit.errors import EndInTheFuture, StartUnknown
from firnline_infra.audit.outcome import AuditOutcome, ClaimStatus, StreamRecord
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.config.position import StartAt
from firnline_ingest.config.rows import MetadataTimes
from firnline_ingest.kinesis.page import Record
from firnline_ingest.values import Position

SECOND_MS = 1000
TOLERANCE_MS = 60_000  # arrival times are approximate, and the service trims when it gets to it
HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class AuditWindow:
    """The arrival times of the records that the audit makes its claim about."""

    since_ms: int | None
    """None: from the oldest record that the stream has."""
    until_ms: int
    taken: Mapping[str, Position] = field(default_factory=dict)
    """How far the consumer that was migrated from had taken each shard in; what it took in has to be absent."""

    @classmethod
    def of(
        cls, pipeline: PipelineConfig, *, server_ms: int, since: datetime | None, until: datetime | None
    ) -> "AuditWindow":
        """`server_ms` is the stream's clock in whole seconds. Raises StartUnknown or EndInTheFuture."""
        now_ms = server_ms + SECOND_MS - 1  # what arrived earlier in this second was there before the audit
        until_ms = _ms(until) if until else now_ms
        if until_ms > now_ms:
            raise EndInTheFuture(arrival_text(until_ms), arrival_text(server_ms))
        return cls(_since_ms(pipeline, since), until_ms)

    def records(self, kinesis_records: Iterable[Record], shard_id: str = "") -> Iterator[StreamRecord]:
        """The records of one shard, aggregates taken apart, with their status. As in the engine, the first record that is too
        late ends the claim.
        """
        taken = self.taken.get(shard_id)
        status = ClaimStatus.CLAIMED if self.since_ms is None else ClaimStatus.BEFORE_CLAIM
        for record in kinesis_records:
            timestamp = record.ApproximateArrivalTimestamp
            arrived_ms = None if timestamp is None else round(timestamp * 1000)
            if status is ClaimStatus.BEFORE_CLAIM and (arrived_ms is None or arrived_ms >= (self.since_ms or 0)):
                status = ClaimStatus.CLAIMED
            if arrived_ms is not None and arrived_ms > self.until_ms:
                status = ClaimStatus.AFTER_CLAIM
            place = record.position
            number, sub_number = place.sequence_number, place.sub_sequence_number
            is_taken = taken is not None and Position(number, sub_number) <= taken
            of_record = ClaimStatus.TAKEN_BEFORE if is_taken else status
            common = number, record.Data, of_record, record.PartitionKey, arrived_ms
            yield StreamRecord(*common, sub_sequence_number=sub_number, read=record)


def _since_ms(pipeline: PipelineConfig, since: datetime | None) -> int | None:
    if since is not None:
        return _ms(since)
    if pipeline.initial_position.at is StartAt.LATEST:
        raise StartUnknown(pipeline.stream)
    timestamp = pipeline.initial_position.timestamp
    return None if timestamp is None else _ms(timestamp)


def _ms(time: datetime) -> int:
    return round(time.timestamp() * 1000)


@dataclass(frozen=True, slots=True)
class RetentionCutoff:
    kept_since_ms: int
    """The stream certainly still has the records that arrived since then."""
    rows_have_arrival: bool = True
    """True if rows have the time of arrival; if not, every row before the first record has to count as older."""

    @classmethod
    def of(cls, *, now_ms: int, retention_hours: int, created_ms: int, rows_have_arrival: bool) -> "RetentionCutoff":
        """`now_ms` by the stream's clock. Records from before `created_ms` belong to an earlier stream of the same name."""
        trimmed_ms = now_ms - retention_hours * HOUR_MS + TOLERANCE_MS
        return cls(max(trimmed_ms, created_ms), rows_have_arrival)

    def may_have_passed(self, outcome: AuditOutcome) -> bool:
        """Returns whether the outcome's record may have left the stream."""
        if outcome.arrived_ms is None:
            return not self.rows_have_arrival
        return outcome.arrived_ms < self.kept_since_ms


def arrival_text(ms: int) -> str:
    return f"{datetime.fromtimestamp(ms // 1000, UTC):%Y-%m-%dT%H:%M:%S}.{ms % 1000:03d}Z"


def written_arrival(ms: int, times: MetadataTimes) -> str:
    """Writes a time of arrival as rows have it whose metadata writes its times so."""
    match times:
        case MetadataTimes.EPOCH_MS:
            return str(ms)
        case MetadataTimes.ISO:
            return arrival_text(ms).removesuffix("Z")
        case MetadataTimes.ISO_UTC:
            return arrival_text(ms)


def arrival_ms(arrival: object) -> int | None:
    """The milliseconds since 1970 of a text, a number or a moment; None for what is not a time. One without a zone is UTC."""
    if isinstance(arrival, int) or (isinstance(arrival, str) and arrival.isascii() and arrival.isdecimal()):
        return int(arrival)
    try:
        moment = datetime.fromisoformat(arrival) if isinstance(arrival, str) and arrival else arrival
    except ValueError:
        return None
    if not isinstance(moment, datetime):
        return None
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
