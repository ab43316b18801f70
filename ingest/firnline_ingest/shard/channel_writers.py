"""All channels that a shard writes through, as its session uses them: how far they stand together, and which rows go where.

A page is accounted for when each writer accounts for it. So what the shard has read through is the least of theirs, at any
moment: a writer without rows in flight stands at the end of the last page that it was given, with rows or without.
"""

import time
from collections.abc import Iterator, Sequence

from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rows import Rows
from firnline_ingest.shard.channel_writer import ChannelWriter
from firnline_ingest.shard.receipt import Tally
from firnline_ingest.snowflake.errors import SnowflakeUnavailable
from firnline_ingest.snowflake.in_flight import Chunk
from firnline_ingest.values import Position


class ChannelWriters:
    """The channel writers of one session, in the order of its work's destinations; not thread-safe."""

    def __init__(self, writers: Sequence[ChannelWriter]) -> None:
        self._all = tuple(writers)

    def __iter__(self) -> Iterator[ChannelWriter]:
        return iter(self._all)

    @property
    def accounted(self) -> Position | None:
        """Every record up to here was appended, or is a durable dead letter."""
        return _least([writer.in_flight.accounted for writer in self._all])

    @property
    def read_through(self) -> Position | None:
        """The position for the ledger: never past a row that is not proven, whatever table it goes to."""
        return _least([writer.in_flight.read_through for writer in self._all])

    @property
    def proven(self) -> Position | None:
        """The last proof of the only channel; of several, up to where all of it is proven."""
        return self._all[0].in_flight.proven.position if len(self._all) == 1 else self.read_through

    @property
    def known_before(self) -> Position | None:
        """The furthest token or drop line of before: a record up to it may be in its table already."""
        return max(filter(None, (writer.known_before for writer in self._all)), default=None)

    @property
    def is_empty(self) -> bool:
        """True if nothing is in flight."""
        return all(writer.in_flight.is_empty for writer in self._all)

    @property
    def unproven_bytes(self) -> int:
        return sum(writer.in_flight.bytes for writer in self._all)

    @property
    def caught_up(self) -> list[ChannelWriter]:
        """The writers whose counters can be compared, because they have read again what they had committed."""
        return [writer for writer in self._all if writer.has_caught_up]

    def unproven(self, channel: str) -> Sequence[Chunk]:
        """Returns what is in flight in one channel."""
        return [chunk for writer in self._all if writer.name == channel for chunk in writer.in_flight.unproven]

    def append(self, records: Sequence[Record], made: Rows, tally: Tally) -> None:
        """Appends all rows of a page, each to its table; every writer accounts for all records. Raises as ChannelWriter does."""
        for writer in self._all:
            before = tally.rows
            try:
                writer.append(records, made.of_table(writer.destination.table), tally)
            finally:  # rows that were sent before a channel was lost were sent
                tally.routed_rows += tally.rows - before if writer.destination.table else 0

    def records_at_once(self, records: Sequence[Record]) -> int:
        """Returns how many of these records to take next: as few as any of the channels wants."""
        return min(writer.bisection.records_at_once(records) for writer in self._all)

    def are_bisecting(self, records: Sequence[Record]) -> bool:
        """Returns whether these have to be proven before anything else is appended."""
        return any(writer.bisection.is_needed_for(records) for writer in self._all)

    def without_refused(self, made: Rows, records: Sequence[Record]) -> Rows:
        """Returns the rows that may be sent, as AppendBisection.without_refused."""
        for writer in self._all:
            made = writer.bisection.without_refused(made, records)
        return made

    def prove(self, now_s: float) -> bool:
        """Returns whether everything that was sent by those that are caught up is proven; raises as ChannelWriter.prove."""
        are_proven = [writer.prove(now_s) for writer in self.caught_up]
        return all(are_proven)

    def skip_settled(self) -> None:
        """While one channel is still re-reading its committed range, moves the other channels' skip position past what they have
        settled, refused records too.
        """
        read_through = self.read_through
        for writer in self.caught_up:
            settled = writer.in_flight.accounted if writer.in_flight.is_empty else None
            if settled is not None and settled != read_through:
                writer.drops_through = max(settled, writer.drops_through or settled)

    def overdue(self, now_s: float) -> SnowflakeUnavailable | None:
        """Returns the first writer's that has anything to report, as ChannelWriter.overdue."""
        return next(filter(None, (writer.overdue(now_s) for writer in self._all)), None)

    def flush(self) -> None:
        """Returns when the server has every row. Raises what `ShardChannel.flush` raises."""
        for writer in self._all:
            writer.flush()

    def await_proof(self, shard: str, timeout_s: float, poll_s: float) -> None:
        """Raises SnowflakeUnavailable if the last rows can't be proven in time, and what `prove` raises."""
        give_up_s = time.monotonic() + timeout_s
        while not self.prove(time.monotonic()):
            if time.monotonic() > give_up_s:
                raise SnowflakeUnavailable(
                    f"commit the last rows of {shard}", f"they are not visible after {timeout_s:.0f} s"
                )
            time.sleep(poll_s)

    def close(self) -> None:
        for writer in self._all:
            writer.close()


def _least(positions: Sequence[Position | None]) -> Position | None:
    """Returns None if any is unknown: that comes before every position."""
    known = [position for position in positions if position is not None]
    return min(known) if len(known) == len(positions) else None
