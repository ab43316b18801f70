"""Records that are nowhere, held against what the ledger says that the pipeline's query dropped.

The query is not run here, so a record that is neither row nor dead letter is believed to be dropped. The ledger's marks
(firnline_ingest/ledger/left_out.py) say how many records between two positions the engine left out, and which: where that is
not the number, and the sum, of those that are nowhere, one is lost. What no two marks enclose is not proven.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from firnline_infra.audit.conversion import IsNotIngested
from firnline_infra.audit.findings import ProblemKind, ShardFindings
from firnline_infra.audit.outcome import ClaimStatus, StreamRecord, position_text
from firnline_infra.audit.window import HOUR_MS, arrival_text
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.config.rows import PipeRows
from firnline_ingest.kinesis.start import AtTimestamp
from firnline_ingest.ledger.left_out import BEGINNING, LeftOutMark, added, difference, sum_of
from firnline_ingest.values import Position

if TYPE_CHECKING:
    from firnline_ingest.kinesis.lineage import Lineage
    from firnline_ingest.ledger.row import ShardRow

UNKNOWN = "the ledger has no count of what the query drops in this shard (an engine of this release, which reads it, begins one)"
ON_A_STREAM = (
    "dead letters go to a stream, which is not read here, and the ledger counts none of them among what the query drops"
)
SHORTEST_RETENTION_MS = 24 * HOUR_MS
"""A stream keeps its records for as long at least."""
BY_THE_PIPE = "the pipe may have dropped them, and no absence proves that it did"


@dataclass(slots=True)
class MarkedRange:
    """A range between two marks, with what the ledger says was dropped and what is nowhere."""

    first: LeftOutMark
    last: LeftOutMark
    is_claimed: bool = False
    believed: int = 0
    """Records of the claim that are nowhere for no other reason."""
    nowhere: int = 0
    sum: int = 0

    @property
    def left_out(self) -> int:
        return self.last.records - self.first.records

    @property
    def is_equal(self) -> bool:
        return (self.nowhere, self.sum) == (self.left_out, difference(self.last.sum, self.first.sum))

    @property
    def text(self) -> str:
        begins = "from its beginning" if self.first.through == BEGINNING else f"behind {_text(self.first.through)}"
        return f"{begins} up to {_text(self.last.through)}"


@dataclass(slots=True)
class LeftOutCheck:
    """One shard's, which follows the walk along its records. Without marks every record that is nowhere is unproven."""

    marks: tuple[LeftOutMark, ...] = ()
    pin_ms: int = 0
    """Earlier arrivals were never read, and are not counted."""
    may_have_left: bool = True
    """True if records may have left the stream."""
    why_unknown: str = UNKNOWN
    is_of_pipe: bool = False
    """True if it is a pipe that drops rows, also those of replayed dead letters."""
    makes_several: bool = False
    """True if a record may have several rows of one position."""
    _ranges: list[MarkedRange] = field(default_factory=list, init=False)
    _at: int = field(default=0, init=False)
    _oldest: Position | None = field(default=None, init=False)
    _is_begun: bool = field(default=False, init=False)
    _before: int = field(default=0, init=False)
    _before_through: Position = field(default=BEGINNING, init=False)
    _held_from_ms: int | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._ranges = [MarkedRange(first, last) for first, last in pairwise(self.marks)]

    @classmethod
    def of_pipe(cls, rows: PipeRows) -> "LeftOutCheck":
        return cls(why_unknown=BY_THE_PIPE, is_of_pipe=True, makes_several=rows is PipeRows.SEVERAL)

    def is_past(self, record: StreamRecord) -> bool:
        """Returns whether the marks say nothing of it, nor of what is behind it."""
        return not self._ranges or _place(record) > self._ranges[-1].last.through

    def is_behind(self, record: StreamRecord) -> bool:
        """Returns whether the engine had not read so far when the ledger was read."""
        return bool(self._ranges) and _place(record) > self._ranges[-1].last.through

    def meets(self, record: StreamRecord) -> None:
        """Takes each record of the shard, in order."""
        place = _place(record)
        self._oldest = self._oldest or place
        self._is_begun = self._is_begun or (record.arrived_ms or 0) >= self.pin_ms
        while self._at < len(self._ranges) and place > self._ranges[self._at].last.through:
            self._at += 1
        if (within := self._range_of(place)) is not None:
            within.is_claimed |= record.status is ClaimStatus.CLAIMED
            if self._held_from_ms is None and not self._is_cut(within):
                self._held_from_ms = record.arrived_ms

    def nowhere(self, record: StreamRecord) -> None:
        """Takes the record that was met last, and that is in no place."""
        within = self._range_of(_place(record))
        if within is not None and self._is_begun:
            within.nowhere += 1
            within.sum = added(within.sum, sum_of([(record.sequence_number, record.sub_sequence_number)]))

    def believes(self, record: StreamRecord) -> bool:
        """Takes a record of the claim that is nowhere, and returns whether the query may have dropped it."""
        within = self._range_of(_place(record))
        if within is not None and self._is_begun:
            within.believed += 1
            return True
        if self._is_begun and self.is_behind(record):
            return False  # beyond what the engine has read
        self._before += 1
        self._before_through = _place(record)
        return True

    def report(self, findings: ShardFindings) -> None:
        """Reports what differs, and what can't be held against anything."""
        for each in self._ranges:
            if not each.is_claimed or each.is_equal:
                continue
            if self._is_cut(each) and each.nowhere <= each.left_out:
                self._before += each.believed
                self._before_through = each.last.through if each.believed else self._before_through
            else:
                _refute(findings, each)
        if self._before:
            findings.report(ProblemKind.UNPROVEN, _text(self._before_through), self._why_unproven(), times=self._before)

    def _why_unproven(self) -> str:
        said = f"{self._before:,} records up to here are in no table and no dead letter; "
        if not self._ranges:
            return f"{said}{self.why_unknown}"
        if self._held_from_ms is None:
            return f"{said}the ledger's count of what the query drops begins behind them, or what it counted has left the stream"
        return f"{said}the ledger's count of what the query drops holds from {arrival_text(self._held_from_ms)} on (--since)"

    def _range_of(self, place: Position) -> MarkedRange | None:
        within = self._ranges[self._at] if self._at < len(self._ranges) else None
        return within if within is not None and place > within.first.through else None

    def _is_cut(self, of: MarkedRange) -> bool:
        """Returns whether records of the range may have left the stream: they are in the ledger's count."""
        return self.may_have_left and (self._oldest is None or of.first.through < self._oldest)


def _refute(findings: ShardFindings, of: MarkedRange) -> None:
    """A record that is lost is one more that is nowhere; a row that nobody should have made is one less."""
    position, said = _text(of.last.through), f"the ledger says that the query dropped {of.left_out:,} records {of.text}"
    lost, more = max(0, of.nowhere - of.left_out), max(0, of.left_out - of.nowhere)
    if not lost and not more:
        detail = f"{said}, and as many are nowhere, but not the same: at least one is lost, and one is there that was dropped"
        lost = more = 1
    else:
        detail = f"{said}, and {of.nowhere:,} are in no table and no dead letter"
    if lost:
        findings.report(ProblemKind.MISSING, position, detail, times=lost)
        findings.counts.skipped -= min(lost, of.believed)
    if more:
        findings.report(ProblemKind.UNEXPECTED, position, detail, times=more)


def with_believed(is_not_ingested: IsNotIngested | None, left_out: LeftOutCheck | None) -> IsNotIngested | None:
    """Tells what is not ingested: by the audit's own readers, else by what may have been dropped behind the engine."""
    if left_out is None:
        return is_not_ingested
    return lambda record: (is_not_ingested is not None and is_not_ingested(record)) or left_out.believes(record)


def left_out_of(
    config: EngineConfig, lineage: "Lineage", rows: "Mapping[str, ShardRow]", server_ms: int
) -> Callable[[str], LeftOutCheck]:
    """Gives, by shard id, what its records that are nowhere are held against. `rows` are the ledger's, read before the tables:
    then whatever they say is in a table was there when that was read."""
    has_lost_none = server_ms - SHORTEST_RETENTION_MS < lineage.stream_created_ms  # it may have been shorter than today

    def of_shard(shard_id: str) -> LeftOutCheck:
        if config.dead_letters.stream is not None:
            return LeftOutCheck(why_unknown=ON_A_STREAM)
        row = rows.get(shard_id)
        if row is None or not row.left_out or row.left_out[-1].through != (row.read_through or BEGINNING):
            return LeftOutCheck()
        marks = tuple(each for each in row.left_out if row.read_again is None or each.through >= row.read_again.through)
        is_pinned = isinstance(row.start, AtTimestamp) and row.left_out[0].through == BEGINNING
        pin_ms = row.start.ms if is_pinned and isinstance(row.start, AtTimestamp) else 0
        return LeftOutCheck(marks, pin_ms, may_have_left=not has_lost_none)

    return of_shard


def _place(record: StreamRecord) -> Position:
    return Position(record.sequence_number, record.sub_sequence_number)


def _text(place: Position) -> str:
    return position_text(place.sequence_number, place.sub_sequence_number)
