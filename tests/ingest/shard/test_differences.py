"""Receipts become differences of running totals: what was reported before is not reported again, and nothing is left out."""

from dataclasses import replace
from typing import Any

from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.row import RunningTotals, ShardRow
from firnline_ingest.shard.differences import ReceiptDifferences
from firnline_ingest.shard.receipt import Receipt, ShardState, Tally
from firnline_ingest.values import Position, ShardKey
from tests.fakes.receipts import adding_up

KEY = ShardKey("events", 1_700_000_000_000, "shardId-000000000000")


def receipt(rows: int, letters: int, totals: RunningTotals | None) -> Receipt:
    tally = Tally(records=rows + letters, ingested=rows, rows=rows, dead_letters=letters)
    return Receipt.of(KEY, tally, epoch=1, state=ShardState.READING, totals=totals)


def totals(rows: int, letters: int = 0, **more: Any) -> RunningTotals:
    return RunningTotals(through=Position(9), rows=rows, dead_letters=letters, **{"begun_by": "run/one", **more})


def reported(differences: ReceiptDifferences, *receipts: Receipt) -> list[tuple[int, int]]:
    return [(each.rows, each.dead_letters) for each in map(adding_up, differences.of(receipts))]


def hearing_all() -> ReceiptDifferences:
    return ReceiptDifferences(lambda owner: owner.startswith("run/"))


def test_what_another_process_reported_is_not_reported_again() -> None:
    first, again = receipt(5, 2, totals(5, 2)), receipt(7, 3, totals(7, 3))
    assert reported(hearing_all(), first, again) == [(5, 2), (2, 1)]


def test_what_a_lost_receipt_had_is_in_the_next() -> None:
    assert reported(hearing_all(), receipt(1, 0, totals(6, 2))) == [(6, 2)]


def test_a_process_that_is_behind_adds_nothing() -> None:
    assert reported(hearing_all(), receipt(7, 3, totals(7, 3)), receipt(5, 2, totals(5, 2))) == [(7, 3), (0, 0)]


def test_rows_that_are_not_proven_yet_come_later() -> None:
    assert reported(hearing_all(), receipt(5, 0, totals(3)), receipt(0, 0, totals(5))) == [(3, 0), (2, 0)]


def test_totals_that_another_run_began_are_new_as_far_as_their_receipt_says() -> None:
    assert reported(hearing_all(), receipt(4, 1, totals(1000, 50, begun_by="earlier/one"))) == [(4, 1)]


def test_rows_of_another_runs_totals_that_are_not_proven_yet_are_reported_once() -> None:
    earlier = replace(receipt(4, 0, totals(1002, begun_by="earlier/one")), uncommitted_rows=2)
    later = receipt(1, 0, totals(1005, begun_by="earlier/one"))
    assert reported(hearing_all(), earlier, later) == [(4, 0), (1, 0)]


def test_a_row_that_was_lost_goes_on_with_the_channels_own_count() -> None:
    rebuilt = totals(8, 1, begun_by="")
    assert reported(hearing_all(), receipt(5, 2, totals(5, 2)), receipt(1, 1, rebuilt)) == [(5, 2), (3, 1)]


def test_a_row_that_was_lost_before_anything_was_committed_is_counted_from_its_first_record_again() -> None:
    anew = totals(6, 2, begun_by="run/two")
    late = receipt(5, 2, totals(5, 2))
    assert reported(hearing_all(), late, receipt(6, 2, anew), late) == [(5, 2), (1, 0), (0, 0)]


def test_a_receipt_without_totals_is_as_it_was() -> None:
    assert reported(hearing_all(), receipt(4, 1, None)) == [(4, 1)]


def test_a_shard_that_ended_with_its_process_is_reported_from_its_row() -> None:
    differences = hearing_all()
    reported(differences, receipt(5, 2, totals(5, 2)))
    row = ShardRow(key=KEY, start=TrimHorizon(), ended=True, totals=totals(9, 3))
    last = differences.of_ended(row, 4)
    assert (last.rows, last.dead_letters, last.state, last.epoch) == (4, 1, ShardState.ENDED, 4)
    assert differences.of_ended(replace(row), 5).rows == 0
