"""Hands rows to one channel so that the SDK sends them inline: in small appends, at a pace, and never too many unsent.

Above a megabyte of unsent rows the SDK uploads a file instead. The pace alone can't prevent that: if Snowflake, the network or
this machine is slow, the SDK's sending falls behind any rate, so the window bounds what was given and not sent.
"""

import time
from collections.abc import Callable, Iterator, Sequence

import msgspec

from firnline_ingest.snowflake.channel import ShardChannel
from firnline_ingest.snowflake.channel_errors import Backpressure

APPEND_BYTES = 500_000  # what the SDK sends inline; for more at once it uploads a file
BYTES_PER_S = 5_000_000  # 500 KB in 100 ms: the SDK's own buffering interval
UNSENT_BYTES = 1_000_000  # measured with SDK 1.9.1: 1.0 MB are sent as rows, 1.1 MB are uploaded
FLUSH_TIMEOUT_S = 60.0
BACKPRESSURE_TIMEOUT_S = 60.0
BACKPRESSURE_PAUSE_S = 0.1


def append_bounds(sizes: Sequence[int], first: int = 0) -> Iterator[tuple[int, int, int]]:
    """Yields for each append the index of its first row, the index after its last, and its bytes; a row larger than
    APPEND_BYTES goes alone.
    """
    while first < len(sizes):
        last, size = first + 1, sizes[first]
        while last < len(sizes) and size + sizes[last] <= APPEND_BYTES:
            size += sizes[last]
            last += 1
        yield first, last, size
        first = last


class Pace:
    """Keeps one channel's appends at a rate that the SDK sends inline; not thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._free_at_s = 0.0

    def delay_s(self, size: int) -> float:
        """Returns how long to wait before `size` bytes are appended; counts them as appended then."""
        now = self._clock()
        start = max(now, self._free_at_s)
        self._free_at_s = start + size / BYTES_PER_S
        return start - now


class SendWindow:
    """Bounds what one channel's SDK holds unsent; not thread-safe."""

    def __init__(self, channel: ShardChannel) -> None:
        self._channel = channel
        self._unsent_bytes = 0

    def make_room(self, size: int) -> None:
        """Returns when `size` bytes more may be appended, and counts them; what is too large for the window goes alone.

        Raises what `ShardChannel.flush` raises.
        """
        if self._unsent_bytes and self._unsent_bytes + size > UNSENT_BYTES:
            self.empty()
        self._unsent_bytes += size

    def holds_at_most(self, unproven_bytes: int) -> None:
        """Whatever is proven was sent: a shard at a trickle never has to wait for room."""
        self._unsent_bytes = min(self._unsent_bytes, unproven_bytes)

    def empty(self) -> None:
        """Returns when the server has every row. Raises what `ShardChannel.flush` raises."""
        self._channel.flush(FLUSH_TIMEOUT_S)
        self._unsent_bytes = 0


def append_when_taken(channel: ShardChannel, rows: Sequence[msgspec.Raw], *, start: str, end: str) -> None:
    """Offers the rows again while the SDK's memory is full. Raises Backpressure if that lasts, and what appending raises."""
    give_up_s = time.monotonic() + BACKPRESSURE_TIMEOUT_S
    while True:
        try:
            return channel.append(rows, start=start, end=end)
        except Backpressure:
            if time.monotonic() > give_up_s:
                raise
            time.sleep(BACKPRESSURE_PAUSE_S)
