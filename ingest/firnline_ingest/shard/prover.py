"""Turns what the channel says into proofs, and proofs into the ledger's row."""

from dataclasses import dataclass, field, replace
from types import MappingProxyType

from firnline_ingest.config.model import Tolerance
from firnline_ingest.ledger.incident import Incident
from firnline_ingest.ledger.row import ChannelEntry, Proven, ShardRow
from firnline_ingest.shard.channel import ShardChannel
from firnline_ingest.shard.in_flight import InFlightRows
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.snowflake.errors import ChannelLost, RowsRejected

STALLED_S = 120.0  # as long as the SDK waits for another opener's rows


@dataclass(slots=True)
class Prover:
    """One shard's; not thread-safe. `row` is the ledger's row as last written by this process."""

    work: ShardWork
    services: ShardServices
    channel: ShardChannel
    in_flight: InFlightRows
    row: ShardRow
    tip_ms: int = 0
    incidents: list[Incident] = field(default_factory=list)
    waits_since_s: float | None = None

    def prove(self, now_s: float) -> bool:
        """Whether everything sent is proven now. Raises CountsDisagree, LedgerBehind, RowsRejected or ChannelLost."""
        confirmed = None if self.in_flight.is_empty else self.in_flight.confirm(self.channel.state(), now_s)
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

    def _wait(self, now_s: float) -> None:
        """Not for ever: whoever opens the channel discards rows that wait, and only an append would tell us."""
        if self.waits_since_s is None:
            self.waits_since_s = now_s
        elif now_s - self.waits_since_s > STALLED_S:
            raise ChannelLost(self.work.channel, f"nothing of it was committed for {STALLED_S:.0f} s")

    def write(self, *, ended: bool = False, children: tuple[str, ...] = ()) -> None:
        """Brings the ledger's row up to what is proven. Raises Fenced where the shard is another's by now."""
        entry = ChannelEntry(self.work.target, self.in_flight.proven)
        row = self.row
        for incident in self.incidents:
            row = row.with_incident(incident)
        row = replace(
            row,
            heartbeat_ms=self.services.now_ms(),
            read_through=self.in_flight.read_through,
            tip_ms=self.tip_ms if self.tip_ms and self.in_flight.is_empty else self.row.tip_ms,
            channels=MappingProxyType({**self.row.channels, self.work.channel: entry}),
            ended=ended,
            children=children,
        )
        self.services.ledger.write(row)
        self.row = row
        self.incidents.clear()
        self.services.observer(EpochStep.LEDGERED, self.work.key)

    def _refuse_rejected(self, confirmed: Proven) -> None:
        rejected = confirmed.rows_error - self.in_flight.proven.rows_error
        if rejected <= 0 or self.work.pipeline.tolerance is Tolerance.ALL:
            return
        accepted = self.row.accepted_errors_through
        assert confirmed.position is not None
        if accepted is None or confirmed.position > accepted:
            raise RowsRejected(
                self.work.key,
                str(self.work.target),
                rejected,
                up_to=confirmed.position.token,
                cause=self.channel.last_error(),
            )
