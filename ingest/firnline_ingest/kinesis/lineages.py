"""The lineages of an application's streams, read again and again within what the service allows.

DescribeStreamSummary may be called 20 times a second by a whole account, and others call it too; ListShards 1,000 times a
second for each stream (Kinesis API reference). So every plan lists every stream, summaries wait for their turn, and with
many streams a part of them is renewed in turns. What a summary says is a stream's retention, and when it was made. A stream that
was recreated under its name is seen in the listing at once: its shards begin with other sequence numbers.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from firnline_ingest.kinesis.lineage import Lineage, StreamSummary, read_lineage, read_summary

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

SUMMARIES, STRETCH_S = 19, 1.05
"""At most so many in any stretch of so long; calls reach the service less evenly than they are sent."""
RENEWED = 20
"""Summaries that a plan reads again, about: with fewer streams, each plan reads all."""


class Lineages:
    """Thread-safe. Call `next_plan` before the reads of a plan, with the streams that it is of."""

    def __init__(
        self,
        client_of: Callable[[str], "KinesisClient"],
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client_of = client_of
        self._turns: dict[str, int] = {}
        self._every = 1
        self._plan = 0
        self._read: dict[str, tuple[StreamSummary, Lineage]] = {}
        self._window = Window(SUMMARIES, STRETCH_S, clock, sleep)

    def next_plan(self, streams: Sequence[str]) -> None:
        """Streams that come later take turns behind the others."""
        self._plan += 1
        for stream in streams:
            self._turns.setdefault(stream, len(self._turns))
        self._every = max(1, math.ceil(len(streams) / RENEWED))

    def read(self, stream: str) -> Lineage:
        """Raises the errors of kinesis/errors.py."""
        known, client = self._read.get(stream), self._client_of(stream)
        if known is not None and (self._plan + self._turns[stream]) % self._every != 0:
            summary, before = known
            lineage = read_lineage(client, stream, summary)
            if lineage.is_of_the_same_stream_as(before):
                self._read[stream] = summary, lineage
                return lineage
        self._read.pop(stream, None)
        self._window.wait()
        summary = read_summary(client, stream)
        lineage = read_lineage(client, stream, summary)
        self._read[stream] = summary, lineage
        return lineage


class Window:
    """Lets so many callers pass in any stretch of time; thread-safe."""

    def __init__(
        self, calls: int, stretch_s: float, clock: Callable[[], float], sleep: Callable[[float], None]
    ) -> None:
        self._stretch_s = stretch_s
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._turns_s = deque([-math.inf] * calls, maxlen=calls)

    def wait(self) -> None:
        with self._lock:
            now_s = self._clock()
            turn_s = max(now_s, self._turns_s[0] + self._stretch_s)
            self._turns_s.append(turn_s)
        if turn_s > now_s:
            self._sleep(turn_s - now_s)
