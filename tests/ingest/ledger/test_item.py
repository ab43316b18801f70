"""Rows as items: those of an older engine still read, and say that they do not know what it did not write."""

from dataclasses import replace

from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.ledger.item import Item, from_item, to_item
from firnline_ingest.ledger.row import ChannelEntry, Proven, Sending, ShardRow
from firnline_ingest.values import Fence, Position, ShardKey, TargetTable

TARGET = TargetTable("DB", "RAW", "EVENTS", "2026-01-01T00:00:00.000+00:00", "EVENTS-STREAMING")
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
    incidents=(Incident(IncidentKind.RETENTION_LOSS, 5, "lost", Position(4)),),
)
ADDED = {
    "row": {"sent_through", "sent", "is_sending", "kept_through", "first_read", "reset"},
    "channel": {"seen", "missed", "created", "sent_through", "sent", "is_sending"},
    "incident": {"last", "count", "after", "loss"},
}


def as_the_first_engine_wrote_it(row: ShardRow) -> Item:
    item = to_item(row)
    channels = {name: _without(entry, "channel") for name, entry in item["channels"].items()}
    incidents = [_without(incident, "incident") for incident in item["incidents"]]
    return {**_without(item, "row"), "channels": channels, "incidents": incidents}


def _without(item: Item, part: str) -> Item:
    return {name: value for name, value in item.items() if name not in ADDED[part]}


def test_an_older_engines_item_reads_as_a_row_that_may_have_rows_in_flight() -> None:
    alone = replace(ROW, channels={"a": ROW.channels["a"]})
    assert from_item(as_the_first_engine_wrote_it(alone)) == replace(alone, is_sending=True)


def test_an_item_reads_as_the_row_that_it_was_made_of() -> None:
    assert from_item(to_item(ROW)) == ROW
