"""The time that a fake service lives in: the machine's, or one that a test moves.

Any callable that returns an aware datetime is a clock, so a test may share one between several fakes.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

Clock: TypeAlias = Callable[[], datetime]
"""Returns the time, aware of its zone."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ManualClock:
    """Stands still until it is moved, so that a test of retention or expiry waits for nothing."""

    def __init__(self, now: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, *, hours: float = 0, minutes: float = 0, seconds: float = 0) -> None:
        self.now += _forward(hours, minutes, seconds)


class SystemClock:
    """The machine's time; `advance` puts it ahead, and from there it runs on."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def advance(self, *, hours: float = 0, minutes: float = 0, seconds: float = 0) -> None:
        self.ahead += _forward(hours, minutes, seconds)


def milliseconds(moment: datetime) -> int:
    """Milliseconds since the epoch, rounded down."""
    return (moment - EPOCH) // timedelta(milliseconds=1)


def _forward(hours: float, minutes: float, seconds: float) -> timedelta:
    step = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    if step < timedelta():
        raise ValueError("a clock only moves forward: records of a shard arrive in the order of their numbers")
    return step
