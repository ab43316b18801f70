"""Rows of ended shards that are not needed any more: their records have left retention, and their children are under way.

A worker's clock says nothing of that: times are the service's, of records' arrival and of the last answer at the tip.
"""

from collections.abc import Mapping

from firnline_ingest.kinesis.lineage import Lineage
from firnline_ingest.ledger.row import ShardRow

HOUR_MS = 3_600_000
MARGIN_HOURS = 24  # listings are late


def retired(rows: Mapping[str, ShardRow], lineage: Lineage) -> list[ShardRow]:
    """The rows that this listing allows to remove, the oldest first; the caller asks the service for each shard by name
    before it does.

    A row with incidents stays for a person; it is named as long as it has channels.
    """
    horizon_ms = lineage.listed_ms - (lineage.retention_hours + MARGIN_HOURS) * HOUR_MS
    found = [
        row
        for shard, row in rows.items()
        if row.ended
        and row.known_ms < horizon_ms
        and shard not in lineage.shards
        and all(_is_under_way(rows.get(child)) for child in row.children)
        and (row.channels or not row.incidents)
    ]
    return sorted(found, key=lambda row: row.known_ms)


def _is_under_way(child: ShardRow | None) -> bool:
    return child is not None and (child.ended or child.read_through is not None or child.tip_ms > 0)
