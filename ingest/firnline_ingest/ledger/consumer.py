"""Registered consumers that are the application's own: only those are read by unasked, and only those are deregistered.

A small item of the ledger, one a consumer, is written before the service is asked to register it, and again with its ARN. A
crash, or an answer that got lost, leaves the first one: then what came to be at that time is ours.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from firnline_ingest.kinesis.registering import Consumer

EARLIER_MS, LATER_MS = 1_000, 120_000
"""So much before and after the asking, by the service's clock, a consumer whose ARN was never heard may have come to be: the
service tells its time in whole seconds, and a request is given up long before."""


@dataclass(frozen=True, slots=True)
class ConsumerRecord:
    """Notes that this application asked for a consumer, and what it got."""

    stream: str
    name: str
    id: str
    """Of the asking: tells two engines' from each other."""
    asked_ms: int
    """Service time."""
    arn: str = ""
    """Empty until the service's answer was heard."""

    def is_of(self, consumer: Consumer) -> bool:
        """Returns whether it is the one that was registered, and not another of its name."""
        if self.arn:
            return self.arn == consumer.arn
        return self.asked_ms - EARLIER_MS <= consumer.created_ms <= self.asked_ms + LATER_MS


def left_over(records: Iterable[ConsumerRecord], wanted: Mapping[str, str | None]) -> list[ConsumerRecord]:
    """The consumers that nothing reads by. `wanted` has the name of the consumer that the engine registers, by stream."""
    return [record for record in records if wanted.get(record.stream) != record.name]


def since(before: ConsumerRecord | None, now_ms: int) -> int:
    """Since when the application has been asking: what an asking made whose answer was lost may come to be seen later."""
    is_recent = before is not None and not before.arn and now_ms - before.asked_ms <= LATER_MS // 2
    return before.asked_ms if before is not None and is_recent else now_ms
