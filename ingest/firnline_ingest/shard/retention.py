"""Losses of a shard to retention before it was read, and how much they are.

Times are the service's: of its answers, and of records' arrival. Nothing that arrived before a shard was seen open and
read to its tip can be lost; a worker's own clock says nothing of that (docs/design/ledger.md, section 3).
"""

from collections import deque
from dataclasses import dataclass

from firnline_ingest.kinesis.reader import Read
from firnline_ingest.kinesis.service_time import MARGIN_MS
from firnline_ingest.kinesis.start import After, AtTimestamp, Start, TrimHorizon
from firnline_ingest.ledger.incident import Incident, IncidentKind, Loss
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.values import Position

HOUR_MS = 3_600_000
TRIMMED_EARLY_MS = 10 * 60_000
UNKNOWN_MS = 1  # of a shard whose parents no engine read: it may be as old as the stream
UNREAD = "records that arrived before the shard was first read left retention"
EXPIRED = "the shard left the stream before it was read to its end"


@dataclass(frozen=True, slots=True)
class RetentionState:
    """The stream as it was when everything up to `through` was read."""

    through: Position | None
    tip_ms: int
    arrived_ms: int
    retention_hours: int


class RetentionWatch:
    """Watches one shard's retention in one session; not thread-safe. Each page is first asked about (`loss`), then noted
    (`took`)."""

    def __init__(self, row: ShardRow, start: Start, retention_hours: int) -> None:
        self._hours, self._shortest_hours = retention_hours, row.retention_hours or retention_hours
        self.set_retention_hours(retention_hours)
        self._written = RetentionState(row.read_through, row.tip_ms, row.arrived_ms, row.retention_hours)
        self._tip_ms, self._arrived_ms = row.tip_ms, row.arrived_ms
        self._open_ms = 0
        """Of an answer at the tip, which the next answer has to bear out: a closed shard's last pages look the same."""
        pin_ms = start.ms if isinstance(start, AtTimestamp) else 0
        self._since_ms = max(row.since_ms, pin_ms) and max(row.since_ms, pin_ms, row.key.stream_created_ms)
        self._is_unread = not isinstance(start, After)
        self._first = row.first_read if isinstance(start, TrimHorizon) else None
        self._pages: deque[RetentionState] = deque()

    def set_retention_hours(self, retention_hours: int) -> None:
        """Sets the stream's current retention. The shortest since the tip was seen counts: lost records do not come back."""
        self._hours, self._shortest_hours = retention_hours, min(self._shortest_hours, retention_hours)

    @property
    def was_at_tip(self) -> bool:
        """True if the answer before showed the shard read to its tip."""
        return self._open_ms > 0

    def loss(self, read: Read, now_ms: int) -> Incident | None:
        """Returns what may have been lost before this page. `now_ms` stands in where an answer does not say its time."""
        horizon_ms = (read.answered_ms or now_ms) - self._shortest_hours * HOUR_MS
        if read.gap:
            if self._tip_ms > horizon_ms and self._arrived_ms < horizon_ms + TRIMMED_EARLY_MS:
                return None  # whatever arrived after the tip was seen is still in the stream
            first = read.gap.first.token if read.gap.first else "the shard's tip"
            detail = f"records after {read.gap.after.token} and before {first} left retention unread"
            loss = self._measured(read, horizon_ms)
            return Incident(IncidentKind.RETENTION_LOSS, now_ms, detail, read.gap.first, read.gap.after, loss)
        if self._is_unread and self._first and self._has_lost_the_first(read, self._first):
            oldest = read.records[0].position if read.records else None
            until = f"before {oldest.token}" if oldest else "the shard's tip"
            detail = f"records from {self._first.token} to {until}, which an earlier process read, left retention"
            lost, after, self._first = self._measured(read, horizon_ms), self._first, None
            return Incident(IncidentKind.RETENTION_LOSS, now_ms, detail, oldest, after, lost)
        if self._is_unread and 0 < max(self._since_ms, self._tip_ms) < horizon_ms:
            lost = self._measured(read, horizon_ms)
            self._since_ms = horizon_ms
            return Incident(IncidentKind.RETENTION_LOSS, now_ms, UNREAD, loss=lost)
        return None

    def _has_lost_the_first(self, read: Read, first: Position) -> bool:
        """An empty answer at the tip has to be borne out by a second one."""
        if read.records:
            return read.records[0].position > first
        return read.is_end or (read.is_at_tip and self.was_at_tip)

    def rest(self, after: Position | None, now_ms: int) -> Incident:
        """Returns what a shard still held when it left the stream."""
        loss = self._measured(None, now_ms - self._hours * HOUR_MS)
        return Incident(IncidentKind.SHARD_UNREAD, now_ms, EXPIRED, None, after, loss)

    def took(self, read: Read, accounted: Position | None, *, is_cut: bool) -> None:
        """The page is taken in: everything up to `accounted` was sent, or is a durable dead letter."""
        if not read.is_end:
            self._tip_ms = max(self._tip_ms, self._open_ms)
        is_at_tip = read.is_at_tip and not is_cut and read.answered_ms is not None
        self._open_ms = (read.answered_ms or 0) - MARGIN_MS if is_at_tip else 0
        if read.records:
            self._is_unread = False
            if not is_cut:
                self._arrived_ms = max(self._arrived_ms, _arrived_ms(read, -1) or 0)
        horizon_ms = (read.answered_ms or 0) - self._shortest_hours * HOUR_MS
        if read.answered_ms and max(self._tip_ms, self._arrived_ms) > horizon_ms:
            self._shortest_hours = self._hours  # of what is known to be there, nothing left while it was shorter
        if self._pages and self._pages[-1].through == accounted:
            self._pages.pop()
        self._pages.append(RetentionState(accounted, self._tip_ms, self._arrived_ms, self._shortest_hours))

    def known(self, read_through: Position | None, *, is_all: bool) -> RetentionState:
        """The state that the ledger may hold in a row with this `read_through`; `is_all` says that nothing is in flight."""
        while self._pages and (is_all or _is_covered(self._pages[0].through, read_through)):
            self._written = self._pages.popleft()
        return self._written

    def _measured(self, read: Read | None, horizon_ms: int) -> Loss:
        since_ms = self._since_ms if self._is_unread and self._since_ms > UNKNOWN_MS else 0
        from_ms = max(self._tip_ms, self._arrived_ms, since_ms)
        to_ms = (_arrived_ms(read, 0) if read else None) or horizon_ms
        records, size = _estimate(read, to_ms - from_ms) if read and from_ms else (None, None)
        return Loss(from_ms or None, max(to_ms, from_ms), records, size)


def _estimate(read: Read, gap_ms: int) -> tuple[int | None, int | None]:
    """Estimates the lost records by the rate of the page that follows the gap; None if that page is too short to tell."""
    first_ms, last_ms = _arrived_ms(read, 0), _arrived_ms(read, -1)
    if first_ms is None or last_ms is None or last_ms - first_ms < 1000 or gap_ms <= 0:
        return None, None
    pages = gap_ms / (last_ms - first_ms)
    return round((len(read.records) - 1) * pages), round(sum(len(record.Data) for record in read.records) * pages)


def _arrived_ms(read: Read, index: int) -> int | None:
    arrived_s = read.records[index].ApproximateArrivalTimestamp if read.records else None
    return None if arrived_s is None else int(arrived_s * 1000)


def _is_covered(position: Position | None, through: Position | None) -> bool:
    return position is None or (through is not None and position <= through)
