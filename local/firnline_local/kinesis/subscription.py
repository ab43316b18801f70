"""Subscriptions by SubscribeToShard: one consumer's events of one shard, for five minutes.

The sender asks for the next message when there is room for one. Nothing here waits: no message is not an answer yet.
"""

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from firnline_local.kinesis.errors import FakeKinesisError, not_found
from firnline_local.kinesis.event_stream import event, exception
from firnline_local.kinesis.limits import READ_BYTES, SECOND_MS
from firnline_local.kinesis.shard import LogPage, Shard
from firnline_local.kinesis.stream import KinesisAccount, Stream

LASTS_MS = 300_000
AGAIN_AFTER_MS = 5_000
"""For so long after a successful call, the next one of the same consumer and shard is refused; later it takes over."""
CALLS_APART_MS = 1_000
IDLE_EVENT_MS = 5_000
"""An event without records comes so often. Undocumented: KCL takes a subscription that is silent for longer for dead."""
EVENT_BYTES = 1024 * 1024
EVENT_RECORDS = 10_000


@dataclass(kw_only=True, eq=False)
class Subscription:
    """Callers hold the account's lock."""

    account: KinesisAccount
    stream: Stream
    consumer_name: str
    shard: Shard
    index: int
    from_ms: int
    started_ms: int
    error: FakeKinesisError | None = None
    """What ended it from outside, to be reported in the stream."""
    wake: Callable[[], None] = lambda: None
    """Called when there may be something new, by the writer."""
    is_over: bool = False
    _greeted: bool = False
    _told_ms: int = 0
    _paid_ms: int = 0

    def next_message(self) -> bytes | None:
        """Returns None if there is nothing now; `is_over` then says whether more can come. Raises nothing: an error is a
        message."""
        if self.is_over:
            return None
        if not self._greeted:
            self._greeted = True
            return event("initial-response", b"{}")
        now_ms = self.account.now_ms()
        if self._is_unknown():
            self.error = self.error or not_found(f"{self.shard.id} or its consumer is gone from {self.stream.name}.")
        if self.error is not None:
            return self.end(self.error)
        if now_ms >= self.started_ms + LASTS_MS:
            self.close()
            return None
        return self._event(now_ms)

    def end(self, error: FakeKinesisError) -> bytes:
        self.close()
        return exception(error.code, msgspec.json.encode({"message": error.message}))

    def close(self) -> None:
        self.is_over = True
        self.shard.subscriptions.discard(self)

    def _is_unknown(self) -> bool:
        here = self.account.streams.get(self.stream.name)
        if here is not self.stream:
            return True
        here.expire(self.account.now_ms())
        return self.shard.number not in here.shards or self.consumer_name not in here.consumers

    def _event(self, now_ms: int) -> bytes | None:
        if self.account.read_limits and now_ms < self._paid_ms:
            return None
        log = self.shard.log
        start = max(self.index, log.index_at(self.from_ms))
        page = log.page(start, limit=EVENT_RECORDS, max_bytes=EVENT_BYTES)
        is_end = not self.shard.is_open and page.end >= log.next
        is_late = is_end and bool(page.records) and self.account.liberties.late_end
        if not (page.records or is_end or now_ms >= self._told_ms + IDLE_EVENT_MS):
            return None
        self._told_ms = now_ms
        self._paid_ms = max(self._paid_ms, now_ms) + page.size_bytes * SECOND_MS // READ_BYTES
        self.index, self.from_ms = page.end, 0 if page.records else self.from_ms
        if is_end and not is_late:
            self.close()
            return self._told(page, 0, following=self._end())
        number = str(int(self.shard.sequence_number(page.end - 1)))
        behind_ms = 0 if page.end >= log.next else max(1, now_ms - log.arrived_ms(page.end))
        return self._told(page, behind_ms, following={"ContinuationSequenceNumber": number})

    def _end(self) -> dict[str, object]:
        liberties = self.account.liberties
        if liberties.childless_ends:
            liberties.childless_ends -= 1
            return {"ContinuationSequenceNumber": None}
        children = [child.as_child_json() for child in self.stream.children_of(self.shard)]
        return {"ContinuationSequenceNumber": None, "ChildShards": children}

    def _told(self, page: LogPage, behind_ms: int, *, following: dict[str, object]) -> bytes:
        end = msgspec.json.encode({"MillisBehindLatest": behind_ms, **following})
        return event("SubscribeToShardEvent", b'{"Records":[' + b",".join(page.records) + b"]," + end[1:])
