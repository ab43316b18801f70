"""The driver's knowledge of what was reported: it outlives the run, and shards that ended unseen."""

from dataclasses import replace

from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.engine_report import EngineReport, ReportedCounts, report_from_bytes
from firnline_ingest.ledger.errors import LedgerUnavailable
from firnline_ingest.ledger.row import RunningTotals, ShardRow
from firnline_ingest.shard.receipt import Receipt, ShardState, Tally
from firnline_ingest.spark.reported import LOOKS, ReportedShards
from firnline_ingest.values import Position, ShardKey


class Rows:
    def __init__(self) -> None:
        self.kept: dict[ShardKey, ShardRow] = {}
        self.is_away = False
        self.unreadable: set[ShardKey] = set()
        self.reads = 0

    def read(self, key: ShardKey) -> ShardRow | None:
        self.reads += 1
        if self.is_away or key in self.unreadable:
            raise LedgerUnavailable("ledger", "a test")
        return self.kept.get(key)


def key(number: int = 0) -> ShardKey:
    return ShardKey("events", 1, f"shardId-{number:012d}")


def totals(rows: int, owner: str = "one/a") -> RunningTotals:
    return RunningTotals(through=Position(5), rows=rows, begun_by=owner)


def receipt(rows: int, of: RunningTotals, state: ShardState = ShardState.READING, number: int = 0) -> Receipt:
    return Receipt.of(key(number), Tally(rows=rows), epoch=7, state=state, totals=of)


def row(of: RunningTotals, number: int = 0, *, ended: bool = True) -> ShardRow:
    return ShardRow(key=key(number), start=TrimHorizon(), totals=of, ended=ended)


def sums(receipts: list[Receipt]) -> list[int]:
    return [each.rows for each in receipts]


def test_a_process_of_the_next_run_hears_how_far_the_one_before_had_reported() -> None:
    first, second = ReportedShards(Rows(), "one"), ReportedShards(Rows(), "two")
    first.planned([key()])
    ahead = replace(totals(5), dead_letters=2, reported_through=Position(9, 1), tallied_through=Position(9))
    first.counted([receipt(5, ahead)])
    read = report_from_bytes(EngineReport(run_id="one", at_ms=1, reported=first.shown()).to_bytes())
    assert read is not None
    second.remember(read.reported)
    assert second.of(key()) == first.of(key()) == ahead
    assert second.of(key(1)) is None


def test_a_report_of_an_earlier_release_says_nothing_of_how_far_it_goes() -> None:
    shards = ReportedShards(Rows(), "two")
    shards.remember([ReportedCounts("events", 1, key().shard_id, "one/a", has_all_rows=True, rows=5, dead_letters=2)])
    assert shards.of(key()) is None


def test_a_receipt_that_comes_late_takes_nothing_back() -> None:
    shards = ReportedShards(Rows(), "one")
    shards.planned([key()])
    newest = RunningTotals(through=Position(8), rows=8, begun_by="one/a", reported_through=Position(9))
    shards.counted([receipt(8, newest), receipt(0, replace(totals(5), reported_through=Position(5)))])
    assert shards.of(key()) == newest


def test_the_next_run_counts_from_what_the_one_before_had_reported() -> None:
    first, second = ReportedShards(Rows(), "one"), ReportedShards(Rows(), "two")
    first.planned([key()])
    assert sums(first.counted([receipt(5, totals(5))])) == [5]
    written = EngineReport(run_id="one", at_ms=1, reported=first.shown()).to_bytes()
    read = report_from_bytes(written)
    assert read is not None
    second.remember(read.reported)
    second.planned([key()])
    assert sums(second.counted([receipt(7, totals(7))])) == [2], (
        "five of the seven were reported, and the ledger did not know"
    )


def test_a_shard_that_left_the_plan_unreported_is_reported_from_its_row_once() -> None:
    rows = Rows()
    shards = ReportedShards(rows, "one")
    shards.planned([key(), key(1)])
    shards.counted([receipt(5, totals(5)), receipt(1, totals(1), number=1)])
    rows.kept[key()] = row(totals(9))
    shards.planned([key(1)])
    found = shards.counted([receipt(0, totals(1), number=1)])
    assert [(each.shard_id, each.rows, each.state, each.epoch) for each in found[1:]] == [
        (key().shard_id, 4, ShardState.ENDED, 7)
    ]
    assert sums(shards.counted([])) == []
    assert [each.shard for each in shards.shown()] == [key(1).shard_id]


def test_a_shard_that_waits_is_looked_at_again_and_none_is_forgotten_while_the_ledger_is_away() -> None:
    rows = Rows()
    shards = ReportedShards(rows, "one")
    many = range(LOOKS + 5)
    shards.planned([key(number) for number in many])
    shards.counted([receipt(1, totals(1), number=number) for number in many])
    shards.planned([])
    rows.is_away = True
    assert shards.counted([]) == []
    rows.is_away, rows.reads = False, 0
    rows.kept = {key(number): row(totals(1), number, ended=False) for number in many}
    assert shards.counted([]) == []
    assert rows.reads == LOOKS
    rows.kept = {at: replace(each, ended=True, totals=totals(3)) for at, each in rows.kept.items()}
    assert sums(shards.counted([])) + sums(shards.counted([])) == [2] * len(many)


def test_an_end_that_was_found_is_reported_although_the_ledger_is_away_for_the_next_one() -> None:
    rows = Rows()
    shards = ReportedShards(rows, "one")
    for number in range(2):  # one after the other, so that they are looked at in this order
        shards.planned([key(each) for each in range(number + 1)])
    shards.counted([receipt(1, totals(1), number=number) for number in range(2)])
    rows.kept = {key(number): row(totals(3), number) for number in range(2)}
    rows.unreadable = {key(1)}
    shards.planned([])
    assert sums(shards.counted([])) == [2]
    rows.unreadable.clear()
    assert sums(shards.counted([])) == [2]


def test_a_last_receipt_ends_it() -> None:
    rows = Rows()
    shards = ReportedShards(rows, "one")
    shards.planned([key()])
    shards.counted([receipt(5, totals(5), ShardState.ENDED)])
    shards.planned([])
    assert shards.counted([]) == []
    assert (rows.reads, shards.shown()) == (0, ())
