"""A ledger row as a DynamoDB item, and back.

A row is always written whole. Positions are written as tokens padded to one width, so that DynamoDB's comparison of text is the
comparison of numbers.
"""

from dataclasses import asdict
from typing import Any

from firnline_ingest.kinesis.start import parse_pin
from firnline_ingest.ledger.consumer import ConsumerRecord
from firnline_ingest.ledger.incident import Incident, IncidentKind, Loss
from firnline_ingest.ledger.left_out import LeftOutMark
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.ledger.row import (
    PLACES,
    ChannelEntry,
    DecidedRange,
    Proven,
    ReadAgain,
    ResumeFrom,
    RunningTotals,
    Sending,
    ShardRow,
)
from firnline_ingest.ledger.standby import Standby, StandbyState
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
        "arrived": row.arrived_ms,
        "waits": row.held_back_ms,
        "since": row.since_ms,
        "retention": row.retention_hours,
        "sent_through": _token(row.sent_through),
        "sent": row.sent_ms,
        "is_sending": row.is_sending,
        "first_read": _token(row.first_read),
        "kept_through": _token(row.kept_through),
        "decided": [_decided_item(each) for each in row.decided],
        "channels": {name: _channel_item(entry) for name, entry in row.channels.items()},
        "ended": row.ended,
        "children": list(row.children),
        "routing": row.routing,
        "read_again": _read_again_item(row.read_again),
        "incidents": [_incident_item(incident) for incident in row.incidents],
        "reset": row.reset.value if row.reset else "",
        "untold": dict(row.untold),
        "counted_through": _token(row.counted_through),
        "totals": _totals_item(row.totals),
        "left_out": [mark.text for mark in row.left_out],
        "unusable": {str(minute): count for minute, count in row.unusable.items()},
        "stopped_by": row.stopped_by,
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
        arrived_ms=int(item["arrived"]),
        held_back_ms=int(item["waits"]),
        since_ms=int(item["since"]),
        retention_hours=int(item["retention"]),
        sent_through=_position(item["sent_through"]),
        sent_ms=int(item["sent"]),
        is_sending=item["is_sending"],
        first_read=_position(item["first_read"]),
        kept_through=_position(item["kept_through"]),
        decided=tuple(_decided(each) for each in item.get("decided", ())),
        channels={name: _channel_entry(entry) for name, entry in item["channels"].items()},
        ended=item["ended"],
        children=tuple(item["children"]),
        routing=item["routing"],
        read_again=_read_again(item.get("read_again", {})),
        incidents=tuple(_incident(incident) for incident in item["incidents"]),
        reset=ResumeFrom(item["reset"]) if item["reset"] else None,
        untold={name: int(count) for name, count in item.get("untold", {}).items()},
        counted_through=_position(item.get("counted_through")),
        totals=_totals(item.get("totals", {})),
        left_out=tuple(LeftOutMark.parse(each) for each in item.get("left_out", ())),
        unusable={int(minute): int(count) for minute, count in item.get("unusable", {}).items()},
        stopped_by=item.get("stopped_by", ""),
    )


def _read_again_item(again: ReadAgain | None) -> Item:
    return {"through": again.through.token, "routing": again.routing} if again else {}


def _read_again(item: Item) -> ReadAgain | None:
    return ReadAgain(Position.from_token(item["through"]), item["routing"]) if item else None


def _totals_item(totals: RunningTotals | None) -> Item:
    if totals is None:
        return {}
    return asdict(totals) | {name: _token(getattr(totals, name)) for name in PLACES}


def _totals(item: Item) -> RunningTotals | None:
    if not item:
        return None
    counts = {name: int(item[name]) for name in ("rows", "dead_letters")}
    places = {name: _position(item.get(name)) for name in PLACES}
    return RunningTotals(**{**item, **counts, **places})


def mark_to_item(mark: StreamMark) -> Item:
    """All but whether it is paused, which is written by itself."""
    incidents = [_incident_item(incident) for incident in mark.incidents]
    return {"incarnation": mark.incarnation, "start": mark.start, "incidents": incidents, "since": mark.since_ms}


def mark_from_item(item: Item) -> StreamMark:
    incidents = tuple(_incident(incident) for incident in item["incidents"])
    return StreamMark(
        item["incarnation"], item["start"], incidents, int(item["since"]), bool(item.get("paused", False))
    )


def consumer_to_item(record: ConsumerRecord) -> Item:
    return {
        "of_stream": record.stream,
        "consumer": record.name,
        "asked_by": record.id,
        "asked": record.asked_ms,
        "arn": record.arn,
    }


def consumer_from_item(item: Item) -> ConsumerRecord:
    return ConsumerRecord(item["of_stream"], item["consumer"], item["asked_by"], int(item["asked"]), item["arn"])


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
        "proven": _token(proven.position),
        "rows_inserted": proven.rows_inserted,
        "rows_error_count": proven.rows_error,
        "seen": _token(entry.seen),
        "missed": entry.missed,
        "created": entry.created_ms,
        **(_sending_item(entry.sending) if entry.sending else {}),
        **({"drops_through": _token(entry.drops_through)} if entry.drops_through else {}),
    }


def _sending_item(sending: Sending) -> Item:
    return {"sent_through": _token(sending.through), "sent": sending.ms, "is_sending": sending.is_on}


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
            _position(item["proven"]),
            int(item["rows_inserted"]),
            int(item["rows_error_count"]),
        ),
        seen=_position(item["seen"]),
        missed=item["missed"],
        created_ms=int(item["created"]),
        sending=_sending(item) if "is_sending" in item else None,
        drops_through=_position(item.get("drops_through")),
    )


def _sending(item: Item) -> Sending:
    return Sending(_position(item["sent_through"]), int(item["sent"]), item["is_sending"])


def _decided_item(decided: DecidedRange) -> Item:
    return {"first": decided.first.token, "through": decided.through.token, "refused": decided.refused}


def _decided(item: Item) -> DecidedRange:
    return DecidedRange(Position.from_token(item["first"]), Position.from_token(item["through"]), item["refused"])


def _incident_item(incident: Incident) -> Item:
    loss = (
        {name: value for name, value in asdict(incident.loss).items() if value is not None} if incident.loss else None
    )
    return {
        "kind": incident.kind.value,
        "at": incident.first_ms,
        "last": incident.last_ms,
        "count": incident.count,
        "detail": incident.detail,
        "after": _token(incident.after),
        "through": _token(incident.through),
        **({"table": incident.table} if incident.table else {}),
        **({"loss": loss} if loss is not None else {}),
    }


def _incident(item: Item) -> Incident:
    loss = item.get("loss")
    return Incident(
        IncidentKind(item["kind"]),
        int(item["at"]),
        item["detail"],
        through=_position(item["through"]),
        after=_position(item["after"]),
        loss=Loss(**{name: int(value) for name, value in loss.items()}) if loss is not None else None,
        count=int(item["count"]),
        last_ms=int(item["last"]),
        table=item.get("table", ""),
    )


def _token(position: Position | None) -> str:
    return position.token if position else ""


def _position(token: str | None) -> Position | None:
    return Position.from_token(token) if token else None


def standby_to_item(standby: Standby) -> Item:
    told = {name: getattr(standby, name) for name in Standby.__slots__ if name not in ("state", "displaced")}
    return {**told, "phase": standby.state.value, "displaced": list(standby.displaced)}


def standby_from_item(item: Item) -> Standby:
    told = {name: item[name] for name in Standby.__slots__ if name not in ("state", "beat", "displaced")}
    displaced = tuple(item.get("displaced", ()))
    return Standby(**told, state=StandbyState(item["phase"]), beat=int(item["beat"]), displaced=displaced)
