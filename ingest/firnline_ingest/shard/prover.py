"""Turns what the channel says into proofs, and proofs into the ledger's row."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.ledger.row import ChannelEntry, Proven, ShardRow
from firnline_ingest.shard.channel import ShardChannel
from firnline_ingest.shard.in_flight import InFlightRows
from firnline_ingest.shard.incidents import Noted, log_incident, uncounted
from firnline_ingest.shard.rejected import refuse_rejected
from firnline_ingest.shard.retention import RetentionWatch
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.snowflake.errors import ChannelLost, ChannelStalled, RowsRejected, SnowflakeUnavailable
from firnline_ingest.values import ChannelState, Position

UNUSED_MS = 24 * 3_600_000  # far less than a channel lives unused, and no bother
QUIET_MS = 60_000  # a shard that appends now and then should not have to say so each time
STALLED_S = 120.0  # as long as the SDK waits for another opener's rows


@dataclass(slots=True)
class Prover:
    """One shard's; not thread-safe. `row` is the ledger's row as last written by this process."""

    work: ShardWork
    services: ShardServices
    channel: ShardChannel
    in_flight: InFlightRows
    row: ShardRow
    retention: RetentionWatch
    incidents: list[Incident] = field(default_factory=list)
    noted: Noted = uncounted
    proved: Callable[[int], None] = lambda _: None
    """Told how many milliseconds the oldest rows have waited for their proof, with each look at what waits."""
    rejected: Callable[[int, str], None] = lambda *_: None
    """Told how many rows the table refused, once they are found."""
    waits_since_s: float | None = None
    waits_ms: int = 0
    """What arrived before was handed on, where a later record waits for the other shards."""
    patience: int = 1
    """How many times STALLED_S a commit may take."""
    _seen: Position | None = None
    _sent_ms: int = 0
    _opened_ms: int = 0

    def __post_init__(self) -> None:
        self._opened_ms = self.services.now_ms()

    def prove(self, now_s: float) -> bool:
        """Whether everything sent is proven now. Raises CountsDisagree, LedgerBehind, RowsRejected or ChannelLost."""
        sent_s = self.in_flight.waits_since_s
        confirmed = None if self.in_flight.is_empty else self.in_flight.confirm(self._state(), now_s)
        if sent_s is not None:
            self.proved(max(0, int((now_s - sent_s) * 1000)))
        if confirmed is not None:
            self.services.observer(EpochStep.COMMITTED, self.work.key)
            self._refuse_rejected(confirmed)
            self.in_flight.accept(confirmed)
            self.services.observer(EpochStep.PROVEN, self.work.key)
        if confirmed is not None or self.in_flight.is_empty:
            self.waits_since_s = None
        else:
            self._wait(now_s)
        return self.in_flight.is_empty

    def _state(self) -> ChannelState:
        state = self.channel.state()
        self._seen = max(filter(None, (state.committed, self._seen)), default=None)
        return state

    def _wait(self, now_s: float) -> None:
        """Not for ever: whoever opens the channel discards rows that wait, and only an append would tell us."""
        if self.waits_since_s is None:
            self.waits_since_s = now_s
        elif now_s - self.waits_since_s > STALLED_S * self.patience:
            raise ChannelStalled(self.work.channel, STALLED_S * self.patience)

    def overdue(self, now_s: float) -> SnowflakeUnavailable | None:
        """What to tell of a commit that takes longer than usual, before the channel is opened again for it."""
        waits_s = 0.0 if self.waits_since_s is None else now_s - self.waits_since_s
        if waits_s <= STALLED_S:
            return None
        return SnowflakeUnavailable(f"commit the rows of {self.work.channel}", f"they wait for {waits_s:.0f} s")

    def sends(self) -> None:
        """Before rows are appended: the ledger says so first, unless it does already. Raises as `write`, and ChannelLost for
        a channel that may have expired meanwhile: as long as nothing is in flight that can be told from one that was dropped.
        """
        now_ms, self._sent_ms = self.services.now_ms(), self._sent_ms or self._opened_ms
        if not self.row.is_sending and now_ms - self._sent_ms > UNUSED_MS:
            raise ChannelLost(self.work.channel, "nothing was sent to it for a day")
        self._sent_ms = now_ms
        if not self.row.is_sending:
            self._write(replace(self.row, is_sending=True))

    def write(self, *, ended: bool = False, children: tuple[str, ...] = (), is_last: bool = False) -> None:
        """Brings the ledger's row up to what is proven. Raises Fenced where the shard is another's by now.

        `is_last`: nothing is appended after it. The row then says that all is quiet, where everything is proven.
        """
        entry = replace(self._entry, proven=self.in_flight.proven, seen=self._seen or self._entry.seen, missed="")
        now_ms = self.services.now_ms()
        is_quiet = self.in_flight.is_empty and (is_last or ended or now_ms - self._sent_ms > QUIET_MS)
        row = self.row
        for incident in self.incidents:
            row = row.with_incident(incident)
        known = self.retention.known(self.in_flight.read_through, is_all=self.in_flight.is_empty)
        row = replace(
            row,
            heartbeat_ms=now_ms,
            read_through=self.in_flight.read_through,
            tip_ms=known.tip_ms,
            arrived_ms=known.arrived_ms,
            waits_ms=max(row.waits_ms, self.waits_ms),
            retention_hours=known.retention_hours,
            sent_through=max(filter(None, (self.row.sent_through, self.in_flight.sent_through)), default=None),
            sent_ms=self._sent_ms or self.row.sent_ms,
            is_sending=self.row.is_sending and not is_quiet,
            channels=MappingProxyType({**self.row.channels, self.work.channel: entry}),
            ended=ended,
            children=children,
        )
        self._write(row)
        for incident in self.incidents:
            log_incident(row.key, incident)
            self.noted(incident)
        self.incidents.clear()
        self.services.observer(EpochStep.LEDGERED, self.work.key)

    @property
    def has_news(self) -> bool:
        """Whether the ledger has to know at once: that the channel has committed anything at all tells a channel that was
        dropped from one that is new.
        """
        return self._seen is not None and self._entry.seen is None

    def rebase(self, state: ChannelState) -> None:
        """Counts from what the channel says on: what lies before can't be proven. Raises RowsRejected, where that takes
        rejected rows along.
        """
        assert state.committed is not None
        before = self.in_flight.proven.rows_error
        if state.rows_error > before:
            detail = f"{state.rows_error - before} rows were rejected up to {state.committed.token}, and no proof had shown them"
            now_ms = self.services.now_ms()
            self.incidents.append(Incident(IncidentKind.REJECTED_UNSEEN, now_ms, detail, state.committed))
        baseline = Proven(state.committed, state.rows_inserted, state.rows_error)
        try:
            self._refuse_rejected(baseline)
        except RowsRejected:
            self.write()
            raise
        self.in_flight.rebase(baseline)

    @property
    def _entry(self) -> ChannelEntry:
        return self.row.channels[self.work.channel]

    def _write(self, row: ShardRow) -> None:
        self.services.ledger.write(row)
        self.row = row

    def _refuse_rejected(self, confirmed: Proven) -> None:
        assert confirmed.position is not None
        rejected = confirmed.rows_error - self.in_flight.proven.rows_error
        cause = self.channel.last_error()
        if rejected > 0:
            self.rejected(rejected, cause)
        refuse_rejected(self.work, self.row, rejected, up_to=confirmed.position, cause=cause)
