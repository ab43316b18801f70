"""Rows of ended shards go when nobody needs them; one condition less, and they stay."""

from dataclasses import replace

import pytest

from firnline_ingest.kinesis.lineage import Lineage, ListedShard
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.ledger.retired import HOUR_MS, MARGIN_HOURS, retired
from firnline_ingest.ledger.row import ChannelEntry, ShardRow
from firnline_ingest.values import Position, ShardKey, TargetTable

NOW_MS = 1_800_000_000_000
RETENTION = 24
OLD_MS = NOW_MS - (RETENTION + MARGIN_HOURS) * HOUR_MS - 1
TARGET = TargetTable("DB", "RAW", "EVENTS", "2026-01-01T00:00:00.000+00:00", "EVENTS-STREAMING")


def row(shard: str, **changes: object) -> ShardRow:
    made = ShardRow(key=ShardKey("events", 1, shard), start=TrimHorizon(), channels={"c": ChannelEntry(TARGET)})
    return replace(made, **changes)  # type: ignore[arg-type] # by name, as each line needs it


def listing(*shards: str) -> Lineage:
    return Lineage("events", 1, RETENTION, {name: ListedShard(name) for name in shards}, NOW_MS)


PARENT = row("parent", ended=True, arrived_ms=OLD_MS, tip_ms=OLD_MS - 1, children=("left", "right"))
LEFT, RIGHT = row("left", read_through=Position(5)), row("right", tip_ms=NOW_MS)


def found(*rows: ShardRow, listed: tuple[str, ...] = ("left", "right")) -> list[str]:
    return [each.key.shard_id for each in retired({each.key.shard_id: each for each in rows}, listing(*listed))]


def test_an_ended_shard_whose_children_are_read_and_whose_records_are_gone_is_retired() -> None:
    assert found(PARENT, LEFT, RIGHT) == ["parent"]


@pytest.mark.parametrize(
    ("why", "rows", "listed"),
    [
        ("it has not ended", [replace(PARENT, ended=False), LEFT, RIGHT], ("left", "right")),
        ("its records may still be there", [replace(PARENT, arrived_ms=OLD_MS + 1), LEFT, RIGHT], ("left", "right")),
        ("it was open a while ago", [replace(PARENT, tip_ms=OLD_MS + 1), LEFT, RIGHT], ("left", "right")),
        (
            "its records may still be there, whatever a worker's clock said",
            [replace(PARENT, arrived_ms=NOW_MS, heartbeat_ms=OLD_MS), LEFT, RIGHT],
            ("left", "right"),
        ),
        ("it is still listed", [PARENT, LEFT, RIGHT], ("parent", "left", "right")),
        ("a child was never opened", [PARENT, LEFT], ("left", "right")),
        ("a child has proven nothing yet", [PARENT, LEFT, replace(RIGHT, tip_ms=0)], ("left", "right")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_it_stays_as_long_as(why: str, rows: list[ShardRow], listed: tuple[str, ...]) -> None:
    assert found(*rows, listed=listed) == []


def test_a_row_with_incidents_stays_for_a_person_once_its_channels_are_gone() -> None:
    lost = (Incident(IncidentKind.RETENTION_LOSS, 1, "lost"),)
    assert found(replace(PARENT, incidents=lost), LEFT, RIGHT) == ["parent"]
    assert found(replace(PARENT, incidents=lost, channels={}), LEFT, RIGHT) == []


def test_the_oldest_go_first() -> None:
    rows = [row(f"s{n}", ended=True, arrived_ms=OLD_MS - n) for n in range(3)]
    assert found(*rows, LEFT) == ["s2", "s1", "s0"]
