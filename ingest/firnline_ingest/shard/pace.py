"""Keeps a channel's appends at a rate that the SDK sends inline; above it, it uploads files instead."""

import time
from collections.abc import Callable

BYTES_PER_S = 5_000_000  # 500 KB in 100 ms: the SDK's own buffering interval


class Pace:
    """One channel's; not thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._free_at_s = 0.0

    def delay_s(self, size: int) -> float:
        """How long to wait before `size` bytes are appended; counts them as appended then."""
        now = self._clock()
        start = max(now, self._free_at_s)
        self._free_at_s = start + size / BYTES_PER_S
        return start - now
