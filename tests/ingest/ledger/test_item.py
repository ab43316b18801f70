"""Rows as items, and back."""

from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.ledger.item import from_item, to_item
from firnline_ingest.ledger.left_out import LeftOutMark
from firnline_ingest.ledger.row import ChannelEntry, Proven, RunningTotals, Sending, ShardRow
from firnline_ingest.values import Fence, Position, ShardKey
from tests.fakes.configs import TARGET

ROW = ShardRow(
    key=ShardKey("events", 1_700_000_000_000, "shardId-000000000000"),
    start=TrimHorizon(),
    fence=Fence(3, "me"),
    heartbeat_ms=5,
    read_through=Position(20),
    channels={
        "a": ChannelEntry(TARGET, Proven(Position(17), 12, 3)),
        "beside": ChannelEntry(TARGET, sending=Sending(Position(19), 4, is_on=True)),
    },
    totals=RunningTotals(
        through=Position(20),
        rows=15,
        dead_letters=2,
        begun_by="me",
        has_all_rows=False,
        reported_through=Position(23),
        tallied_through=Position(22, 1),
    ),
    left_out=(LeftOutMark(), LeftOutMark(Position(20), 3, 2**63 + 5, 7)),
    incidents=(Incident(IncidentKind.RETENTION_LOSS, 5, "lost", Position(4)),),
)


def test_an_item_reads_as_the_row_that_it_was_made_of() -> None:
    assert from_item(to_item(ROW)) == ROW
