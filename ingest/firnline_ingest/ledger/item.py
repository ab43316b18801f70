"""A ledger row as a DynamoDB item, and back.

Positions are written as tokens padded to one width, so that DynamoDB's comparison of text is the comparison of numbers.
"""

from typing import Any

from firnline_ingest.kinesis.start import parse_pin
from firnline_ingest.ledger.row import ChannelEntry, Incident, IncidentKind, Proven, ShardRow
from firnline_ingest.values import DIGITS, LONGEST_TOKEN, Fence, Position, ShardKey, TargetTable

Item = dict[str, Any]


def to_item(row: ShardRow) -> Item:
    return {
        "stream": row.key.incarnation,
        "shard": row.key.shard_id,
        "generation": row.fence.generation,
        "owner": row.fence.owner,
        "heartbeat": row.heartbeat_ms,
        "start": row.start.text,
        "read_through": padded(row.read_through),
        "tip": row.tip_ms,
        "channels": {name: _channel_item(entry) for name, entry in row.channels.items()},
        "ended": row.ended,
        "children": list(row.children),
        "routing": row.routing,
        "incidents": [_incident_item(incident) for incident in row.incidents],
    }


def from_item(item: Item) -> ShardRow:
    stream, _, created_ms = item["stream"].rpartition("@")
    return ShardRow(
        key=ShardKey(stream, int(created_ms), item["shard"]),
        start=parse_pin(item["start"]),
        fence=Fence(int(item["generation"]), item["owner"]),
        heartbeat_ms=int(item["heartbeat"]),
        read_through=unpadded(item["read_through"]),
        tip_ms=int(item["tip"]),
        channels={name: _channel_entry(entry) for name, entry in item["channels"].items()},
        ended=item["ended"],
        children=tuple(item["children"]),
        routing=item["routing"],
        incidents=tuple(_incident(incident) for incident in item["incidents"]),
    )


def padded(position: Position | None) -> str:
    """Text that sorts as the positions do; the empty text before all of them."""
    return position.token.zfill(LONGEST_TOKEN) if position else ""


def unpadded(text: str) -> Position | None:
    return Position.from_token(text.lstrip("0").zfill(2 * DIGITS + 1)) if text else None


def _channel_item(entry: ChannelEntry) -> Item:
    target, proven = entry.target, entry.proven
    return {
        "database": target.database,
        "schema": target.schema,
        "table": target.table,
        "table_created_on": target.table_created_on,
        "pipe": target.pipe,
        "pipe_created_on": target.pipe_created_on,
        "proven": proven.position.token if proven.position else "",
        "rows_inserted": proven.rows_inserted,
        "rows_error_count": proven.rows_error,
    }


def _channel_entry(item: Item) -> ChannelEntry:
    return ChannelEntry(
        TargetTable(
            item["database"],
            item["schema"],
            item["table"],
            item["table_created_on"],
            item["pipe"],
            item["pipe_created_on"],
        ),
        Proven(
            Position.from_token(item["proven"]) if item["proven"] else None,
            int(item["rows_inserted"]),
            int(item["rows_error_count"]),
        ),
    )


def _incident_item(incident: Incident) -> Item:
    return {
        "kind": incident.kind.value,
        "at": incident.at_ms,
        "detail": incident.detail,
        "through": incident.through.token if incident.through else "",
    }


def _incident(item: Item) -> Incident:
    through = Position.from_token(item["through"]) if item["through"] else None
    return Incident(IncidentKind(item["kind"]), int(item["at"]), item["detail"], through)
