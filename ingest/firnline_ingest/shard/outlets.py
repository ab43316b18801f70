"""All ways out of a shard as its session uses them: where they stand together, and which rows go where.

A page is accounted for when each of them accounts for it. So what the shard has read through is the least of theirs, at any
moment: one that has nothing in flight stands at the end of the last page that it was given, with rows or without.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rows import Rows
from firnline_ingest.shard.outlet import Outlet
from firnline_ingest.shard.receipt import Tally
from firnline_ingest.snowflake.errors import SnowflakeUnavailable
from firnline_ingest.snowflake.in_flight import Chunk
from firnline_ingest.values import Position


class Outlets:
    """One session's, in the order of its work's destinations; not thread-safe."""

    def __init__(
        self,
        outlets: Sequence[Outlet],
        on_append: Callable[[], None],
        before_append: Callable[[Outlet], None],
    ) -> None:
        self._all = tuple(outlets)
        self._appenders = [outlet.appender(on_append, partial(before_append, outlet)) for outlet in outlets]

    def __iter__(self) -> Iterator[Outlet]:
        return iter(self._all)

    @property
    def accounted(self) -> Position | None:
        """Every record up to here was appended, or is a durable dead letter."""
        return _least([outlet.in_flight.accounted for outlet in self._all])

    @property
    def read_through(self) -> Position | None:
        """As the ledger may have it: never past a row that is not proven, whatever table it goes to."""
        return _least([outlet.in_flight.read_through for outlet in self._all])

    @property
    def proven(self) -> Position | None:
        """What is proven; of several, up to where all of it is."""
        return self._all[0].in_flight.proven.position if len(self._all) == 1 else self.read_through

    @property
    def known_before(self) -> Position | None:
        """The furthest token or drop line of before: a record up to it may be in its table already."""
        return max(filter(None, (outlet.known_before for outlet in self._all)), default=None)

    @property
    def is_empty(self) -> bool:
        return all(outlet.in_flight.is_empty for outlet in self._all)

    @property
    def bytes(self) -> int:
        return sum(outlet.in_flight.bytes for outlet in self._all)

    @property
    def past(self) -> list[Outlet]:
        """Those that have read again what they had committed, so that their counters can be compared."""
        return [outlet for outlet in self._all if outlet.is_past_what_was_committed]

    def unproven(self, channel: str) -> Sequence[Chunk]:
        """Of one channel."""
        return [chunk for outlet in self._all if outlet.name == channel for chunk in outlet.in_flight.unproven]

    def append(self, records: Sequence[Record], made: Rows, tally: Tally) -> None:
        """All rows of a page, each to its table; raises as Appender.append. What goes nowhere is accounted for everywhere."""
        if len(self._all) == 1:
            self._appenders[0].append(records, made, tally)
            return
        for outlet, appender in zip(self._all, self._appenders, strict=True):
            part = made.of_table(outlet.destination.table)
            before = tally.rows
            try:
                appender.append(records, part, tally)
            finally:  # what went before a channel was lost, went
                tally.routed_rows += tally.rows - before if outlet.destination.table else 0

    def prove(self, now_s: float) -> bool:
        """Whether everything that was sent by those that are `past` is proven now; raises as Prover.prove."""
        are_proven = [outlet.prove(now_s) for outlet in self.past]
        return all(are_proven)

    def draw_lines(self) -> None:
        """Where another one still reads again what it had committed, and holds the shard back: what these have settled, refused
        records too, is not for them again.
        """
        read_through = self.read_through
        for outlet in self.past:
            settled = outlet.in_flight.accounted if outlet.in_flight.is_empty else None
            if settled is not None and settled != read_through:
                outlet.drops_through = max(settled, outlet.drops_through or settled)

    def overdue(self, now_s: float) -> SnowflakeUnavailable | None:
        """As Prover.overdue, of the first that has to tell anything."""
        return next(filter(None, (outlet.prover.overdue(now_s) for outlet in self._all)), None)

    def flush(self) -> None:
        """Returns when the server has every row. Raises what `ShardChannel.flush` raises."""
        for outlet in self._all:
            outlet.window.empty()

    def await_proof(self, shard: str, patience_s: float, poll_s: float) -> None:
        """Raises SnowflakeUnavailable where the last rows can't be proven in time, and what `prove` raises."""
        give_up_s = time.monotonic() + patience_s
        while not self.prove(time.monotonic()):
            if time.monotonic() > give_up_s:
                raise SnowflakeUnavailable(
                    f"commit the last rows of {shard}", f"they are not visible after {patience_s:.0f} s"
                )
            time.sleep(poll_s)

    def close(self) -> None:
        for outlet in self._all:
            outlet.channel.close()


def _least(positions: Sequence[Position | None]) -> Position | None:
    """None comes before every position."""
    known = [position for position in positions if position is not None]
    return min(known) if len(known) == len(positions) else None
