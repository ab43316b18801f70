"""Records that are nowhere, of a pipeline whose query is not run here: they are what the ledger says was dropped, or are lost."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from firnline_infra.audit.comparison import ReplayedRecord, compare_shard, position_of
from firnline_infra.audit.findings import NEXT_STEPS, Counts, ProblemKind, ShardFindings
from firnline_infra.audit.left_out import (
    BY_THE_PIPE,
    ON_A_STREAM,
    UNKNOWN,
    LeftOutCheck,
    left_out_of,
    with_believed,
)
from firnline_infra.audit.outcome import AuditOutcome, ClaimStatus, RecordPlace, StreamRecord
from firnline_infra.audit.window import RetentionCutoff
from firnline_ingest.config.rows import PipeRows
from firnline_ingest.kinesis.lineage import Lineage
from firnline_ingest.kinesis.start import AtTimestamp, TrimHorizon
from firnline_ingest.ledger.left_out import BEGINNING, LeftOutMark, moved
from firnline_ingest.ledger.row import ReadAgain, ShardRow
from firnline_ingest.values import Position, ShardKey

from .configured import config_of, pipeline

SHARD = "shardId-000000000000"
KEY = ShardKey("orders", 1_700_000_000_000, SHARD)
BEGAN_MS = 1_700_000_000_000
HOUR_MS = 3_600_000


@dataclass
class Dropped:
    """A shard with records 100 to 119, of which the query drops those with an odd number; a mark at each of `marked`."""

    marked: Sequence[int] = (119,)
    begins: int = 0
    """The place at which the ledger began to count."""
    numbers: list[int] = field(default_factory=lambda: list(range(100, 120)))
    rows: list[int] = field(default_factory=lambda: list(range(100, 120, 2)))
    letters: list[int] = field(default_factory=list)
    status: dict[int, ClaimStatus] = field(default_factory=dict)
    dropped: list[int] = field(default_factory=lambda: list(range(101, 120, 2)))
    may_have_left: bool = False
    replayed: list[int] = field(default_factory=list)

    def marks(self) -> tuple[LeftOutMark, ...]:
        marks, before = (LeftOutMark(Position(self.begins)),), self.begins
        for number in self.marked:
            left = [Position(each) for each in self.dropped if before < each <= number]
            marks, before = moved(marks, Position(number), left, BEGAN_MS + number * HOUR_MS, 24), number
        return marks

    def audited(self, **changes: Any) -> ShardFindings:
        findings = ShardFindings(SHARD)
        check = LeftOutCheck(**{"marks": self.marks(), "may_have_left": self.may_have_left, **changes})
        places = [(number, RecordPlace.TABLE) for number in self.rows]
        places += [(number, RecordPlace.DEAD_LETTERS) for number in self.letters]
        compare_shard(
            findings,
            [self.record(each) for each in self.numbers],
            sorted((AuditOutcome(number, 0, place, BEGAN_MS) for number, place in places), key=position_of),
            cutoff=RetentionCutoff(BEGAN_MS),
            not_ingested=check.believes,
            left_out=check,
        )
        return findings

    def record(self, number: int) -> StreamRecord:
        return StreamRecord(number, b"{}", self.status.get(number, ClaimStatus.CLAIMED), "key", BEGAN_MS + number)

    def problems(self, **changes: Any) -> dict[str, int]:
        counts = self.audited(**changes).counts
        return {kind.value: count for kind in ProblemKind if (count := getattr(counts, kind))}


def test_what_the_ledger_says_was_dropped_is_skipped_and_proven() -> None:
    findings = Dropped().audited()
    assert findings.counts == Counts(records=20, rows=10, skipped=10)
    assert findings.problems == []


def test_a_row_that_is_gone_is_missing_and_the_report_names_shard_and_numbers() -> None:
    shard = Dropped()
    shard.rows.remove(110)
    findings = shard.audited()
    assert (findings.counts.missing, findings.counts.skipped, findings.counts.records) == (1, 10, 20)
    (problem,) = findings.problems
    assert (problem.shard_id, problem.position) == (SHARD, "119")
    assert problem.detail == (
        "the ledger says that the query dropped 10 records from its beginning up to 119, and 11 are "
        "in no table and no dead letter"
    )


def test_between_which_marks_it_was_is_said() -> None:
    shard = Dropped(marked=(105, 112, 119))
    shard.rows.remove(110)
    assert "behind 105 up to 112" in shard.audited().problems[0].detail


def test_a_lost_row_and_a_row_of_a_dropped_record_do_not_make_up_for_one_another() -> None:
    shard = Dropped()
    shard.rows.remove(110)
    shard.rows.append(111)
    assert shard.problems() == {"missing": 1, "unexpected": 1}
    assert "but not the same" in shard.audited().problems[0].detail


def test_a_row_of_a_record_that_the_query_dropped_is_unexpected() -> None:
    shard = Dropped()
    shard.rows.append(111)
    assert shard.problems() == {"unexpected": 1}


def test_a_dead_letter_that_is_gone_is_missing() -> None:
    shard = Dropped()
    shard.dropped.remove(105)
    shard.letters = [105]
    assert shard.problems() == {}
    shard.letters = []
    assert shard.problems() == {"missing": 1}


def test_what_the_engine_has_not_read_is_missing_at_the_end_and_never_believed_to_be_dropped() -> None:
    findings = Dropped(marked=(115,)).audited()
    assert (findings.counts.missing, findings.counts.missing_at_the_end) == (2, 2)


def test_without_marks_nothing_is_proven_and_the_report_says_why() -> None:
    findings = Dropped().audited(marks=())
    assert (findings.counts.skipped, findings.counts.unproven, findings.counts.missing) == (10, 10, 0)
    assert UNKNOWN in findings.problems[0].detail
    assert NEXT_STEPS[ProblemKind.UNPROVEN]


def test_what_lies_before_the_first_mark_is_unproven_and_the_report_says_from_when_on_it_is() -> None:
    shard = Dropped(begins=108, marked=(119,), may_have_left=True)
    assert shard.problems() == {"unproven": 4}
    assert "holds from 2023-11-14T22:13:20.109Z on (--since)" in shard.audited().problems[0].detail
    shard.status = dict.fromkeys(range(100, 109), ClaimStatus.BEFORE_CLAIM)
    assert shard.problems() == {}


def test_a_range_of_which_records_left_is_unproven_and_refuted_where_more_are_nowhere_than_were_dropped() -> None:
    shard = Dropped(marked=(112, 119), may_have_left=True)
    shard.numbers = shard.numbers[8:]
    shard.rows = shard.rows[4:]
    assert shard.problems() == {"unproven": 2}
    shard.rows = []
    assert shard.problems() == {"missing": 3, "unproven": 5}, "a lost one may look like one that left: it is not proven"
    shard.dropped = [119]
    assert shard.problems() == {"missing": 5 + 6}


def test_records_behind_the_claim_complete_the_range_that_it_ends_in() -> None:
    shard = Dropped()
    shard.status = dict.fromkeys(range(112, 120), ClaimStatus.AFTER_CLAIM)
    findings = shard.audited()
    assert (findings.counts.skipped, findings.counts.later, findings.counts.problems) == (6, 4, 0)
    shard.rows.remove(104)
    assert shard.problems() == {"missing": 1}


def test_what_was_there_before_the_pipelines_beginning_was_never_counted() -> None:
    shard = Dropped()
    shard.status = dict.fromkeys(range(100, 106), ClaimStatus.BEFORE_CLAIM)
    shard.rows = shard.rows[3:]
    shard.dropped = shard.dropped[3:]
    assert shard.problems(pin_ms=BEGAN_MS + 106) == {}


@pytest.mark.parametrize("seed", range(200))
def test_no_schedule_is_proven_in_which_a_record_is_lost(seed: int) -> None:
    """Rows, dead letters and drops at random, marks anywhere, a claim that cuts, records that left; then something is altered."""
    rng = random.Random(seed)
    shard = Dropped(numbers=sorted(rng.sample(range(100, 400), 60)), rows=[], dropped=[])
    for number in shard.numbers:
        rng.choice([shard.rows, shard.rows, shard.dropped, shard.letters]).append(number)
    shard.marked = [*sorted(rng.sample(shard.numbers[:-1], rng.randrange(6))), shard.numbers[-1]]
    shard.begins = rng.choice([0, 0, shard.numbers[rng.randrange(30)]])
    shard.marked = [each for each in shard.marked if each > shard.begins]
    begins, ends = sorted(rng.sample(range(60), 2))
    if rng.random() < 0.5:
        shard.status |= dict.fromkeys(shard.numbers[:begins], ClaimStatus.BEFORE_CLAIM)
        shard.status |= dict.fromkeys(shard.numbers[ends:], ClaimStatus.AFTER_CLAIM)
    marks = shard.marks()
    if shard.may_have_left or rng.random() < 0.5:
        shard.may_have_left = True
        left = rng.randrange(20)
        oldest = shard.numbers[left]
        shard.numbers = shard.numbers[left:]
        shard.rows = [each for each in shard.rows if each >= oldest]
        shard.letters = [each for each in shard.letters if each >= oldest]
    assert set(shard.problems(marks=marks)) <= {"unproven"}, "a sound shard is never refuted"
    claimed = [each for each in shard.numbers if shard.status.get(each, ClaimStatus.CLAIMED) is ClaimStatus.CLAIMED]
    there = [each for each in claimed if each not in shard.dropped]
    dropped = [each for each in claimed if each in shard.dropped]
    for lost in rng.sample(there, min(len(there), rng.choice([1, 1, 2]))):
        (shard.rows if lost in shard.rows else shard.letters).remove(lost)
    if dropped and rng.random() < 0.5:
        shard.rows.append(rng.choice(dropped))  # to hide it
    assert not there or shard.problems(marks=marks)


def piped(shard: Dropped, rows: PipeRows) -> ShardFindings:
    findings, check = ShardFindings(SHARD), LeftOutCheck.of_pipe(rows)
    compare_shard(
        findings,
        [shard.record(each) for each in shard.numbers],
        [
            AuditOutcome(number, 0, place, BEGAN_MS)
            for number in shard.numbers
            for places, place in ((shard.rows, RecordPlace.TABLE), (shard.letters, RecordPlace.DEAD_LETTERS))
            for _ in range(places.count(number))
        ],
        cutoff=RetentionCutoff(BEGAN_MS),
        not_ingested=with_believed(None, check),
        left_out=check,
        replayed_into=lambda number, _: ReplayedRecord("", {0}, 1) if number in shard.replayed else None,
    )
    return findings


@pytest.mark.parametrize("rows", [PipeRows.SOME, PipeRows.SEVERAL])
def test_what_a_pipe_may_have_dropped_is_never_proven_by_its_absence(rows: PipeRows) -> None:
    findings = piped(Dropped(), rows)
    assert findings.counts == Counts(records=20, rows=10, skipped=10, unproven=10)
    assert findings.problems[0].detail.endswith(BY_THE_PIPE)


def test_a_pipe_that_drops_rows_doubles_none_and_one_that_multiplies_has_rows_by_their_records_position() -> None:
    shard = Dropped(rows=[100, 100, *range(101, 120)])
    assert piped(shard, PipeRows.SOME).counts == Counts(records=20, rows=21, doubled=1)
    assert piped(shard, PipeRows.SEVERAL).counts == Counts(records=20, rows=21, multiplied=1)
    shard.letters = [100]
    assert piped(shard, PipeRows.SEVERAL).counts.doubled == 1, "a dead letter has its record in whole"


def test_a_row_of_no_record_is_unexpected_whatever_the_pipe_does() -> None:
    shard = Dropped()
    shard.numbers.remove(104)
    findings = ShardFindings(SHARD)
    check = LeftOutCheck.of_pipe(PipeRows.SEVERAL)
    outcomes = [AuditOutcome(number, 0, RecordPlace.TABLE, BEGAN_MS) for number in (100, 104)]
    records = [shard.record(each) for each in shard.numbers]
    compare_shard(
        findings, records, outcomes, cutoff=RetentionCutoff(BEGAN_MS), not_ingested=check.believes, left_out=check
    )
    assert findings.counts.unexpected == 1


def test_a_replayed_dead_letter_whose_row_the_pipe_dropped_is_unproven_and_not_missing() -> None:
    shard = Dropped(letters=[101], replayed=[101])
    counts = piped(shard, PipeRows.SOME).counts
    assert (counts.missing, counts.unproven, counts.skipped) == (0, 10, 10)


def row_of(**changes: Any) -> ShardRow:
    marks = (LeftOutMark(), LeftOutMark(Position(119), 3, 4, 5))
    return ShardRow(**{"key": KEY, "start": TrimHorizon(), "read_through": Position(119), "left_out": marks, **changes})


def check_of(row: ShardRow | None, *, hours_later: int = 1, **config: Any) -> LeftOutCheck:
    lineage = Lineage("orders", KEY.stream_created_ms, 24, {}, 0, "arn")
    rows = {SHARD: row} if row else {}
    of = config_of(pipeline(), **config)
    return left_out_of(of, lineage, rows, KEY.stream_created_ms + hours_later * HOUR_MS)(SHARD)


def test_the_row_says_what_was_left_out_since_when_and_whether_any_may_have_left() -> None:
    assert check_of(row_of()) == LeftOutCheck(row_of().left_out, may_have_left=False)
    assert check_of(row_of(), hours_later=25) == LeftOutCheck(row_of().left_out, may_have_left=True)
    assert check_of(row_of(start=AtTimestamp(7))).pin_ms == 7


@pytest.mark.parametrize(
    "row",
    [
        None,
        row_of(left_out=()),
        row_of(read_through=Position(120)),
        row_of(read_through=None),
    ],
    ids=["no row", "no marks", "read further by a release without marks", "to be read again"],
)
def test_a_row_whose_marks_are_not_of_what_was_read_says_nothing(row: ShardRow | None) -> None:
    assert check_of(row) == LeftOutCheck()


def test_a_range_that_a_person_had_read_again_is_not_held_against_its_marks() -> None:
    """The rows there are those of the first reading, and the query may have been another one."""
    again = ReadAgain(Position(110), "")
    marks = (
        LeftOutMark(),
        LeftOutMark(Position(105), 1, 1),
        LeftOutMark(Position(112), 2, 2),
        LeftOutMark(Position(119), 3, 3),
    )
    row = row_of(left_out=marks, read_through=Position(119), read_again=again)
    assert check_of(row).marks == marks[2:]


def test_the_pin_is_only_where_counting_began_at_the_beginning() -> None:
    marks = (LeftOutMark(Position(105)), LeftOutMark(Position(119), 3, 3))
    assert check_of(row_of(left_out=marks, read_through=Position(119), start=AtTimestamp(7))).pin_ms == 0


def test_records_from_before_the_pin_are_not_proven_by_the_marks_behind_it() -> None:
    behind = range(110, 120)
    shard = Dropped(rows=[each for each in behind if each % 2 == 0], dropped=[each for each in behind if each % 2])
    found = shard.audited(pin_ms=BEGAN_MS + 110)
    assert [each.kind for each in found.problems] == [ProblemKind.UNPROVEN]
    assert found.counts.unproven == 10


def test_what_is_behind_the_marks_is_missing_at_the_end_whatever_is_behind_it() -> None:
    found = Dropped(marked=(109,)).audited()
    assert (found.counts.missing, found.counts.missing_at_the_end) == (5, 5)


def test_a_shard_that_nothing_was_read_of_has_its_beginning() -> None:
    assert check_of(row_of(read_through=None, left_out=(LeftOutMark(BEGINNING),))).marks == (LeftOutMark(),)


def test_dead_letters_on_a_stream_are_nowhere_and_in_no_count() -> None:
    check = check_of(row_of(), dead_letters={"stream": "letters"})
    assert (check.marks, check.why_unknown) == ((), ON_A_STREAM)
