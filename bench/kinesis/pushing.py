"""Pushes of the canned service over one subscription: records as they arrive, or as fast as a consumer may take them."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from bench.kinesis.shard import CannedShard
from firnline_local.kinesis.event_stream import event
from firnline_local.kinesis.limits import READ_BYTES

IDLE_EVENT_S = 5.0
LASTS_S = 300.0
EVENT_RECORDS = 1_000


@dataclass(frozen=True, slots=True)
class Pushed:
    """Records of one shard that left the service together."""

    at_s: float
    shard: int
    first: int
    after: int


class Wakeable:
    """An event that wakes a pusher; canned records come when they are due."""

    def wake(self) -> None:
        """Nothing happens in between."""


@dataclass
class CannedPushes:
    """Pushes with firnline_local's interface `Pushes`, for the pusher of a connection."""

    shard: CannedShard
    next_record: int
    record_bytes: int
    clock: Callable[[], float]
    note: Callable[[Pushed], None]
    """Called when records are about to leave."""
    subscription: Wakeable = field(default_factory=Wakeable)
    is_over: bool = False
    is_cut: bool = False
    delay_s: float = 0.0
    """Until there is something again: another record, or the time for an event without any."""

    def __post_init__(self) -> None:
        self._is_greeted = False
        self._began_s = self._told_s = self.clock()

    def next(self) -> bytes | None:
        now_s = self.clock()
        if not self._is_greeted:
            self._is_greeted = True
            return event("initial-response", b"{}")
        if now_s >= self._began_s + LASTS_S:
            self.is_over = True
            return None
        return self._event(now_s)

    def close(self) -> None:
        self.is_over = True

    def _event(self, now_s: float) -> bytes | None:
        first = self.next_record
        records, after = self.shard.records(first, EVENT_RECORDS, now_s)
        if after == first and now_s < self._told_s + IDLE_EVENT_S:
            self.delay_s = self._rest_s(now_s)
            return None
        self.next_record, self._told_s = after, now_s
        self.delay_s = self._rest_s(now_s, (after - first) * self.record_bytes)
        number = self.shard.sequence_number(max(after, 1) - 1)
        end = json.dumps({"MillisBehindLatest": self.shard.behind_ms, "ContinuationSequenceNumber": str(number)})
        message = event("SubscribeToShardEvent", b'{"Records":[' + records + b"]," + end.encode()[1:])
        if after > first:
            self.note(Pushed(self.clock(), self.shard.index, first, after))
        return message

    def _rest_s(self, now_s: float, pushed_bytes: int = 0) -> float:
        """The service pushes at most 2 MiB a second to a consumer of a shard."""
        if not self.shard.is_trickle:
            return pushed_bytes / READ_BYTES
        due_s = min(self.shard.arrival_s(self.next_record), self._told_s + IDLE_EVENT_S)
        return max(0.0005, due_s - now_s)
