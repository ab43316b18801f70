"""One way out of a shard: a channel into one table, what is in flight in it, and what sends and proves it.

A shard has one; where its pipeline has routes, one for each table. Each drops by itself what its channel had committed when
it was opened (docs/design/ledger.md, section 5).
"""

from collections.abc import Callable

from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.shard.appender import Appender
from firnline_ingest.shard.opening import OpenChannel
from firnline_ingest.shard.pace import Pace
from firnline_ingest.shard.prover import Prover
from firnline_ingest.shard.report import ShardReport
from firnline_ingest.shard.window import SendWindow
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.snowflake.in_flight import InFlightRows
from firnline_ingest.values import Position


class Outlet:
    """One session's; not thread-safe."""

    def __init__(
        self,
        opened: OpenChannel,
        row: ShardRow,
        *,
        work: ShardWork,
        services: ShardServices,
        report: ShardReport,
        patience: int,
    ) -> None:
        self.destination = opened.destination
        self.channel = opened.channel
        self.committed_before = opened.resume.committed
        """The channel's token when it was opened."""
        self.drops_through = opened.resume.drops_through
        """What lies up to here was proven before the channel was begun anew."""
        self.in_flight = InFlightRows(work.key, opened.resume.baseline, row.read_through, self.drops_through)
        self.window = SendWindow(opened.channel)
        self.prover = Prover(
            work,
            services,
            opened.destination,
            opened.channel,
            self.in_flight,
            row,
            proved=report.proved,
            rejected=report.rejected,
            patience=patience,
        )
        self.opened_ms = services.now_ms()
        self.sent_ms = 0
        """When rows were handed over last; 0 where none were."""

    def appender(self, on_append: Callable[[], None], before_append: Callable[[], None]) -> Appender:
        return Appender(self.channel, self.in_flight, self.known_before, Pace(), self.window, on_append, before_append)

    @property
    def name(self) -> str:
        """Of the channel."""
        return self.destination.channel

    @property
    def known_before(self) -> Position | None:
        """What is not beyond is in the table, or was, when the channel was opened."""
        return max(filter(None, (self.committed_before, self.drops_through)), default=None)

    @property
    def is_past_what_was_committed(self) -> bool:
        """Until then the counters hold rows that were not read again yet."""
        known = self.committed_before
        return known is None or (self.in_flight.accounted is not None and self.in_flight.accounted >= known)

    def prove(self, now_s: float) -> bool:
        """Whether everything sent is proven now, as Prover.prove; what is proven makes room."""
        is_proven = self.prover.prove(now_s)
        self.window.holds_at_most(self.in_flight.bytes)
        return is_proven
