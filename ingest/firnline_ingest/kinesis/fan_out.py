"""Enhanced fan-out: the service pushes a shard's records over a subscription, which it ends every five minutes.

A subscription that ended, whatever ended it, is followed by one that begins where the shard stands: at the record read last, or
at the number that the service said it had come to where no record came since. Both are AT and never AFTER: what is read
twice is left out by the reader, what is left out is lost. The record at such a number may be older than a position in time where
nothing was read yet: it is left out here.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from firnline_ingest.errors import KinesisError
from firnline_ingest.kinesis.consumer_errors import ConsumerGone, ConsumerMissing, ConsumerShared, SubscriptionTaken
from firnline_ingest.kinesis.consumers import Consumers
from firnline_ingest.kinesis.errors import PositionForeign, StreamMissing
from firnline_ingest.kinesis.page import Record, ShardEvent
from firnline_ingest.kinesis.source import Page
from firnline_ingest.kinesis.start import After, AtTimestamp, Start
from firnline_ingest.kinesis.subscription import OPERATION, Subscription, subscribe
from firnline_ingest.kinesis.turns import Turns
from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

AGAIN_AFTER_S = 5.0  # the service refuses the second of two subscriptions within this time
POLL_INTERVAL_S = 0.25
"""So long the shard's thread waits for an event, before it looks whether it has something else to do."""
CONTINUES_MS = 3_600_000
"""A number to continue from is good for so long, by the service's clock: then the last record is asked for, to see that nothing
left retention meanwhile."""

TAKEN_TIMES, TAKEN_WITHIN_S = 6, 600.0
"""A task that moved, or a channel that was opened again, takes a subscription once."""


class FanOutSource:
    """Implements PageSource."""

    operation = OPERATION

    def __init__(
        self,
        client: "KinesisClient",
        key: ShardKey,
        consumer_arn: str,
        consumers: Consumers,
        *,
        is_registered_here: bool = False,
        turns: Turns | None = None,
        clock: Callable[[], float],
        poll_interval_s: float = POLL_INTERVAL_S,
    ) -> None:
        """`is_registered_here`: the engine registers the consumer, and so again where it was deregistered."""
        self._client = client
        self._key = key
        self._consumer_arn = consumer_arn
        self._consumers = consumers
        self._is_registered_here = is_registered_here
        self._turns = turns or Turns()
        self._clock = clock
        self._poll_interval_s = poll_interval_s
        self._subscription: Subscription | None = None
        self._subscribed_s = self._waits_until_s = float("-inf")
        self._is_first = True
        self._from_ms = 0
        self._continuation: str | None = None
        self._answered_ms: int | None = None
        self._taken_s: deque[float] = deque(maxlen=TAKEN_TIMES)
        self.calls = 0

    @property
    def not_before_s(self) -> float:
        again_s = self._subscribed_s + AGAIN_AFTER_S
        return max(again_s, self._waits_until_s) if self._subscription is None else 0.0

    def page(self, start: Start) -> Page | None:
        subscription = self._subscription or self._subscribe(start)
        if subscription is None:
            return None
        try:
            event = subscription.take(self._poll_interval_s)
        except KinesisError as error:
            self._has_none()
            if isinstance(error, SubscriptionTaken):
                self._was_taken()
            raise
        if subscription.is_over:
            self._has_none()
        elif self._turns.is_over(self, self._clock() - self._subscribed_s):
            self.close()
        return None if event is None else self._page(event)

    def _has_none(self) -> None:
        self._subscription = None
        self._turns.give_back(self)

    def _was_taken(self) -> None:
        """Raises ConsumerShared where that goes on and on."""
        now_s = self._clock()
        self._taken_s.append(now_s)
        if len(self._taken_s) == TAKEN_TIMES and now_s - self._taken_s[0] <= TAKEN_WITHIN_S:
            raise ConsumerShared(str(self._key), self._consumer_arn, TAKEN_TIMES)

    def forget(self) -> None:
        """Trouble of any kind: what follows begins at the record read last."""
        self._continuation = None
        self.close()

    def close(self) -> None:
        if self._subscription is not None:
            self._subscription.close()
        self._has_none()

    def _subscribe(self, start: Start) -> Subscription | None:
        """Subscribes; returns None if the subscription has to begin elsewhere, a little later, or if it is another's turn."""
        if not self._turns.take(self):
            self._waits_until_s = self._clock() + self._poll_interval_s
            return None
        self._make_sure_of_consumer()
        continuation = self._goes_on_at(start)
        request = {
            "ConsumerARN": self._consumer_arn,
            "ShardId": self._key.shard_id,
            "StartingPosition": _at(start) if continuation is None else _at_number(continuation),
        }
        try:
            made = subscribe(self._client, self._key.stream, request)
        except StreamMissing:
            self._consumers.forget(self._consumer_arn)
            self._make_sure_of_consumer()
            raise
        except PositionForeign:
            if continuation is None:
                raise
            self._continuation = None
            return None
        self._subscribed_s = self._clock()
        if continuation is not None and self._is_stale(made.answered_ms):
            made.close()
            self._continuation = None
            return None
        self._is_first, self._subscription = continuation is None, made
        self._from_ms = start.ms if continuation is not None and isinstance(start, AtTimestamp) else 0
        self._answered_ms = made.answered_ms
        return made

    def _make_sure_of_consumer(self) -> None:
        try:
            self._consumers.make_sure_of(self._key.stream, self._consumer_arn)
        except ConsumerMissing as error:
            if not self._is_registered_here:
                raise
            raise ConsumerGone(self._key.stream, self._consumer_arn) from error

    def _goes_on_at(self, start: Start) -> str | None:
        """The number that the service named, where it lies beyond the record read last."""
        number = self._continuation
        if number is None or not number.isdecimal():
            return None
        return None if isinstance(start, After) and int(number) <= start.position.sequence_number else number

    def _is_stale(self, answered_ms: int | None) -> bool:
        known = self._answered_ms
        return answered_ms is None or known is None or answered_ms - known > CONTINUES_MS

    def _from_position(self, records: Sequence[Record]) -> Sequence[Record]:
        """One whose time is not given is read."""
        if not self._from_ms:
            return records
        from_s = (self._from_ms - 0.5) / 1000
        return [each for each in records if (each.ApproximateArrivalTimestamp or from_s) >= from_s]

    def _page(self, event: ShardEvent) -> Page:
        """Events carry no time: what is known is when the subscription began, and when the newest record arrived."""
        self.calls += 1
        self._continuation = event.ContinuationSequenceNumber
        arrived_s = event.Records[-1].ApproximateArrivalTimestamp if event.Records else None
        if self._answered_ms is not None and arrived_s is not None:
            self._answered_ms = max(self._answered_ms, int(arrived_s * 1000))
        is_first, self._is_first = self._is_first, False
        return Page(
            self._from_position(event.Records),
            event.MillisBehindLatest,
            goes_on=bool(event.ContinuationSequenceNumber),
            children=tuple(child.ShardId for child in event.ChildShards or ()),
            answered_ms=self._answered_ms,
            is_first=is_first,
        )


def _at(start: Start) -> dict[str, Any]:
    if isinstance(start, After):
        return _at_number(str(start.position.sequence_number))
    if isinstance(start, AtTimestamp):
        return {"Type": "AT_TIMESTAMP", "Timestamp": start.ms / 1000}
    return {"Type": "TRIM_HORIZON"}


def _at_number(number: str) -> dict[str, Any]:
    return {"Type": "AT_SEQUENCE_NUMBER", "SequenceNumber": number}
