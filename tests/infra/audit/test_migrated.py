from firnline_infra.audit.internal_state import EVERYTHING, places
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.item import to_item
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.values import Position, ShardKey


def row(through: Position | None = None, *, ended: bool = False) -> ShardRow:
    return ShardRow(key=ShardKey("s", 1, "shard"), start=TrimHorizon(), read_through=through, ended=ended)


def test_of_a_finished_shard_everything_was_taken_in_of_another_one_up_to_its_place_of_an_untouched_one_nothing() -> (
    None
):
    rows = {"ended": row(ended=True), "inside": row(Position(7, 3)), "untouched": row()}
    assert places({shard: to_item(each) for shard, each in rows.items()}) == {
        "ended": EVERYTHING,
        "inside": Position(7, 3),
    }
    assert Position(int("9" * 129), 5) < EVERYTHING
