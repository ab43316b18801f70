from collections.abc import Iterator
from typing import Any

import pytest

from firnline_infra.audit.findings import SHOWN, Counts, ProblemKind, ShardFindings
from firnline_infra.audit.outcome import AuditOutcome, ClaimStatus, RecordPlace, StreamRecord

from .conftest import Shard


def problems(findings: ShardFindings) -> list[tuple[ProblemKind, str]]:
    return [(problem.kind, problem.position) for problem in findings.problems]


def test_a_shard_whose_every_record_is_a_row_once_has_no_problem(shard: Shard) -> None:
    assert shard.compared().counts == Counts(records=10, rows=10)


def test_a_record_may_be_a_row_an_error_row_or_a_dead_letter(shard: Shard) -> None:
    shard.remove(103, 107)
    shard.outcomes += [shard.row(103, place=RecordPlace.ERROR_TABLE), shard.row(107, place=RecordPlace.DEAD_LETTERS)]
    assert shard.compared().counts == Counts(records=10, rows=8, error_rows=1, dead_letters=1)


@pytest.mark.parametrize("number", [100, 104, 109])
def test_a_record_that_is_nowhere_is_missing(shard: Shard, number: int) -> None:
    shard.remove(number)
    findings = shard.compared()
    assert (findings.counts.records, findings.counts.rows, findings.counts.missing) == (10, 9, 1)
    assert problems(findings) == [(ProblemKind.MISSING, str(number))]


def test_what_is_missing_at_the_end_of_a_shard_is_told_apart(shard: Shard) -> None:
    shard.remove(102, 108, 109)
    counts = shard.compared().counts
    assert (counts.missing, counts.missing_at_the_end) == (3, 2)


def test_what_is_missing_before_a_later_row_is_not_at_the_end(shard: Shard) -> None:
    shard.remove(108)
    shard.let_stand([109], ClaimStatus.AFTER_CLAIM)
    counts = shard.compared().counts
    assert (counts.missing, counts.missing_at_the_end, counts.later) == (1, 0, 1)


@pytest.mark.parametrize("place", RecordPlace)
def test_a_record_that_is_in_two_places_or_twice_in_one_is_doubled(shard: Shard, place: RecordPlace) -> None:
    shard.outcomes.append(shard.row(105, place=place))
    findings = shard.compared()
    assert findings.counts.doubled == 1
    assert problems(findings) == [(ProblemKind.DOUBLED, "105")]
    assert place in findings.problems[0].detail
    assert findings.counts.records == findings.counts.rows + findings.counts.error_rows + (
        findings.counts.dead_letters - findings.counts.doubled
    )


def test_every_copy_beyond_the_first_counts(shard: Shard) -> None:
    shard.outcomes += [shard.row(105), shard.row(105), shard.row(105, place=RecordPlace.ERROR_TABLE)]
    findings = shard.compared()
    assert findings.counts.doubled == 3
    assert findings.problems[0].detail == "3 x table, 1 x error table"


@pytest.mark.parametrize("place", RecordPlace)
def test_a_position_between_two_records_is_foreign(shard: Shard, place: RecordPlace) -> None:
    shard.records.remove(shard.records[4])
    shard.remove(104)
    shard.outcomes.append(shard.row(104, place=place))
    findings = shard.compared()
    assert findings.counts.unexpected == 1
    assert problems(findings) == [(ProblemKind.UNEXPECTED, "104")]


@pytest.mark.parametrize(
    ("row", "position"),
    [
        pytest.param({"number": 9999}, "9999", id="beyond the last record"),
        pytest.param({"number": 105, "sub": 2}, "105.2", id="of a sub-sequence number that its record does not have"),
        pytest.param({"number": 105, "sub": 1, "age_ms": 1_000_000}, "105.1", id="among the records, however old"),
        pytest.param({"number": 50, "age_ms": 0}, "50", id="before the first record, and arrived since"),
        pytest.param({"number": 50, "age_ms": None}, "50", id="without an arrival, where all rows have one"),
    ],
)
def test_a_row_is_foreign(shard: Shard, row: dict[str, Any], position: str) -> None:
    shard.outcomes.append(shard.row(**row))
    assert problems(shard.compared()) == [(ProblemKind.UNEXPECTED, position)]


def test_a_row_before_the_first_record_is_older_than_the_stream(shard: Shard) -> None:
    shard.outcomes += [shard.row(50, age_ms=1), shard.row(60, place=RecordPlace.DEAD_LETTERS, age_ms=1)]
    assert shard.compared().counts == Counts(records=10, rows=10, older=2)


def test_a_row_that_does_not_say_when_it_arrived_is_older_where_no_row_does(shard: Shard) -> None:
    shard.rows_have_arrival = False
    shard.outcomes.append(shard.row(50, age_ms=None))
    assert shard.compared().counts.older == 1


def test_in_a_shard_without_records_rows_are_old_or_foreign(shard: Shard) -> None:
    shard.records = []
    shard.outcomes = [shard.row(50, age_ms=1), shard.row(60)]
    assert shard.compared().counts == Counts(older=1, unexpected=1)


def test_a_record_from_before_the_pipelines_beginning_may_be_absent(shard: Shard) -> None:
    shard.let_stand([100, 101], ClaimStatus.BEFORE_CLAIM)
    shard.remove(100)
    assert shard.compared().counts == Counts(records=9, rows=9, before_start=1)


def test_a_later_record_is_left_out_whether_it_is_there_or_not(shard: Shard) -> None:
    shard.let_stand([107, 108, 109], ClaimStatus.AFTER_CLAIM)
    shard.remove(108)
    assert shard.compared().counts == Counts(records=7, rows=7, later=2)


def test_a_later_record_must_not_be_doubled_either(shard: Shard) -> None:
    shard.let_stand([109], ClaimStatus.AFTER_CLAIM)
    shard.outcomes.append(shard.row(109))
    assert problems(shard.compared()) == [(ProblemKind.DOUBLED, "109")]


def test_the_stream_is_followed_no_further_than_needed(shard: Shard) -> None:
    def records() -> Iterator[StreamRecord]:
        yield from shard.records
        yield shard.record(110, ClaimStatus.AFTER_CLAIM)
        raise AssertionError("nothing is left to be found")

    assert shard.compared(records()).counts == Counts(records=10, rows=10)


def test_the_stream_is_followed_as_long_as_there_are_rows(shard: Shard) -> None:
    shard.outcomes.append(shard.row(112))
    later = [shard.record(number, ClaimStatus.AFTER_CLAIM) for number in (110, 111, 112)]
    assert shard.compared([*shard.records, *later]).counts == Counts(records=10, rows=10, later=1)


def test_only_the_first_few_positions_of_a_problem_are_kept(shard: Shard) -> None:
    shard.outcomes = []
    findings = shard.compared()
    assert findings.counts.missing == 10
    assert problems(findings) == [(ProblemKind.MISSING, str(number)) for number in range(100, 100 + SHOWN)]


def test_a_check_sees_every_outcome_with_its_record(shard: Shard) -> None:
    seen = []

    def check(record: StreamRecord, outcome: AuditOutcome, findings: ShardFindings) -> None:
        seen.append((record.sequence_number, outcome.place))
        findings.report(ProblemKind.CHANGED, outcome.position, "because")

    shard.check = check
    shard.outcomes = [shard.row(101), shard.row(101, place=RecordPlace.ERROR_TABLE), shard.row(103)]
    assert shard.compared().counts.changed == 3
    assert seen == [(101, RecordPlace.TABLE), (101, RecordPlace.ERROR_TABLE), (103, RecordPlace.TABLE)]


def test_a_later_record_is_not_checked(shard: Shard) -> None:
    """The table may have grown a column since the audit looked."""
    shard.let_stand([109], ClaimStatus.AFTER_CLAIM)
    shard.check = lambda record, outcome, findings: findings.report(ProblemKind.CHANGED, outcome.position, "because")
    assert shard.compared().counts.changed == 9


def test_what_another_consumer_took_in_has_to_be_absent(shard: Shard) -> None:
    shard.let_stand(range(100, 105), ClaimStatus.TAKEN_BEFORE)
    shard.remove(*range(100, 105))
    assert shard.compared().counts == Counts(records=5, rows=5, before_start=5)


@pytest.mark.parametrize("place", RecordPlace)
def test_what_another_consumer_took_in_and_we_too_is_doubled(shard: Shard, place: RecordPlace) -> None:
    shard.let_stand(range(100, 105), ClaimStatus.TAKEN_BEFORE)
    shard.remove(*range(100, 105))
    shard.outcomes.append(shard.row(103, place=place))
    findings = shard.compared()
    assert problems(findings) == [(ProblemKind.DOUBLED, "103")]
    assert findings.counts.before_start == 4
