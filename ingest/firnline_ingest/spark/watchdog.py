"""Sees an epoch that does not end: says so, then wants its job cancelled, and in the end gives the driver up.

Cancelling is safe at any moment: what a task had not proven is read again, and a task that lives on is fenced. Time in
which the driver itself was frozen or the machine asleep does not count.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto

GRACE_S = 60.0  # past an epoch's length: its last rows are flushed and proven
OVERDUE = 5  # lengths and graces: a task is tried again from the start when its executor dies
STUCK_S = 60.0  # after the job was cancelled
REPORT_EVERY_S = 60.0
LONGEST_STEP_S = 5.0  # between two looks; more than that, and it was the driver that stood still


class EpochPace(Enum):
    FINE = auto()
    LATE = auto()
    """Worth a line in the log; once a minute."""
    OVERDUE = auto()
    """The job is to be cancelled; said once."""
    STUCK = auto()


@dataclass(slots=True)
class EpochWatch:
    """Watches one epoch after another; a thread of its own calls `look` about once a second."""

    length_s: float
    clock: Callable[[], float] = time.monotonic
    batch: int | None = None
    """The epoch at hand; None between two."""
    lasted_s: float = 0.0
    is_cancelled: bool = False
    _looked_s: float = 0.0
    _report_s: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def began(self, batch: int) -> None:
        with self._lock:
            self.batch, self.lasted_s, self.is_cancelled = batch, 0.0, False
            self._looked_s, self._report_s = self.clock(), self.late_s

    def ended(self) -> None:
        with self._lock:
            self.batch = None

    @property
    def late_s(self) -> float:
        return self.length_s + GRACE_S

    @property
    def overdue_s(self) -> float:
        return OVERDUE * self.late_s

    def look(self) -> EpochPace:
        with self._lock:
            if self.batch is None:
                return EpochPace.FINE
            now_s = self.clock()
            self.lasted_s += min(now_s - self._looked_s, LONGEST_STEP_S)
            self._looked_s = now_s
            if self.is_cancelled:
                return EpochPace.STUCK if self.lasted_s >= self.overdue_s + STUCK_S else EpochPace.FINE
            if self.lasted_s >= self.overdue_s:
                self.is_cancelled = True
                return EpochPace.OVERDUE
            if self.lasted_s >= self._report_s:
                self._report_s += REPORT_EVERY_S
                return EpochPace.LATE
            return EpochPace.FINE
