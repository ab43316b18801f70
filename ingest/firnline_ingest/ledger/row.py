"""What the ledger knows of one shard (docs/design/ledger.md, section 3).

A row is written after the fact and never ahead of a proof. Values only: reading and writing is the backend's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from firnline_ingest.kinesis.start import Pin
from firnline_ingest.values import Fence, Position, ShardKey, TargetTable


@dataclass(frozen=True, slots=True)
class Proven:
    """A channel's last proof: everything up to the position is in the table, or accepted as rejected.

    The counters are the channel's own, cumulative since it was made.
    """

    position: Position | None = None
    rows_inserted: int = 0
    rows_error: int = 0


@dataclass(frozen=True, slots=True)
class ChannelEntry:
    """A channel that was opened for the shard, listed before its first append."""

    target: TargetTable
    proven: Proven = Proven()


class IncidentKind(StrEnum):
    RETENTION_LOSS = "retention_loss"
    UNPROVABLE_RANGE = "unprovable_range"
    LEDGER_REBUILT = "ledger_rebuilt"
    ACCEPTED_ERRORS = "accepted_errors"
    PARENT_UNREAD = "parent_unread"
    RESUMED = "resumed"


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that a proof can't cover; kept for ever."""

    kind: IncidentKind
    at_ms: int
    detail: str
    through: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardRow:
    """One row of the ledger."""

    key: ShardKey
    start: Pin
    fence: Fence = field(default_factory=Fence)
    heartbeat_ms: int = 0
    read_through: Position | None = None
    """Every record up to here is in a proven range, a durable dead letter, or filtered and counted."""
    tip_ms: int = 0
    """When the reader last stood at the shard's tip with all of it accounted for: nothing older can be lost."""
    channels: Mapping[str, ChannelEntry] = field(default_factory=lambda: MappingProxyType({}))
    ended: bool = False
    children: tuple[str, ...] = ()
    routing: str = ""
    incidents: tuple[Incident, ...] = ()

    @property
    def accepted_errors_through(self) -> Position | None:
        """Rejected rows up to here were accepted by a person."""
        accepted = [
            incident.through
            for incident in self.incidents
            if incident.kind is IncidentKind.ACCEPTED_ERRORS and incident.through is not None
        ]
        return max(accepted, default=None)
