"""Turns what one channel says into proofs. What becomes of them is the books' (books.py)."""

from collections.abc import Callable
from dataclasses import dataclass

from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.ledger.row import Proven, ShardRow
from firnline_ingest.shard.rejected import refuse_rejected
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import Destination, ShardServices, ShardWork
from firnline_ingest.snowflake.channel import ShardChannel
from firnline_ingest.snowflake.errors import ChannelStalled, SnowflakeUnavailable
from firnline_ingest.snowflake.in_flight import InFlightRows
from firnline_ingest.values import ChannelState, Position

STALLED_S = 120.0  # as long as the SDK waits for another opener's rows


@dataclass(slots=True)
class Prover:
    """One channel's; not thread-safe."""

    work: ShardWork
    services: ShardServices
    destination: Destination
    channel: ShardChannel
    in_flight: InFlightRows
    opened: ShardRow
    """The ledger's row as it was when the channel was opened: what a person accepted is in it."""
    proved: Callable[[int], None] = lambda _: None
    """Told how many milliseconds the oldest rows have waited for their proof, with each look at what waits."""
    rejected: Callable[[int, str, str], None] = lambda *_: None
    """Told how many rows the table refused, once they are found, for what, and at or before which token the last of them is."""
    patience: int = 1
    """How many times STALLED_S a commit may take."""
    error_through: Position | None = None
    """Where the server says that the last row it rejected can be at most."""
    seen: Position | None = None
    """The furthest committed token that any answer had."""
    waits_since_s: float | None = None

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

    def overdue(self, now_s: float) -> SnowflakeUnavailable | None:
        """What to tell of a commit that takes longer than usual, before the channel is opened again for it."""
        waits_s = 0.0 if self.waits_since_s is None else now_s - self.waits_since_s
        if waits_s <= STALLED_S:
            return None
        return SnowflakeUnavailable(f"commit the rows of {self.destination.channel}", f"they wait for {waits_s:.0f} s")

    def taken_along(self, state: ChannelState) -> Incident | None:
        """The rejected rows that counting from `state` on would take along, of which no proof has told."""
        assert state.committed is not None
        unseen = state.rows_error - self.in_flight.proven.rows_error
        if unseen <= 0:
            return None
        detail = f"{unseen} rows were rejected up to {state.committed.token}, and no proof had shown them"
        return Incident(IncidentKind.REJECTED_UNSEEN, self.services.now_ms(), detail, state.committed)

    def rebase(self, state: ChannelState) -> None:
        """Counts from what the channel says on: what lies before can't be proven. Raises RowsRejected, where that takes
        rejected rows along.
        """
        baseline = Proven(state.committed, state.rows_inserted, state.rows_error)
        self._refuse_rejected(baseline)
        self.in_flight.rebase(baseline)

    def _state(self) -> ChannelState:
        state = self.channel.state()
        self.seen = max(filter(None, (state.committed, self.seen)), default=None)
        self.error_through = state.error_through
        return state

    def _wait(self, now_s: float) -> None:
        """Not for ever: whoever opens the channel discards rows that wait, and only an append would tell us."""
        if self.waits_since_s is None:
            self.waits_since_s = now_s
        elif now_s - self.waits_since_s > STALLED_S * self.patience:
            raise ChannelStalled(self.destination.channel, STALLED_S * self.patience)

    def _refuse_rejected(self, confirmed: Proven) -> None:
        assert confirmed.position is not None
        rejected = confirmed.rows_error - self.in_flight.proven.rows_error
        cause = self.channel.last_error()
        if rejected > 0:
            self.rejected(rejected, cause, self._rejected_through(confirmed.position).token)
        refuse_rejected(self.work, self.destination, self.opened, rejected, up_to=confirmed.position, cause=cause)

    def _rejected_through(self, confirmed: Position) -> Position:
        """The server's own bound, unless it is of rows that were told before."""
        through, before = self.error_through, self.in_flight.proven.position
        is_of_these = through is not None and through <= confirmed and (before is None or before < through)
        return through if through and is_of_these else confirmed
