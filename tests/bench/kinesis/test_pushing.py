"""Tests of what the canned service pushes, read by botocore's own parser of event streams."""

import json
from typing import Any

import pytest
from botocore.eventstream import EventStreamBuffer

from bench.kinesis.pushing import IDLE_EVENT_S, LASTS_S, CannedPushes, Pushed
from bench.kinesis.shard import CannedShard
from firnline_local.kinesis.limits import READ_BYTES

PER_S = 10.0


class Subscribed:
    """To a shard whose record n arrives n tenths of a second after the subscription began, or is there from the beginning."""

    def __init__(self, *, is_trickle: bool = True, first: int = 0, record_bytes: int = 1024) -> None:
        self.now_s = 1_000.0
        self.noted: list[Pushed] = []
        shard = CannedShard.of([b"{}"], index=1, first_arrival_s=1_000.0, records_per_s=PER_S, is_trickle=is_trickle)
        self.pushes = CannedPushes(shard, first, record_bytes, lambda: self.now_s, self.noted.append)
        self.greeting = self.pushes.next()

    def event(self) -> dict[str, Any] | None:
        message = self.pushes.next()
        if message is None:
            return None
        buffer: Any = EventStreamBuffer()
        buffer.add_data(message)
        told = next(buffer)
        assert told.headers[":event-type"] == "SubscribeToShardEvent"
        found: dict[str, Any] = json.loads(told.payload)
        return found


def test_a_record_leaves_when_it_has_arrived_and_is_noted() -> None:
    subscribed = Subscribed()
    assert subscribed.greeting is not None
    first = subscribed.event()
    assert first is not None
    assert (len(first["Records"]), subscribed.event()) == (1, None)
    assert subscribed.pushes.delay_s == pytest.approx(0.1)
    subscribed.now_s += 0.25
    following = subscribed.event()
    assert following is not None
    assert following["ContinuationSequenceNumber"] == following["Records"][-1]["SequenceNumber"]
    assert subscribed.noted == [Pushed(1_000.0, 1, 0, 1), Pushed(1_000.25, 1, 1, 3)]


def test_it_goes_on_where_it_was_asked_to_begin() -> None:
    subscribed = Subscribed(first=2)
    subscribed.now_s += 0.25
    assert subscribed.event() is not None
    assert [(each.first, each.after) for each in subscribed.noted] == [(2, 3)]


def test_a_silent_shard_has_an_event_every_five_seconds_and_an_end_after_five_minutes() -> None:
    subscribed = Subscribed(first=10_000)
    assert subscribed.event() is None
    subscribed.now_s += IDLE_EVENT_S
    silent = subscribed.event()
    assert silent is not None
    assert silent["Records"] == []
    subscribed.now_s += LASTS_S
    assert subscribed.event() is None
    assert subscribed.pushes.is_over


def test_a_full_shard_gives_no_more_than_two_mebibytes_a_second() -> None:
    subscribed = Subscribed(is_trickle=False)
    given = 0.0
    for _ in range(20):
        event = subscribed.event()
        assert event is not None
        given += len(event["Records"]) * 1024
        subscribed.now_s += subscribed.pushes.delay_s
    assert given / (subscribed.now_s - 1_000.0) <= READ_BYTES * 1.001
