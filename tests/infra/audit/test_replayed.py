"""Dead letters that came back: a record is in one place at any moment of a replay."""

import pytest

from firnline_infra.audit.findings import Counts
from firnline_infra.audit.outcome import RecordPlace

from .conftest import Shard

LETTERS = RecordPlace.DEAD_LETTERS


def test_a_replayed_letter_and_its_row_are_one_record(shard: Shard) -> None:
    shard.outcomes.append(shard.row(105, place=LETTERS))
    assert shard.compared().counts.doubled == 1
    shard.replayed = {105}
    assert shard.compared().counts == Counts(records=10, rows=10, replayed=1)


def test_a_row_that_the_table_refused_is_in_its_error_table(shard: Shard) -> None:
    shard.remove(105)
    shard.outcomes += [shard.row(105, place=LETTERS), shard.row(105, place=RecordPlace.ERROR_TABLE)]
    shard.replayed = {105}
    assert shard.compared().counts == Counts(records=10, rows=9, error_rows=1, replayed=1)


def test_until_its_row_is_there_the_letter_is_the_records_place(shard: Shard) -> None:
    """Between a batch and its commit, after a kill, and where a row was refused and is nowhere."""
    shard.remove(105)
    shard.outcomes.append(shard.row(105, place=LETTERS))
    shard.replayed = {105}
    assert shard.compared().counts == Counts(records=10, rows=9, dead_letters=1)


def test_a_replayed_row_that_is_there_twice_is_doubled(shard: Shard) -> None:
    shard.outcomes += [shard.row(105, place=LETTERS), shard.row(105)]
    shard.replayed = {105}
    assert shard.compared().counts.doubled == 1


def test_the_values_of_a_replayed_row_are_not_compared(shard: Shard) -> None:
    shard.outcomes.append(shard.row(105, place=LETTERS))
    shard.replayed = {105}
    seen: list[int] = []
    shard.check = lambda record, outcome, findings: seen.append(record.sequence_number)
    shard.compared()
    assert seen == [number for number in range(100, 110) if number != 105]


def test_rows_that_a_repair_made_more_of_are_no_strangers(shard: Shard) -> None:
    more = [shard.row(105)._replace(row=1), shard.row(105)._replace(row=2)]
    shard.outcomes += [shard.row(105, place=LETTERS), *more]
    assert shard.compared().counts.unexpected == 2
    shard.replayed = {105}
    assert shard.compared().counts == Counts(records=10, rows=10, replayed=1, repaired_rows=2)


@pytest.mark.parametrize("without_letter", [True, False])
def test_rows_of_a_record_that_was_not_replayed_stay_foreign(shard: Shard, without_letter: bool) -> None:
    shard.outcomes.append(shard.row(106)._replace(row=1))
    shard.outcomes += [] if without_letter else [shard.row(105, place=LETTERS)]
    shard.replayed = {105}
    assert shard.compared().counts.unexpected == 1
