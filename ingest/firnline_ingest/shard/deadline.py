"""How long a task keeps its shards: to a time, or until somebody wants it back."""

import threading
import time
from dataclasses import dataclass, field


@dataclass(slots=True)
class Deadline:
    """A deadline on the monotonic clock that can be brought forward; threads wait on it."""

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
        """Sleeps for `seconds`, or until it is over; whether it is over."""
        self._stopped.wait(max(0.0, min(seconds, self.deadline_s - time.monotonic())))
        return self.is_over
