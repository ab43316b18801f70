"""Hands rows to the channel in small, paced chunks, and notes each chunk as in flight.

A chunk's end token is the position of its last accounted record, dead letters included. Rows that the channel had
committed before it was opened are noted, so that their range can be proven, and never sent again.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import msgspec

from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rows import Rows
from firnline_ingest.shard.pace import Pace
from firnline_ingest.shard.places import places_of, position_of
from firnline_ingest.shard.receipt import Tally
from firnline_ingest.shard.window import SendWindow
from firnline_ingest.snowflake.channel import APPEND_BYTES, ShardChannel
from firnline_ingest.snowflake.errors import Backpressure
from firnline_ingest.snowflake.in_flight import Chunk, InFlightRows
from firnline_ingest.snowflake.row_places import Places
from firnline_ingest.values import LAST_ROW, Position

BACKPRESSURE_PATIENCE_S = 60.0
BACKPRESSURE_PAUSE_S = 0.1


@dataclass(frozen=True, slots=True)
class Appender:
    """One shard's; not thread-safe."""

    channel: ShardChannel
    in_flight: InFlightRows
    known_before: Position | None
    """Nothing up to here is appended: the channel's token when it was opened, or its drop line where that is further."""
    pace: Pace
    window: SendWindow
    on_append: Callable[[], None]
    before_append: Callable[[], None] = lambda: None
    """The ledger says that rows may be in flight, before any is."""

    def append(self, records: Sequence[Record], made: Rows, tally: Tally) -> None:
        """Appends all rows of a page. Raises ChannelLost, ClientLost, SnowflakeUnavailable, or Backpressure that lasted."""
        if not made.rows:
            self.in_flight.add(Chunk(position_of(records[-1]), Places(()), 0))
        first = 0
        while first < len(made.rows):
            last, size = _chunk_end(made.sizes, first)
            places = places_of(records, made, first, last)
            self._append_chunk(made.rows[first:last], Chunk(_end(records, made, places, last), places, size), tally)
            first = last

    def _append_chunk(self, rows: Sequence[msgspec.Raw], chunk: Chunk, tally: Tally) -> None:
        known = self._known(chunk)
        if known:
            tally.reread_rows += known
            assert self.known_before is not None
            upto = min(self.known_before, chunk.end)
            self.in_flight.add_known(Chunk(upto, chunk.places.first(known), 0))
            rows = rows[known:]
            chunk = Chunk(chunk.end, chunk.places.without_first(known), chunk.bytes)
        if rows:
            self._send(rows, chunk.places[0].token, chunk.end.token, chunk.bytes)
            chunk.sent_s = time.monotonic()
            tally.rows += len(rows)
            tally.bytes += chunk.bytes
        self.in_flight.add(chunk)

    def _known(self, chunk: Chunk) -> int:
        return chunk.rows_up_to(self.known_before) if self.known_before else 0

    def _send(self, rows: Sequence[msgspec.Raw], start: str, end: str, size: int) -> None:
        self.before_append()
        time.sleep(self.pace.delay_s(size))
        self.window.make_room(size)
        give_up_s = time.monotonic() + BACKPRESSURE_PATIENCE_S
        while True:
            try:
                self.channel.append(rows, start=start, end=end)
            except Backpressure:
                if time.monotonic() > give_up_s:
                    raise
                time.sleep(BACKPRESSURE_PAUSE_S)
            else:
                self.on_append()
                return


def _end(records: Sequence[Record], made: Rows, places: Places, last: int) -> Position:
    """The position that an append with these rows accounts for: of what has no row, too, up to the next row's record.

    A record whose rows end before its last one is accounted for in whole: a letter has the rest of it.
    """
    of_row = places[len(places) - 1]
    if of_row.is_inside_record:
        return of_row if last < len(made.rows) else replace(of_row, row=LAST_ROW)
    return max(of_row, position_of(records[made.indexes[last] - 1] if last < len(made.rows) else records[-1]))


def _chunk_end(sizes: Sequence[int], first: int) -> tuple[int, int]:
    """The index after the chunk's last row, and the chunk's bytes; a row larger than a chunk goes alone."""
    last, size = first + 1, sizes[first]
    while last < len(sizes) and size + sizes[last] <= APPEND_BYTES:
        size += sizes[last]
        last += 1
    return last, size
