"""Dead letters that came back: a record is in one place at any moment of a replay."""

from pathlib import Path

import pytest

from firnline_infra.audit.comparison import ReplayedRecord
from firnline_infra.audit.findings import Counts, ProblemKind
from firnline_infra.audit.internal_state import replayed_records
from firnline_infra.audit.outcome import ClaimStatus, RecordPlace
from firnline_ingest.dead_letters.folder import FolderObjects
from firnline_ingest.dead_letters.journal import Batch, BatchEnd, BatchHeader, BatchLetter, Journal, Outcome
from firnline_ingest.values import Position, ShardKey, TargetTable

from .conftest import Shard

LETTERS = RecordPlace.DEAD_LETTERS


def test_a_replayed_letter_and_its_row_are_one_record(shard: Shard) -> None:
    shard.outcomes.append(shard.row(105, place=LETTERS))
    assert shard.compared().counts.doubled == 1
    shard.replayed = {105: ReplayedRecord()}
    assert shard.compared().counts == Counts(records=10, rows=10, replayed=1)


def test_a_row_that_the_table_refused_is_in_its_error_table(shard: Shard) -> None:
    shard.remove(105)
    shard.outcomes += [shard.row(105, place=LETTERS), shard.row(105, place=RecordPlace.ERROR_TABLE)]
    shard.replayed = {105: ReplayedRecord()}
    assert shard.compared().counts == Counts(records=10, rows=9, error_rows=1, replayed=1)


def test_until_its_row_is_there_the_letter_is_the_records_place(shard: Shard) -> None:
    """Between a batch and its commit, after a kill, and where a row was refused and is nowhere."""
    shard.remove(105)
    shard.outcomes.append(shard.row(105, place=LETTERS))
    shard.replayed = {105: ReplayedRecord()}
    assert shard.compared().counts == Counts(records=10, rows=9, dead_letters=1)


def test_a_replayed_row_that_is_there_twice_is_doubled(shard: Shard) -> None:
    shard.outcomes += [shard.row(105, place=LETTERS), shard.row(105)]
    shard.replayed = {105: ReplayedRecord()}
    assert shard.compared().counts.doubled == 1


def test_the_values_of_a_replayed_row_are_not_compared(shard: Shard) -> None:
    shard.outcomes.append(shard.row(105, place=LETTERS))
    shard.replayed = {105: ReplayedRecord()}
    seen: list[int] = []
    shard.check = lambda record, outcome, findings: seen.append(record.sequence_number)
    shard.compared()
    assert seen == [number for number in range(100, 110) if number != 105]


def test_rows_that_a_repair_made_more_of_are_no_strangers(shard: Shard) -> None:
    more = [shard.row(105)._replace(row=1), shard.row(105)._replace(row=2)]
    shard.outcomes += [shard.row(105, place=LETTERS), *more]
    assert shard.compared().counts.unexpected == 2
    shard.replayed = {105: ReplayedRecord()}
    assert shard.compared().counts == Counts(records=10, rows=10, replayed=1, repaired_rows=2)


@pytest.mark.parametrize("without_letter", [True, False])
def test_rows_of_a_record_that_was_not_replayed_stay_foreign(shard: Shard, without_letter: bool) -> None:
    shard.outcomes.append(shard.row(106)._replace(row=1))
    shard.outcomes += [] if without_letter else [shard.row(105, place=LETTERS)]
    shard.replayed = {105: ReplayedRecord()}
    assert shard.compared().counts.unexpected == 1


def test_of_a_repaired_letter_that_is_partly_in_the_rows_that_lack_are_still_in_it(shard: Shard) -> None:
    """The table refused the second of three rows, and keeps no rejected ones."""
    shard.outcomes += [shard.row(105, place=LETTERS), shard.row(105)._replace(row=2)]
    shard.replayed = {105: ReplayedRecord(proven={0, 2}, end=3)}
    findings = shard.compared()
    assert findings.problems == []
    assert findings.counts == Counts(records=11, rows=10, dead_letters=1, replayed=1, repaired_rows=1)


@pytest.mark.parametrize("number", [105, 109])
def test_a_row_of_a_repaired_letter_that_was_in_and_is_no_more_is_missing(shard: Shard, number: int) -> None:
    shard.outcomes += [shard.row(number, place=LETTERS), shard.row(number)._replace(row=2)]
    shard.replayed = {number: ReplayedRecord(proven={0, 1, 2}, end=3)}
    findings = shard.compared()
    assert [(each.kind, each.position) for each in findings.problems] == [(ProblemKind.MISSING, f"{number}.0.1")]
    counts = findings.counts
    assert (counts.records, counts.rows + counts.missing, counts.missing_at_the_end) == (11, 11, 0)


def test_a_replayed_row_that_is_gone_is_missing_and_not_a_dead_letter(shard: Shard) -> None:
    """Nothing brings it in any more: for a replay its dead letter is done."""
    shard.remove(105)
    shard.outcomes.append(shard.row(105, place=LETTERS))
    shard.replayed = {105: ReplayedRecord(proven={0}, end=1)}
    findings = shard.compared()
    assert [(each.kind, each.position) for each in findings.problems] == [(ProblemKind.MISSING, "105")]
    assert (findings.counts.records, findings.counts.rows, findings.counts.dead_letters) == (10, 9, 0)


def test_a_replayed_record_from_before_the_claim_may_be_gone(shard: Shard) -> None:
    shard.let_stand(range(100, 106), ClaimStatus.BEFORE_CLAIM)
    shard.remove(*range(100, 106))
    shard.outcomes.append(shard.row(105, place=LETTERS))
    shard.replayed = {105: ReplayedRecord(proven={0, 1}, end=2)}
    assert shard.compared().problems == []


def test_a_record_of_several_rows_that_is_one_dead_letter_counts_once(shard: Shard) -> None:
    rows = [shard.records[5]._replace(row=row, whole=b"x") for row in range(3)]
    shard.records[5:6] = rows
    shard.remove(105)
    shard.outcomes.append(shard.row(105, place=LETTERS))
    assert shard.compared().counts == Counts(records=10, rows=9, dead_letters=1)
    shard.outcomes.append(shard.row(105)._replace(row=1))
    assert shard.compared().counts.doubled == 1
    shard.replayed = {105: ReplayedRecord(proven={1}, end=3)}
    assert shard.compared().counts.rows == 10


def test_what_the_journal_says_of_each_record(tmp_path: Path) -> None:
    key = ShardKey("orders", 1, "shardId-000000000000")
    journal = Journal(FolderObjects(tmp_path), "app", key)

    def batch(
        number: int, *letters: BatchLetter, outcome: Outcome | None = Outcome.PROVEN, table: str = "ORDERS"
    ) -> None:
        header = BatchHeader(
            stream="orders",
            stream_created_ms=1,
            shard_id=key.shard_id,
            number=number,
            target=TargetTable("DB", "RAW", table, "", "P"),
            channel="C",
            channel_created_ms=1,
            before=None,
            rows_inserted=0,
            rows_error=0,
            letters=letters,
        )
        made = Batch(header, [b"{}"] * sum(each.rows for each in letters))
        assert journal.begin(made)
        if outcome is not None:
            journal.finish(made, BatchEnd(outcome=outcome))

    def token(number: int, row: int = 0) -> str:
        return Position(number, 0, row).token

    batch(1, BatchLetter(token(100), "parse", 2), BatchLetter(token(101, 3), "append", 2))
    batch(2, BatchLetter(token(102), "parse", 1, 0, 3))
    batch(3, BatchLetter(token(102), "parse", 1, 1, 3), outcome=Outcome.VOID)
    batch(4, BatchLetter(token(103), "parse", 1), outcome=Outcome.VOID)
    batch(5, BatchLetter(token(104), "parse", 1, 0, 2), outcome=Outcome.VOID)
    batch(6, BatchLetter(token(106), "parse", 1), outcome=Outcome.ACCEPTED, table="REFUNDS")
    over = {number for number, is_over in journal.numbers().items() if is_over}
    batch(7, BatchLetter(token(107), "parse", 1))
    batch(8, BatchLetter(token(108), "parse", 1), outcome=None)
    assert replayed_records(journal, over, {"": "", "REFUNDS": "DB.RAW.REFUNDS"}) == {
        (100, 0): ReplayedRecord("", {0, 1}, 2),
        (101, 0): ReplayedRecord("", {3, 4}, 5),
        (102, 0): ReplayedRecord("", {0}, 3),
        (106, 0): ReplayedRecord("DB.RAW.REFUNDS", {0}, 1),
        (107, 0): ReplayedRecord("", set(), 1),
        (108, 0): ReplayedRecord("", set(), 1),
    }, "what was proven after the tables were read may be in none of what was read"


def test_a_replayed_row_whose_letter_is_gone_is_not_compared_either(shard: Shard) -> None:
    """A lifecycle rule has deleted the letter; what was replayed need not hold what the record did, and came later."""
    shard.replayed = {105: ReplayedRecord(proven={0}, end=1)}
    seen: list[int] = []
    shard.check = lambda record, outcome, findings: seen.append(record.sequence_number)
    assert shard.compared().counts == Counts(records=10, rows=10, replayed=1)
    assert seen == [number for number in range(100, 110) if number != 105]
