"""What is asked of one shard in this process: the newest work for it, and until when.

A group renews it each epoch. A shard that nobody asks for any more, and one that is told to stop, proves what it sent
and gives its channel back.
"""

import threading
import time

from firnline_ingest.shard.work import ShardWork


class Demand:
    """Thread-safe: groups renew it, the shard's thread looks at it and waits on it."""

    def __init__(self, work: ShardWork, *, lapses_s: float, arrival_ms: int | None = None) -> None:
        self.arrival_ms = arrival_ms
        """A bounded run: records that arrived later are left alone."""
        self._work = work
        self._lapses_s = lapses_s
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._is_closed = False

    @classmethod
    def lasting(cls, work: ShardWork, seconds: float, *, arrival_ms: int | None = None) -> "Demand":
        return cls(work, lapses_s=time.monotonic() + seconds, arrival_ms=arrival_ms)

    @property
    def work(self) -> ShardWork:
        """As it was asked for last: another epoch, and maybe another table."""
        return self._work

    @property
    def is_over(self) -> bool:
        return self._stopped.is_set() or time.monotonic() >= self._lapses_s

    def renew(self, work: ShardWork, lapses_s: float) -> bool:
        """Whether the shard's thread will see it; False where that has ended."""
        with self._lock:
            self._work, self._lapses_s = work, lapses_s
            return not self._is_closed

    def stop(self) -> None:
        self._stopped.set()

    def close(self) -> None:
        """The shard's thread ends, whoever asks."""
        with self._lock:
            self._is_closed = True

    def close_if_over(self) -> bool:
        """The shard's thread ends, unless it was asked for again meanwhile."""
        with self._lock:
            self._is_closed = self.is_over
            return self._is_closed

    def wait(self, seconds: float) -> bool:
        """Sleeps for `seconds`, or until it is over; whether it is over."""
        self._stopped.wait(max(0.0, min(seconds, self._lapses_s - time.monotonic())))
        return self.is_over
