"""Compares each outcome with its record: a row column by column, a dead letter byte by byte.

An error row never became values, so there is nothing to compare.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from firnline_infra.audit.columns import AuditedColumn
from firnline_infra.audit.findings import ProblemKind, ShardFindings
from firnline_infra.audit.json_values import parse
from firnline_infra.audit.outcome import AuditOutcome, LetterContent, RecordPlace, StreamRecord
from firnline_infra.audit.window import arrival_ms, written_arrival
from firnline_ingest.config.rows import Metadata, MetadataForm, MetadataTimes, PartName
from firnline_ingest.kinesis.user_record import AggregateFault, UserRecord
from firnline_ingest.records.rejection import RejectReason

LONGEST_SHOWN = 60
CLOCKS_APART_MS = 60_000  # a record's arrival is Kinesis' time, a column's sight the driver's
NOT_AN_OBJECT = {"empty", "not-json", "not-an-object", "invalid-utf-8"}
"""Reasons of dead letters that depend on the bytes alone, whatever the pipeline was configured to take."""
DEFAULT = Metadata.default()
OF_AGGREGATES = {RejectReason.BROKEN_AGGREGATE, RejectReason.MISPLACED}


class RowContent(NamedTuple):
    """A row's metadata by its columns, and its values in the order of the check's columns."""

    metadata: Mapping[str, object]
    values: Sequence[object]


def digest_of(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


class ContentComparison:
    """The ContentCheck of one stream and its table; what it remembers of a shard is in the shard's findings."""

    def __init__(
        self,
        stream: str,
        columns: Sequence[AuditedColumn],
        *,
        evolves: bool,
        metadata: Metadata = DEFAULT,
        is_transformed: bool = False,
        since_ms: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """`since_ms`: when columns were seen first that the table did not have from the beginning, by stored name."""
        self._stream = stream
        self._metadata = metadata
        self._columns = columns
        self._keys = {column.key for column in columns}
        self._evolves = evolves
        self._since_ms = {name: since + CLOCKS_APART_MS for name, since in since_ms.items() if since}
        self._of_bytes_alone = NOT_AN_OBJECT - ({RejectReason.NOT_AN_OBJECT} if is_transformed else set())

    def __call__(self, record: StreamRecord, outcome: AuditOutcome, findings: ShardFindings) -> None:
        position = outcome.position
        if isinstance(outcome.content, LetterContent):
            self._check_letter(record, outcome.content, position, findings)
        elif isinstance(outcome.content, RowContent):
            if fault := _fault_of(record):
                findings.report(ProblemKind.MISROUTED, position, f"there is a row of it, and {fault.detail}")
                return
            if record.not_ingested:
                detail = f"there is a row of it, and the pipeline leaves it out ({record.not_ingested})"
                findings.report(ProblemKind.MISROUTED, position, detail)
                return
            payload = None if record.is_unreadable else _object_in(record.data)
            if payload is None:
                findings.report(
                    ProblemKind.CHANGED, position, "its record is not a JSON object, and there is a row of it"
                )
                return
            for detail in self._metadata_changes(record, outcome, outcome.content.metadata, findings.shard_id):
                findings.report(ProblemKind.CHANGED, position, detail)
            for detail in self._value_changes(payload, record, outcome, outcome.content.values, findings):
                findings.report(ProblemKind.CHANGED, position, detail)

    def _value_changes(
        self,
        payload: dict[str, object],
        record: StreamRecord,
        outcome: AuditOutcome,
        values: Sequence[object],
        findings: ShardFindings,
    ) -> Iterator[str]:
        sent = {key.upper(): value for key, value in payload.items() if value is not None}
        for column, kept in zip(self._columns, values, strict=True):
            value, verdict = sent.get(column.key), None
            self._note_evidence(column, kept, outcome, findings)
            if column.key in record.unknown:
                findings.counts.unchecked_values += 1
            elif value is None:
                if not column.has_default and not column.is_empty(kept):
                    yield f"{column.name}: the record has no value, the table has {shown(kept)}"
            elif not column.is_empty(kept) and (verdict := column.holds(value, kept)):
                pass
            elif self._is_before(column, kept, record, outcome, findings):
                findings.counts.values_before_column += 1
            elif column.is_empty(kept):
                yield f"{column.name}: the record has {shown(value)}, the table no value"
            elif verdict is None:
                findings.counts.unchecked_values += 1
            else:
                yield f"{column.name} {column.type}: the record has {shown(value)}, the table {shown(kept)}"
        for key in sent.keys() - self._keys:
            if self._evolves:
                yield f"{key}: the record has {shown(sent[key])}, the table no such column"
            else:
                findings.counts.values_without_column += 1

    def _note_evidence(
        self, column: AuditedColumn, kept: object, outcome: AuditOutcome, findings: ShardFindings
    ) -> None:
        """A row with a value in it was sent when the column was there, unless a default has filled it."""
        if column.name in self._since_ms and not column.is_empty(kept) and column.is_default(kept) is False:
            findings.filled.add((outcome.table, column.name))

    def _is_before(
        self,
        column: AuditedColumn,
        kept: object,
        record: StreamRecord,
        outcome: AuditOutcome,
        findings: ShardFindings,
    ) -> bool:
        """Returns whether the record may have been sent before its column was there: then the row has no value, or what the
        column was added with (ADD COLUMN … DEFAULT).

        A shard's rows are sent in their order, so none of them is behind one that has a value in it.
        """
        place = outcome.table, column.name
        is_older = record.arrived_ms is not None and record.arrived_ms <= self._since_ms.get(column.name, -1)
        if not is_older or place in findings.filled:
            return False
        if column.is_empty(kept) or (is_default := column.is_default(kept)) is True:
            return True
        return is_default is None and bool(findings.defaults.setdefault(place, kept) == kept)

    def _metadata_changes(
        self, record: StreamRecord, outcome: AuditOutcome, metadata: Mapping[str, object], shard_id: str
    ) -> Iterator[str]:
        """Compares only the parts that the row has: they can be switched on and off."""
        kept: Mapping[str, object] | None = metadata
        if self._metadata.form is not MetadataForm.COLUMNS:
            whole = next(iter(metadata.values()), None)
            kept = _object_in(whole) if isinstance(whole, str) else None
        if kept is None:
            return
        for part, value in self._metadata_of(record, outcome, shard_id).items():
            name = self._metadata.name_of(part)
            if name in kept and (found := self._as_written(kept[name])) != value:
                yield f"metadata {name}: the record has {shown(value)}, the table {shown(found)}"

    def _metadata_of(self, record: StreamRecord, outcome: AuditOutcome, shard_id: str) -> dict[PartName, object]:
        sequence_number, sub_sequence_number = str(outcome.sequence_number), outcome.sub_sequence_number
        return {
            "stream": self._stream,
            "shard_id": shard_id,
            "approximate_arrival": None if record.arrived_ms is None else self._time(record.arrived_ms),
            "partition_key": record.partition_key,
            "sequence_number": sequence_number,
            "sub_sequence_number": sub_sequence_number,
            "row": outcome.row,
            "sharded_sequence_number": f"{sequence_number}{sub_sequence_number:0{self._metadata.sharded_digits}d}",
            "explicit_hash_key": record.read.ExplicitHashKey if isinstance(record.read, UserRecord) else None,
        }

    def _as_written(self, kept: object) -> object:
        """A moment in the engine's notation."""
        return self._time(ms) if isinstance(kept, datetime) and (ms := arrival_ms(kept)) is not None else kept

    def _time(self, ms: int) -> object:
        times = self._metadata.times
        return ms if times is MetadataTimes.EPOCH_MS else written_arrival(ms, times)

    def _check_letter(
        self, record: StreamRecord, letter: LetterContent, position: str, findings: ShardFindings
    ) -> None:
        if letter.digest != digest_of(record.data if record.whole is None else record.whole):
            findings.report(
                ProblemKind.CHANGED, position, f"the {RecordPlace.DEAD_LETTERS} have other bytes than the stream"
            )
        elif letter.reason in self._of_bytes_alone and not record.is_unreadable and _is_object(record.data):
            detail = f"it is a dead letter for {letter.reason}, and it is a JSON object"
            findings.report(ProblemKind.MISROUTED, position, detail)
        elif letter.reason in OF_AGGREGATES and not _fault_of(record):
            detail = f"it is a dead letter for {letter.reason}, and it can be a row of its own shard"
            findings.report(ProblemKind.MISROUTED, position, detail)


def _fault_of(record: StreamRecord) -> AggregateFault | None:
    return record.read.fault if isinstance(record.read, UserRecord) else None


def _object_in(data: str | bytes) -> dict[str, object] | None:
    try:
        value = parse(data.decode() if isinstance(data, bytes) else data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _is_object(data: bytes) -> bool:
    """Returns whether a strict parser takes it for an object: it refuses what only some parsers take (lone surrogates,
    bytes that are no UTF-8).
    """
    try:
        msgspec.json.decode(data, type=dict[str, object])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return True


def shown(value: object) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…"
