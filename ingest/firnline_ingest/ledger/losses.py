"""Records that were lost to retention, as the ledger has them on record, for a person."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from firnline_ingest.ledger.incident import Incident, IncidentKind, Loss
from firnline_ingest.ledger.row import ShardRow

LOSSES = {
    IncidentKind.RETENTION_LOSS,
    IncidentKind.UNPROVABLE_RANGE,
    IncidentKind.PARENT_UNREAD,
    IncidentKind.SHARD_UNREAD,
}


def losses(rows: Iterable[ShardRow]) -> Iterator[str]:
    """A sentence a loss, by shard."""
    for row in sorted(rows, key=lambda row: row.key.shard_id):
        for incident in row.incidents:
            if incident.kind in LOSSES:
                yield f"{row.key.shard_id}: {_told(incident)}"


def described(loss: Loss | None) -> str:
    """The loss in a person's words, including what is not known about it."""
    if loss is None or loss.to_ms is None:
        return "how much is not known"
    began = f"from {_time(loss.from_ms)} " if loss.from_ms else "from an unknown time "
    if loss.records is None:
        return f"what arrived {began}to {_time(loss.to_ms)}, how much is not known"
    return (
        f"what arrived {began}to {_time(loss.to_ms)}, about {loss.records:,} records and {loss.bytes or 0:,} bytes if there "
        "were as many a second as on the page that follows"
    )


def _told(incident: Incident) -> str:
    often = f", and again until {_time(incident.last_ms)}" if incident.count > 1 else ""
    return f"{incident.detail}; {described(incident.loss)} (seen {_time(incident.first_ms)}{often})"


def _time(ms: int) -> str:
    return f"{datetime.fromtimestamp(ms / 1000, UTC):%FT%TZ}"
