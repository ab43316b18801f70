"""Incidents in the ledger: ranges that can't be proven. They are never deleted, and their number per row is bounded.

A repeated incident is one entry with a count; past a maximum, the oldest are merged into one entry per kind and, for incidents of
a table, per table. So a row stays small whatever happens to its shard (docs/design/ledger.md, section 3).
"""

import logging
from dataclasses import dataclass, replace
from enum import StrEnum

from firnline_ingest.values import Position, ShardKey

MOST_INCIDENTS = 20  # in one row, beside the sums: about 15 KB of the 400 KB that an item may have
LONGEST_DETAIL = 500
OLDER = "older ones, summed up"

log = logging.getLogger(__name__)


class IncidentKind(StrEnum):
    RETENTION_LOSS = "retention_loss"
    UNPROVABLE_RANGE = "unprovable_range"
    LEDGER_REBUILT = "ledger_rebuilt"
    ACCEPTED_ERRORS = "accepted_errors"
    """Rows that a table rejected, and that a person looked at: they stop the shard no more."""
    ACCEPTED_EARLIER = "accepted_earlier"
    """The same, before a person resumed the shard from elsewhere: it says nothing of rows that are sent since."""
    REJECTED_UNSEEN = "rejected_unseen"
    """Rows that the table rejected in a range that was never proven: nobody was told of them one by one."""
    PARENT_UNREAD = "parent_unread"
    SHARD_UNREAD = "shard_unread"
    """A shard left the listing before it was read to its end."""
    STREAM_REPLACED = "stream_replaced"
    """The stream was deleted and recreated under its name."""
    CHANNEL_EXPIRED = "channel_expired"
    CHANNEL_DROPPED = "channel_dropped"
    """Snowflake's evolution made a column nullable, because a row lacked it."""
    RESUMED = "resumed"


@dataclass(frozen=True, slots=True)
class Loss:
    """The extent of a loss, as far as it can be measured."""

    from_ms: int | None = None
    """Arrival times of the first and of the last record that can be lost."""
    to_ms: int | None = None
    records: int | None = None
    """Estimates, of what the shard had per second around the gap."""
    bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that happened once or more often."""

    kind: IncidentKind
    first_ms: int
    detail: str
    through: Position | None = None
    """The last position that is concerned."""
    after: Position | None = None
    """Where the concerned range begins, which tells one loss from the next: its end moves while records expire."""
    loss: Loss | None = None
    count: int = 1
    last_ms: int = 0
    table: str = ""
    """The one that is concerned, of a shard that has several; empty where the whole shard is."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "last_ms", max(self.last_ms, self.first_ms))
        object.__setattr__(self, "detail", self.detail[:LONGEST_DETAIL])

    @property
    def of(self) -> tuple[IncidentKind, str]:
        """The key by which incidents are summed up together."""
        return self.kind, self.table

    def is_again(self, before: "Incident") -> bool:
        """Returns whether this is what `before` was about."""
        if self.of != before.of:
            return False
        return self.after == before.after if self.after or before.after else self.detail == before.detail

    def joined(self, before: "Incident") -> "Incident":
        """The two as one incident; the newer one describes it better."""
        return replace(
            self,
            first_ms=min(self.first_ms, before.first_ms),
            last_ms=max(self.last_ms, before.last_ms),
            count=self.count + before.count,
            through=max(filter(None, (self.through, before.through)), default=None),
            loss=self.loss or before.loss,
        )


def with_incident(incidents: tuple[Incident, ...], new: Incident) -> tuple[Incident, ...]:
    """The incidents with this one added, in the order in which they last happened; the sums of older ones come first."""
    before = next((each for each in incidents if new.is_again(each)), None)
    kept = [each for each in incidents if each is not before]
    kept.append(new.joined(before) if before else new)
    sums = {each.of: each for each in kept if each.detail == OLDER}
    plain = [each for each in kept if each.detail != OLDER]
    while len(plain) > MOST_INCIDENTS:
        oldest = plain.pop(0)
        sums[oldest.of] = _summed(sums.get(oldest.of), oldest)
    return (*sums.values(), *plain)


def without_acceptances(incidents: tuple[Incident, ...]) -> tuple[Incident, ...]:
    """The same incidents, of which no acceptance of rejected rows holds any more."""
    kept: tuple[Incident, ...] = ()
    for each in incidents:
        is_acceptance = each.kind is IncidentKind.ACCEPTED_ERRORS
        kept = with_incident(kept, replace(each, kind=IncidentKind.ACCEPTED_EARLIER) if is_acceptance else each)
    return kept


def _summed(older: Incident | None, one: Incident) -> Incident:
    one = replace(one, detail=OLDER, after=None)
    return replace(one.joined(older), loss=_sum(older.loss, one.loss)) if older else one


def _sum(left: Loss | None, right: Loss | None) -> Loss | None:
    if left is None or right is None:
        return left or right
    return Loss(
        from_ms=min(filter(None, (left.from_ms, right.from_ms)), default=None),
        to_ms=max(filter(None, (left.to_ms, right.to_ms)), default=None),
        records=_plus(left.records, right.records),
        bytes=_plus(left.bytes, right.bytes),
    )


def _plus(left: int | None, right: int | None) -> int | None:
    return None if left is None and right is None else (left or 0) + (right or 0)


def log_incident(key: ShardKey, incident: Incident) -> None:
    """Logs an incident for a person, once it is in the ledger."""
    loss = incident.loss
    measured = (
        {"from_ms": loss.from_ms, "to_ms": loss.to_ms, "records": loss.records, "bytes": loss.bytes} if loss else {}
    )
    extra = {"shard": str(key), "incident": incident.kind.value, "what": incident.detail, **measured}
    log.warning("shard.incident", extra=extra)
