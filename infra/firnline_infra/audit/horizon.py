"""Which rows a stream can't vouch for any more, and which it would: the difference between old and foreign.

A row that stands before the first record that a shard still has is old where its record has left retention. Where it
says that it arrived since then, the stream would still have its record.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from firnline_infra.audit.outcome import Outcome

TOLERANCE_MS = 60_000  # arrival times are approximate, and the service trims when it gets to it
HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class Horizon:
    kept_since_ms: int
    """Records that arrived since then are in the stream for certain."""
    rows_say_when: bool = True
    """Whether rows carry their arrival; without it, every row before the first record has to pass for old."""

    @classmethod
    def of(cls, *, now_ms: int, retention_hours: int, created_ms: int, rows_say_when: bool) -> "Horizon":
        """`now_ms` by the stream's clock. What arrived before the stream was made came from one of the same name."""
        trimmed_ms = now_ms - retention_hours * HOUR_MS + TOLERANCE_MS
        return cls(max(trimmed_ms, created_ms), rows_say_when)

    def explains(self, outcome: Outcome) -> bool:
        """Whether its record may have left the stream."""
        if outcome.arrived_ms is None:
            return not self.rows_say_when
        return outcome.arrived_ms < self.kept_since_ms

    @property
    def text(self) -> str:
        """As the metadata writes arrivals, so that the two compare as text."""
        return arrival_text(self.kept_since_ms)


def arrival_text(ms: int) -> str:
    return f"{datetime.fromtimestamp(ms // 1000, UTC):%Y-%m-%dT%H:%M:%S}.{ms % 1000:03d}Z"


def arrival_ms(text: str | None) -> int | None:
    """None for what is no time."""
    try:
        return round(datetime.fromisoformat(text).timestamp() * 1000) if text else None
    except ValueError:
        return None
