"""Since when nothing arrives in a shard.

A shard is idle while Kinesis shows it read to its tip and no record comes. One that is behind, that waits for others, or that
Kinesis has stopped to answer for is not: nobody knows what is in it.
"""

import time
from collections.abc import Callable

from firnline_ingest.kinesis.reader import Read


class IdleWatch:
    """One session's; not thread-safe. Takes over from the session before: `arrived_ms` is when the record arrived that it took in
    last, by the service's clock; 0 where there was none.
    """

    def __init__(self, arrived_ms: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._arrived_ms = arrived_ms
        self._clock = clock
        self._since_s: float | None = None

    def took(self, read: Read) -> int:
        """For how many seconds no record has come, as of this answer; 0 where it is not the shard's tip."""
        now_s = self._clock()
        if read.records:
            self._arrived_ms = int((read.records[-1].ApproximateArrivalTimestamp or 0) * 1000)
        if read.records or self._since_s is None:
            self._since_s = now_s - self._before_s(read)
        return int(now_s - self._since_s) if read.is_at_tip else 0

    def _before_s(self, read: Read) -> float:
        """How old the newest record was when Kinesis answered; it may have been read long after it came."""
        if not self._arrived_ms or read.answered_ms is None:
            return 0.0
        return max(0, read.answered_ms - self._arrived_ms) / 1000
