"""What a shard's session writes into the ledger: its row, brought up to what its channels have proven.

Never ahead of a proof, and whether rows may be in flight is written before the first of them is appended
(docs/design/ledger.md, sections 3 and 4).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from firnline_ingest.ledger.incident import Incident
from firnline_ingest.ledger.row import ChannelEntry, Sending, ShardRow
from firnline_ingest.shard.incidents import Noted, log_incident, uncounted
from firnline_ingest.shard.outlet import Outlet
from firnline_ingest.shard.outlets import Outlets
from firnline_ingest.shard.retention import RetentionWatch
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.snowflake.errors import ChannelLost, RowsRejected
from firnline_ingest.values import ChannelState, Position

UNUSED_MS = 24 * 3_600_000  # far less than a channel lives unused, and no bother
QUIET_MS = 60_000  # a shard that appends now and then should not have to say so each time


@dataclass(slots=True)
class Books:
    """One session's; not thread-safe. `row` is the ledger's row as last written by this process."""

    work: ShardWork
    services: ShardServices
    row: ShardRow
    retention: RetentionWatch
    outlets: Outlets
    noted: Noted = uncounted
    incidents: list[Incident] = field(default_factory=list)
    waits_ms: int = 0
    """What arrived before was handed on, where a later record waits for the other shards."""

    def sends(self, outlet: Outlet) -> None:
        """Before rows are appended: the ledger says so first, unless it does already. Raises as `write`, and ChannelLost for
        a channel that may have expired meanwhile: as long as nothing is in flight that can be told from one that was dropped.
        """
        now_ms, outlet.sent_ms = self.services.now_ms(), outlet.sent_ms or outlet.opened_ms
        is_told = self.row.sending_of(outlet.name).is_on
        if not is_told and now_ms - outlet.sent_ms > UNUSED_MS:
            raise ChannelLost(outlet.name, "nothing was sent to it for a day")
        outlet.sent_ms = now_ms
        if is_told:
            return
        channels = self.row.channels
        if sending := channels[outlet.name].sending:
            channels = with_sending(channels, {outlet.name: replace(sending, is_on=True)})
        self._write(replace(self.row, is_sending=True, channels=channels))

    def keeps(self, through: Position) -> None:
        """Before dead letters are kept, the furthest of them of the record at `through`: the ledger says so first. Another
        configuration might make rows of those records. Raises as `write`.
        """
        if self.row.kept_through is None or through > self.row.kept_through:
            self._write(replace(self.row, kept_through=through))

    def begins_with(self, first: Position) -> None:
        """The oldest record of a shard that nobody has read through yet; the ledger has it with what is written next, which is
        before the first row is appended.
        """
        if self.row.read_through is None and self.row.first_read is None:
            self.row = replace(self.row, first_read=first)

    def write(self, *, ended: bool = False, children: tuple[str, ...] = (), is_last: bool = False) -> None:
        """Brings the ledger's row up to what is proven. Raises Fenced where the shard is another's by now.

        `is_last`: nothing is appended after it. The row then says that all is quiet, where everything is proven.
        """
        now_ms, read_through = self.services.now_ms(), self.outlets.read_through
        row = self.row
        for incident in self.incidents:
            row = row.with_incident(incident)
        known = self.retention.known(read_through, is_all=self.outlets.is_empty)
        entries = {outlet.name: self._entry(outlet, read_through) for outlet in self.outlets}
        row = replace(
            row,
            heartbeat_ms=now_ms,
            read_through=read_through,
            first_read=None if read_through else row.first_read,
            tip_ms=known.tip_ms,
            arrived_ms=known.arrived_ms,
            waits_ms=max(row.waits_ms, self.waits_ms),
            retention_hours=known.retention_hours,
            ended=ended,
            children=children,
            channels=MappingProxyType({**row.channels, **entries}),
        )
        self._write(self._with_what_was_sent(row, is_last or ended))
        for incident in self.incidents:
            log_incident(row.key, incident)
            self.noted(incident)
        self.incidents.clear()
        self.services.observer(EpochStep.LEDGERED, self.work.key)

    @property
    def has_news(self) -> bool:
        """Whether the ledger has to know at once: that a channel has committed anything at all tells one that was dropped from
        one that is new.
        """
        return any(outlet.prover.seen and not self.row.channels[outlet.name].seen for outlet in self.outlets)

    def rebase(self, outlet: Outlet, state: ChannelState) -> None:
        """Prover.rebase, with the rejected rows that it takes along as an incident."""
        if unseen := outlet.prover.taken_along(state):
            self.incidents.append(unseen)
        try:
            outlet.prover.rebase(state)
        except RowsRejected:
            self.write()
            raise

    def _entry(self, outlet: Outlet, read_through: Position | None) -> ChannelEntry:
        entry, line, proven = self.row.channels[outlet.name], outlet.drops_through, outlet.in_flight.proven
        known = max(filter(None, (read_through, proven.position)), default=None)
        is_passed = line is None or (known is not None and known >= line)
        seen = outlet.prover.seen or entry.seen
        return replace(entry, proven=proven, seen=seen, missed="", drops_through=None if is_passed else line)

    def _with_what_was_sent(self, row: ShardRow, is_last: bool) -> ShardRow:
        """What was sent when, and whether more may have been: the shard's, and each channel's where it has several."""
        sent = {outlet.name: self._sending(row, outlet, is_last) for outlet in self.outlets}
        row = replace(
            row,
            sent_through=max(filter(None, (each.through for each in sent.values())), default=None),
            sent_ms=max(each.ms for each in sent.values()),
            is_sending=any(each.is_on for each in sent.values()),
        )
        if len(sent) == 1:
            return row
        return replace(row, channels=with_sending(row.channels, sent))

    def _sending(self, row: ShardRow, outlet: Outlet, is_last: bool) -> Sending:
        before, in_flight = row.sending_of(outlet.name), outlet.in_flight
        is_quiet = in_flight.is_empty and (is_last or row.heartbeat_ms - outlet.sent_ms > QUIET_MS)
        through = max(filter(None, (before.through, in_flight.sent_through)), default=None)
        return Sending(through, outlet.sent_ms or before.ms, before.is_on and not is_quiet)

    def _write(self, row: ShardRow) -> None:
        self.services.ledger.write(row)
        self.row = row


def with_sending(channels: Mapping[str, ChannelEntry], sent: Mapping[str, Sending]) -> Mapping[str, ChannelEntry]:
    return MappingProxyType({**channels, **{name: replace(channels[name], sending=sent[name]) for name in sent}})
