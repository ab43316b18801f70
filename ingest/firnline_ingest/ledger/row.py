"""The ledger's row of one shard (docs/design/ledger.md, section 3).

A row is written after the fact and never ahead of a proof. Values only: reading and writing is the backend's.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar, Self

from firnline_ingest.kinesis.start import Pin
from firnline_ingest.ledger.incident import Incident, IncidentKind, with_incident
from firnline_ingest.ledger.left_out import LeftOutMark
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
class Sending:
    """The last append to a channel: its end, when it was made, and whether more may have been handed over since."""

    through: Position | None = None
    ms: int = 0
    is_on: bool = False


@dataclass(frozen=True, slots=True)
class ChannelEntry:
    """A channel that was opened for the shard, listed before its first append."""

    target: TargetTable
    proven: Proven = Proven()
    seen: Position | None = None
    """The last committed token that anybody saw, proven or not: where it is gone, the channel is."""
    missed: str = ""
    """The epoch, as TargetSnapshot.id has it, whose opening found no token where there had been one."""
    created_ms: int = 0
    """The time at which the channel was made that was listed here, by the service's clock."""
    sending: Sending | None = None
    """Of a channel beside others; the row's own where the shard has one."""
    drops_through: Position | None = None
    """The drop line, of a channel that was restarted: what is not beyond it was proven in the one before, and is never
    appended again. Or what was settled, refused records too, while another channel held the shard back. None where the shard
    has read past it.
    """

    @property
    def settled_through(self) -> Position | None:
        """Whatever goes to the channel up to here has been proven, in it or in the one before."""
        return max(filter(None, (self.proven.position, self.drops_through)), default=None)


class ResumeFrom(StrEnum):
    """Decision of a person about a shard that the engine refused (ledger/resume.py)."""

    PROVEN = "proven"
    TRIM_HORIZON = "trim-horizon"


MOST_DECIDED = 200  # far more than there can be: the ledger passes them one after the other


@dataclass(frozen=True, slots=True)
class DecidedRange:
    """Records that are dead letters by another's word than their own, and stay so when they are read again.

    Of a range that a registry had no schema for, none is a row. Of a record that Snowflake refused, no row from `first` on is.
    """

    first: Position
    through: Position
    refused: str = ""
    """Snowflake's words; empty where it was a registry's."""


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """Order of a person to read again from the horizon: another conversion may have made rows of its dead letters."""

    through: Position
    """The furthest record that had been read then, or of which a dead letter may have been kept."""
    routing: str = ""
    """The conversion by which its records were made rows, before that begins by the last ones; SEVERAL where there were two."""

    SEVERAL: ClassVar[str] = "several"

    def begun(self, routing: str, *, keeps_rows: bool) -> "ReadAgain":
        """The same when reading begins by this conversion. `keeps_rows`: the table has rows of earlier ones."""
        return self.by(routing, None) if keeps_rows else replace(self, routing=routing)

    def by(self, routing: str, read_through: Position | None) -> "ReadAgain":
        """The same when the shard is opened with this conversion, having been read so far."""
        if self.routing in ("", routing):
            return replace(self, routing=routing)
        is_over = read_through is not None and read_through >= self.through
        return self if is_over else replace(self, routing=self.SEVERAL)


PLACES = ("through", "reported_through", "tallied_through")
"""The positions among running totals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningTotals:
    """Counts of a shard up to a position: each process that counts up to it has the same."""

    through: Position
    rows: int = 0
    dead_letters: int = 0
    begun_by: str = ""
    """The owner of the opening that began to count with nothing; empty where a row was lost, and the counts of before with it."""
    has_all_rows: bool = True
    """False where it began behind the shard's first record, and the rows of before are unknown."""
    reported_through: Position | None = None
    """How far dead letters are counted, where that is beyond `through`. Of a receipt's totals, and of a row that was lost and
    goes on with them until it has come so far."""
    tallied_through: Position | None = None
    """How far the receipt, and those before it, have counted everything else; of the same."""

    @property
    def known_through(self) -> Position:
        """The position up to which all dead letters are among these."""
        return max(self.through, self.reported_through or self.through)

    def goes_on_from(self, reported: "RunningTotals") -> bool:
        """Returns whether a row that was lost goes on with exactly these."""
        names = "begun_by", "dead_letters", "tallied_through"
        is_same = all(getattr(self, name) == getattr(reported, name) for name in names)
        return is_same and self.reported_through == reported.known_through

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Reads what `asdict` made."""
        places = {name: Position(**found[name]) if found[name] else None for name in PLACES}
        return cls(**{**found, **places})

    @property
    def has_all_letters(self) -> bool:
        return self.has_all_rows and self.begun_by != ""


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
    """Service time of the last answer that showed the shard open and read to its tip: what arrived before is accounted for."""
    arrived_ms: int = 0
    """The time at which the record at `read_through` arrived; service time."""
    held_back_ms: int = 0
    """Service time before the arrival of a record that waits until the other shards have come as far; no proof of anything."""
    since_ms: int = 0
    """Service time since when what arrives in the shard is ours; what arrived before was not asked for, or had no shard yet."""
    sent_through: Position | None = None
    """The end of the last append when this was written; equal to what is proven where nothing was in flight."""
    sent_ms: int = 0
    """The time at which that append was made; 0 where there was none yet."""
    is_sending: bool = False
    """True if rows may have been appended after this was written: set before the first append, cleared when all is quiet."""
    first_read: Position | None = None
    """The oldest record that was there when the shard was first read from its horizon, until something is read through."""
    kept_through: Position | None = None
    """The furthest record of which a dead letter may have been kept: written before it is."""
    decided: tuple[DecidedRange, ...] = ()
    """Beyond what was read through, the dead letters that another reading could decide otherwise; written before they are."""
    channels: Mapping[str, ChannelEntry] = field(default_factory=lambda: MappingProxyType({}))
    ended: bool = False
    children: tuple[str, ...] = ()
    routing: str = ""
    read_again: ReadAgain | None = None
    """Set by a person's decision for the horizon, if anything had been read; kept ever after."""
    incidents: tuple[Incident, ...] = ()
    """Merged and bounded: a new one is added by `with_incident` only."""
    reset: ResumeFrom | None = None
    """A person's decision that no opening has carried out yet: a row that knows nothing, and is not new."""

    untold: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Counts up to `totals.through` that no receipt had reported yet: the next process reports them where this one is lost."""
    totals: RunningTotals | None = None
    """Counts, reported or not; None in a row that was not opened yet, or by an earlier release only."""
    counted_through: Position | None = None
    left_out: tuple[LeftOutMark, ...] = ()
    """The records that the pipeline's query dropped up to `read_through`: the last mark stands there, or these are of before."""
    unusable: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))
    """How many unusable records up to `counted_through` arrived in each minute (since 1970) of the last ones that had any, where
    the pipeline has a limit of them."""
    stopped_by: str = ""
    """The limit of unusable records that the shard stopped at, with the minute and the configuration; empty where it did not."""

    @property
    def was_never_written(self) -> bool:
        """True if nothing was ever proven, lost or decided of the shard: whoever had it before was lost in front of its first
        checkpoint."""
        return self.read_through is None and self.reset is None and self.read_again is None and not self.incidents

    def with_incident(self, incident: Incident) -> Self:
        return replace(self, incidents=with_incident(self.incidents, incident))

    retention_hours: int = 0
    """The stream's when the shard was last read: a longer one does not bring back what left before."""

    @property
    def is_new(self) -> bool:
        """True if it was taken and nothing else: no opening has come to its end, no person has decided anything."""
        return self.read_through is None and not self.channels and not self.reset

    @property
    def has_letters_ahead(self) -> bool:
        """True if a record beyond what was read through may be a dead letter already."""
        kept, read = self.kept_through, self.read_through
        return kept is not None and (read is None or kept > read)

    def sending_of(self, channel: str) -> Sending:
        """Returns what was sent to one of its channels, as far as this row says."""
        own = self.channels[channel].sending if channel in self.channels else None
        return own or Sending(self.sent_through, self.sent_ms, self.is_sending)

    def as_of(self, channel: str) -> Self:
        """The row as it would be if the shard had no other channel."""
        sending = self.sending_of(channel)
        return replace(self, sent_through=sending.through, sent_ms=sending.ms, is_sending=sending.is_on)

    def with_decided(self, decided: Iterable[DecidedRange]) -> Self:
        return replace(self, decided=tuple(dict.fromkeys((*self.decided, *decided)))[-MOST_DECIDED:])

    @property
    def known_ms(self) -> int:
        """Arrival time before which everything is accounted for, as far as reading has shown it; 0 if nothing has."""
        return max(self.tip_ms, self.arrived_ms) or self.since_ms

    def accepted_errors_through(self, table: str) -> Position | None:
        """Rows that a table rejected up to here were accepted by a person: of that one, or of all that the shard has."""
        accepted = [
            incident.through
            for incident in self.incidents
            if incident.kind is IncidentKind.ACCEPTED_ERRORS and incident.through and incident.table in ("", table)
        ]
        return max(accepted, default=None)
