"""Writes a shard's row of the ledger, for one session.

Whether rows may be in flight is written before the first of them is appended, and how far dead letters reach before the first
of them is kept (docs/design/ledger.md, sections 3 and 4).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from firnline_ingest.ledger.incident import Incident, log_incident
from firnline_ingest.ledger.row import ChannelEntry, DecidedRange, Sending, ShardRow
from firnline_ingest.shard.channel_writer import ChannelWriter
from firnline_ingest.shard.work import ShardServices
from firnline_ingest.snowflake.channel_errors import ChannelLost
from firnline_ingest.values import Fence, Position

UNUSED_MS = 24 * 3_600_000  # far less than a channel lives unused, and no bother
QUIET_MS = 60_000  # a shard that appends now and then should not have to say so each time


@dataclass(slots=True)
class LedgerWriter:
    """Writes the ledger for one session; not thread-safe. `row` is the ledger's row as last written by this process."""

    services: ShardServices
    row: ShardRow
    noted: Callable[[Incident], None]
    """Called with each incident once the ledger has it."""
    incidents: list[Incident] = field(default_factory=list)
    """Those that the next row takes along."""

    @property
    def fence(self) -> Fence:
        return self.row.fence

    def before_append(self, writer: ChannelWriter) -> None:
        """Has the ledger say that rows may be in flight, unless it does already. Raises as `write`.

        Raises ChannelLost for a channel that may have expired meanwhile: as long as nothing is in flight that can be known from
        one that was dropped.
        """
        now_ms, writer.sent_ms = self.services.now_ms(), writer.sent_ms or writer.opened_ms
        is_sending = self.row.sending_of(writer.name).is_on
        if not is_sending and now_ms - writer.sent_ms > UNUSED_MS:
            raise ChannelLost(writer.name, "nothing was sent to it for a day")
        writer.sent_ms = now_ms
        if is_sending:
            return
        channels = self.row.channels
        if sending := channels[writer.name].sending:
            channels = with_sending(channels, {writer.name: replace(sending, is_on=True)})
        self.write(replace(self.row, is_sending=True, channels=channels))

    def before_keeping(self, through: Position | None, decided: Sequence[DecidedRange]) -> None:
        """Has the ledger say how far dead letters reach before they are kept, and which of them are not by the record alone:
        another configuration, and another reading, might make rows of those records. Raises as `write`.
        """
        kept_through = max(filter(None, (through, self.row.kept_through)), default=None)
        row = replace(self.row.with_decided(decided), kept_through=kept_through)
        if row != self.row:
            self.write(row)

    def begins_with(self, first: Position) -> None:
        """Notes the oldest record of a shard that has not been read through yet; the ledger has it with whatever is written next,
        which is before the first row is appended.
        """
        if self.row.read_through is None and self.row.first_read is None:
            self.row = replace(self.row, first_read=first)

    def write(self, row: ShardRow) -> None:
        """Raises Fenced if the shard is another's by now."""
        self.services.ledger.write(row)
        self.row = row

    def write_with_incidents(self, row: ShardRow) -> None:
        """Raises as `write`; then the incidents are noted for the next time."""
        for incident in self.incidents:
            row = row.with_incident(incident)
        self.write(row)
        for incident in self.incidents:
            log_incident(row.key, incident)
            self.noted(incident)
        self.incidents.clear()

    def entry(self, writer: ChannelWriter, read_through: Position | None) -> ChannelEntry:
        """Returns the channel's part of the row, up to what is proven in it."""
        entry, line, proven = self.row.channels[writer.name], writer.drops_through, writer.in_flight.proven
        known = max(filter(None, (read_through, proven.position)), default=None)
        is_passed = line is None or (known is not None and known >= line)
        seen = writer.seen or entry.seen
        return replace(entry, proven=proven, seen=seen, missed="", drops_through=None if is_passed else line)


def with_what_was_sent(row: ShardRow, writers: list[ChannelWriter], *, is_last: bool) -> ShardRow:
    """Returns the row with what was sent when, and whether more may have been: the shard's, and each channel's of several."""
    sent = {writer.name: _sending(row, writer, is_last) for writer in writers}
    row = replace(
        row,
        sent_through=max(filter(None, (each.through for each in sent.values())), default=None),
        sent_ms=max(each.ms for each in sent.values()),
        is_sending=any(each.is_on for each in sent.values()),
    )
    return row if len(sent) == 1 else replace(row, channels=with_sending(row.channels, sent))


def with_sending(channels: Mapping[str, ChannelEntry], sent: Mapping[str, Sending]) -> Mapping[str, ChannelEntry]:
    return MappingProxyType({**channels, **{name: replace(channels[name], sending=sent[name]) for name in sent}})


def _sending(row: ShardRow, writer: ChannelWriter, is_last: bool) -> Sending:
    before, in_flight = row.sending_of(writer.name), writer.in_flight
    is_quiet = in_flight.is_empty and (is_last or row.heartbeat_ms - writer.sent_ms > QUIET_MS)
    through = max(filter(None, (before.through, in_flight.sent_through)), default=None)
    return Sending(through, writer.sent_ms or before.ms, before.is_on and not is_quiet)
