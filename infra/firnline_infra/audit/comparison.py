"""Compares what a shard holds with what became of it: one walk along both sides, in the order of positions.

Nothing is remembered but the place of the walk, so a shard of any length is compared in the same memory. Pure: the
sides are iterators, and the stream's is followed no further than an answer needs.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, Protocol

from firnline_infra.audit.conversion import IsNotIngested
from firnline_infra.audit.findings import SKIPPED, ProblemKind, ShardFindings
from firnline_infra.audit.outcome import (
    AuditOutcome,
    ClaimStatus,
    LetterContent,
    RecordPlace,
    StreamRecord,
    position_text,
)
from firnline_infra.audit.window import RetentionCutoff, arrival_text
from firnline_ingest.records.rejection import RejectReason

if TYPE_CHECKING:
    from firnline_infra.audit.left_out import LeftOutCheck

RowPosition = tuple[int, int, int]
"""Sequence number, sub-sequence number, row in the record."""


class ReplayedRecord(NamedTuple):
    """A record whose dead letter a replay took, as the journal of replays has it."""

    table: str = ""
    """Into which its rows go; empty where there is one alone."""
    proven: Set[int] = frozenset()
    """The rows, by their numbers, that were in a table before the tables were read."""
    end: int = 0
    """The number behind its last row."""


ReplayedInto = Callable[[int, int], ReplayedRecord | None]
"""What the journal says of the record with that sequence and sub-sequence number; None where no replay has taken it."""


class ContentCheck(Protocol):
    """Says whether an outcome holds what its record holds."""

    def __call__(self, record: StreamRecord, outcome: AuditOutcome, findings: ShardFindings) -> None:
        """Reports what does not fit."""


REPLAYED_AND_LOST = (
    "a replay brought it in, and it is in no table any more; its dead letter counts as replayed: if the table was recreated, "
    "firnline dead-letters replay --again brings it into this one"
)


def never(_sequence_number: int, _sub_sequence_number: int) -> None:
    return None


def compare_shard(
    findings: ShardFindings,
    records: Iterable[StreamRecord],
    outcomes: Iterable[AuditOutcome],
    *,
    cutoff: RetentionCutoff,
    check: ContentCheck | None = None,
    not_ingested: IsNotIngested | None = None,
    replayed_into: ReplayedInto = never,
    left_out: "LeftOutCheck | None" = None,
) -> None:
    """Compares the two sides, both in ascending order. `records` has to go on until it is past all outcomes and all that
    `left_out` knows, or at the shard's tip.

    An outcome before the first record is older than the stream if `cutoff` allows it, and unexpected otherwise. A dead
    letter that `replayed_into` knows is not a place of its record any more once there is a row; it is asked after the outcomes
    were read.
    """
    walk = _Walk(findings, outcomes, cutoff, check, not_ingested, replayed_into=replayed_into, left_out=left_out)
    walk.along(records)
    if left_out is not None:
        left_out.report(findings)


class _Walk:
    def __init__(
        self,
        findings: ShardFindings,
        outcomes: Iterable[AuditOutcome],
        cutoff: RetentionCutoff,
        check: ContentCheck | None,
        not_ingested: IsNotIngested | None,
        *,
        replayed_into: ReplayedInto,
        left_out: "LeftOutCheck | None",
    ) -> None:
        self._findings = findings
        self._counts = findings.counts
        self._cutoff = cutoff
        self._check = check
        self._is_not_ingested = not_ingested
        self._replayed_into = replayed_into
        self._left_out = left_out
        self._behind_marks = 0
        """Missing records that the engine had not read when the ledger was read: at the end, whatever is behind them."""
        self._groups = _by_position(outcomes)
        self._position: RowPosition | None = None
        self._group: list[AuditOutcome] = []
        self._is_behind_first = False
        self._letter: AuditOutcome | None = None
        """The last one that was met; it has all rows of its record from its own on."""
        self._whole: tuple[int, int] | None = None
        """The record that was counted as one, however many rows it could be."""
        self._last: RowPosition | None = None
        """The row that was met last, of a record that has to be somewhere."""
        self._repaired: set[int] = set()
        """Rows of its record that a repair made more of, and that are there."""
        self._advance()

    def along(self, records: Iterable[StreamRecord]) -> None:
        for record in records:
            if record.status is ClaimStatus.AFTER_CLAIM and self._position is None and self._is_past(record):
                break
            if self._left_out is not None:
                self._left_out.meets(record)
            here = (record.sequence_number, record.sub_sequence_number, record.row)
            while self._position is not None and self._position < here:
                self._report_without_record()
            if not record.row:
                self._report_lacking_rows()
            self._is_behind_first = True
            if self._position == here:
                self._match(record)
                self._advance()
            else:
                if self._left_out is not None and self._letter_before(record) is None:
                    self._left_out.nowhere(record)
                self._report_absence(record)
            self._last = here if record.status is ClaimStatus.CLAIMED else None
        while self._position is not None:
            self._report_without_record()
        self._report_lacking_rows()

    def _is_past(self, record: StreamRecord) -> bool:
        return self._left_out is None or self._left_out.is_past(record)

    def _advance(self) -> None:
        self._position, self._group = next(self._groups, (None, []))

    def _match(self, record: StreamRecord) -> None:
        if (letter := self._letter_before(record)) and all(each.place is not letter.place for each in self._group):
            self._group.append(letter)
        was_replayed = self._take_replayed()
        if self._is_lost(record, self._group):
            self._letter = self._group[0]
            self._report_lost(record)
            return
        if record.status is ClaimStatus.TAKEN_BEFORE:
            detail = f"in the {self._group[0].place}, and the consumer that was migrated from had taken it in"
            self._findings.report(ProblemKind.DOUBLED, self._group[0].position, detail, times=len(self._group))
            return
        multiplied = self._multiplied()
        if len(self._group) - multiplied > 1:
            places = ", ".join(
                f"{count} x {where}" for where, count in Counter(each.where for each in self._group).items()
            )
            self._findings.report(
                ProblemKind.DOUBLED, self._group[0].position, places, times=len(self._group) - multiplied - 1
            )
        if record.status is not ClaimStatus.AFTER_CLAIM:
            self._check_tables(record, was_replayed=was_replayed)
        for outcome in self._group:
            if outcome.place is RecordPlace.DEAD_LETTERS:
                self._letter, self._whole = outcome, _whole_record(outcome)
            if record.status is ClaimStatus.AFTER_CLAIM:
                self._counts.later += 1
                continue
            self._findings.place(outcome)
            self._findings.rejected(outcome)
            if self._check and not was_replayed:  # the row need not hold what the record did
                self._check(record, outcome, self._findings)
        self._counts.missing_at_the_end = self._behind_marks
        if record.status is not ClaimStatus.AFTER_CLAIM:
            self._counts.records += 1
            self._counts.multiplied += multiplied
            self._counts.replayed += was_replayed

    def _multiplied(self) -> int:
        """Returns how many rows its record has beyond the first, where a pipe may make several."""
        if self._left_out is None or not self._left_out.makes_several:
            return 0
        return max(0, sum(each.place is RecordPlace.TABLE for each in self._group) - 1)

    def _check_tables(self, record: StreamRecord, *, was_replayed: bool) -> None:
        """One of its copies has to be where its routes send it; that there are several is told already."""
        wanted = record.table
        if was_replayed:
            replayed = self._replayed_into(record.sequence_number, record.sub_sequence_number)
            wanted = replayed.table if replayed else None
        found = [each for each in self._group if each.place is not RecordPlace.DEAD_LETTERS]
        if wanted is None or not found or any(each.table == wanted for each in found):
            return
        for outcome in found:
            detail = f"in the {outcome.where}; by the routes its record goes to {wanted}"
            self._findings.report(ProblemKind.MISROUTED, outcome.position, detail)

    def _take_replayed(self) -> bool:
        """Returns whether the record's dead letter became its rows; then the dead letter counts no more."""
        letter = next((each for each in self._group if each.place is RecordPlace.DEAD_LETTERS), None)
        if letter is None:
            return self._was_replayed_before(self._group[0])
        if len(self._group) == 1 or self._replayed_into(*position_of(letter)[:2]) is None:
            return False
        self._letter = letter
        self._group = [each for each in self._group if each.place is not RecordPlace.DEAD_LETTERS]
        return True

    def _was_replayed_before(self, row: AuditOutcome) -> bool:
        """Returns whether a replay brought the row in, and its dead letter is gone: a lifecycle rule may have deleted it."""
        replayed = self._replayed_into(*position_of(row)[:2])
        return replayed is not None and row.row in replayed.proven

    def _report_absence(self, record: StreamRecord) -> None:
        if record.status is ClaimStatus.AFTER_CLAIM:
            return
        if record.status is ClaimStatus.TAKEN_BEFORE:
            self._counts.before_start += 1
            return
        if letter := self._letter_before(record):
            replayed = self._replayed_into(record.sequence_number, record.sub_sequence_number)
            if self._is_lost(record, [letter]):
                self._report_lost(record)
            elif replayed and replayed.end <= record.row:
                return  # a repair made fewer rows of it
            elif self._whole != position_of(letter)[:2]:
                self._counts.records += 1
                self._counts.dead_letters += 1
            return
        if record.status is ClaimStatus.BEFORE_CLAIM:
            self._counts.before_start += 1
            return
        place = record.sequence_number, record.sub_sequence_number
        if record.row and self._whole == place:
            return
        if why := record.not_ingested or (self._is_not_ingested and self._is_not_ingested(record) and SKIPPED):
            self._whole = place
            self._counts.records += 1
            self._findings.count_not_ingested(why)
            return
        self._counts.missing_at_the_end += 1
        self._behind_marks += self._left_out is not None and self._left_out.is_behind(record)
        self._report_missing(record, "in no table, and no dead letter")

    def _report_missing(self, record: StreamRecord, detail: str) -> None:
        self._counts.records += 1
        arrived = "" if record.arrived_ms is None else f", arrived {arrival_text(record.arrived_ms)}"
        detail = f"{len(record.data)} bytes{arrived}: {detail}"
        self._findings.report(ProblemKind.MISSING, record.position, detail)

    def _report_lost(self, record: StreamRecord) -> None:
        """Reports that a replay brought it in and it is in no table; a pipe may have dropped it."""
        if self._left_out is None or not self._left_out.is_of_pipe:
            self._report_missing(record, REPLAYED_AND_LOST)
            return
        self._left_out.believes(record)
        self._counts.records += 1
        self._findings.count_not_ingested(SKIPPED)

    def _is_lost(self, record: StreamRecord, group: Sequence[AuditOutcome]) -> bool:
        """Returns whether a replay had brought the row in, and nothing but its dead letter is there."""
        is_there = any(each.place is not RecordPlace.DEAD_LETTERS for each in group)
        if is_there or record.status is not ClaimStatus.CLAIMED:
            return False
        replayed = self._replayed_into(record.sequence_number, record.sub_sequence_number)
        return replayed is not None and record.row in replayed.proven

    def _report_lacking_rows(self) -> None:
        """Reports a repaired record's missing rows beyond those that its own bytes make; each of them is looked for too."""
        if self._last and self._letter and (place := position_of(self._letter)[:2]) == self._last[:2]:
            replayed = self._replayed_into(*place) or ReplayedRecord()
            for row in sorted(set(range(self._last[2] + 1, replayed.end)) - self._repaired):
                if row in replayed.proven:
                    self._counts.records += 1
                    self._findings.report(ProblemKind.MISSING, position_text(*place, row), REPLAYED_AND_LOST)
                elif self._whole != place:
                    self._counts.records += 1
                    self._counts.dead_letters += 1
        self._repaired.clear()

    def _letter_before(self, record: StreamRecord) -> AuditOutcome | None:
        """The dead letter that has this row too, because it has one before it of the same record."""
        letter, place = self._letter, (record.sequence_number, record.sub_sequence_number)
        return letter if letter and record.row and position_of(letter)[:2] == place else None

    def _report_without_record(self) -> None:
        for outcome in self._group:
            if self._is_of_replayed(outcome):
                self._counts.repaired_rows += 1
                self._repaired.add(outcome.row)
            elif not self._is_behind_first and self._cutoff.may_have_passed(outcome):
                self._counts.older += 1
            else:
                detail = f"the {outcome.place} has it, and the shard has no such record"
                self._findings.report(ProblemKind.UNEXPECTED, outcome.position, detail)
        self._advance()

    def _is_of_replayed(self, outcome: AuditOutcome) -> bool:
        """Returns whether it is one of more rows than its record would be, had its dead letter not been repaired."""
        if self._letter is None or outcome.place is RecordPlace.DEAD_LETTERS or not outcome.row:
            return False
        place = position_of(self._letter)[:2]
        return position_of(outcome)[:2] == place and self._replayed_into(*place) is not None


def _whole_record(letter: AuditOutcome) -> tuple[int, int] | None:
    """The record that is one dead letter: any but one of which Snowflake refused a row."""
    is_refused = isinstance(letter.content, LetterContent) and letter.content.reason == RejectReason.REFUSED
    return None if is_refused or letter.row else position_of(letter)[:2]


def _by_position(outcomes: Iterable[AuditOutcome]) -> Iterator[tuple[RowPosition | None, list[AuditOutcome]]]:
    for position, group in groupby(outcomes, key=position_of):
        yield position, list(group)


def position_of(outcome: AuditOutcome) -> RowPosition:
    return outcome.sequence_number, outcome.sub_sequence_number, outcome.row
