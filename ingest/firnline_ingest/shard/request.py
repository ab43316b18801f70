"""Requests to shards in this process: to one, the newest work for it and until when; to a task's shards, a common end.

A group renews a shard's request each epoch. A shard that no epoch asks for any more, and one that is asked to stop, proves what
it sent and gives its channel back.
"""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from firnline_ingest.kinesis.page import Record
from firnline_ingest.shard.work import ShardWork
from firnline_ingest.values import Position


class ShardRequest:
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
    def lasting(cls, work: ShardWork, seconds: float, *, arrival_ms: int | None = None) -> "ShardRequest":
        return cls(work, lapses_s=time.monotonic() + seconds, arrival_ms=arrival_ms)

    @property
    def work(self) -> ShardWork:
        """The latest request's work: another epoch, and maybe another table."""
        return self._work

    @property
    def is_over(self) -> bool:
        return self._stopped.is_set() or time.monotonic() >= self._lapses_s

    def renew(self, work: ShardWork, lapses_s: float) -> bool:
        """Returns whether the shard's thread will see it; False if that has ended."""
        with self._lock:
            self._work, self._lapses_s = work, lapses_s
            return not self._is_closed

    def stop(self) -> None:
        self._stopped.set()

    def close(self) -> None:
        """Ends the shard's thread, even if another epoch asks for it."""
        with self._lock:
            self._is_closed = True

    def close_if_over(self) -> bool:
        """Ends the shard's thread, unless it was asked for again meanwhile."""
        with self._lock:
            self._is_closed = self.is_over
            return self._is_closed

    def wait(self, seconds: float) -> bool:
        """Sleeps for `seconds`, or until it is over; returns whether it is over."""
        self._stopped.wait(max(0.0, min(seconds, self._lapses_s - time.monotonic())))
        return self.is_over


@dataclass(slots=True)
class Deadline:
    """Time when a task gives its shards back: on the monotonic clock, and can be brought forward; threads wait on it."""

    deadline_s: float
    arrival_ms: int | None = None
    """A bounded run: records that arrived later are left alone."""
    _stopped: threading.Event = field(default_factory=threading.Event)

    @classmethod
    def after(cls, seconds: float, *, arrival_ms: int | None = None) -> "Deadline":
        return cls(time.monotonic() + seconds, arrival_ms)

    def stop(self) -> None:
        self._stopped.set()

    @property
    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    @property
    def left_s(self) -> float:
        return max(0.0, self.deadline_s - time.monotonic())

    @property
    def is_over(self) -> bool:
        return self.is_stopped or time.monotonic() >= self.deadline_s

    def wait(self, seconds: float) -> bool:
        """Sleeps for `seconds`, or until it is over; returns whether it is over."""
        self._stopped.wait(max(0.0, min(seconds, self.deadline_s - time.monotonic())))
        return self.is_over


def arrived_by(records: Sequence[Record], arrival_ms: int | None, known: Position | None) -> Sequence[Record]:
    """Returns the records before the first that arrived after a bounded run's end and is beyond `known`: up to there, a record
    may be a row or a dead letter already.
    """
    if arrival_ms is None:
        return records
    for index, record in enumerate(records):
        is_late = (record.ApproximateArrivalTimestamp or 0) * 1000 > arrival_ms
        if is_late and (known is None or record.position > known):
            return records[:index]
    return records
