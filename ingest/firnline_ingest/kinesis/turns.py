"""Turns of shards: for the subscriptions that one process holds at once, and for what all processes may ask an account.

Subscriptions: beyond a limit the shards of a process take turns, in the order in which they asked.

Whoever gives its place up goes on later at the number that it had come to, so that a turn loses and doubles nothing.
"""

import math
import threading
import time
from collections.abc import Callable

TURN_S = 10.0
"""A subscription that others wait for lasts so long. The service refuses the second of a shard within five seconds."""
SILENT_S = 60.0
"""Whoever has not looked for so long is inside a call, and may never come back: its place is another's."""
QUESTIONS_PER_S = 10
"""DescribeStreamSummary of all tasks of an engine together. A whole account has 20 a second (API reference, 2026-11-28), of which
others need some, and tasks do not begin at the same moment."""


class Turns:
    """Thread-safe."""

    def __init__(self, most: int | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """`most`: how many at once; any number by default."""
        self._most = most
        self._clock = clock
        self._lock = threading.Lock()
        self._holders: dict[object, float] = {}
        self._waiting: dict[object, float] = {}
        """When each has looked last, those first that asked first."""

    def take(self, who: object) -> bool:
        """Returns whether it may subscribe; if it may not yet, it has its place among those that wait."""
        with self._lock:
            if self._most is None or who in self._holders:
                return True
            self._waiting[who] = now_s = self._clock()
            for looked in (self._holders, self._waiting):
                for each in [each for each, at_s in looked.items() if now_s - at_s >= SILENT_S]:
                    del looked[each]
            free = self._most - len(self._holders)
            if list(self._waiting).index(who) >= free:
                return False
            del self._waiting[who]
            self._holders[who] = now_s
            return True

    def give_back(self, who: object) -> None:
        """Also its place among those that wait."""
        with self._lock:
            self._holders.pop(who, None)
            self._waiting.pop(who, None)

    def is_over(self, who: object, held_s: float) -> bool:
        """Returns whether a subscription that was held so long has to make room for another shard's, or has lost its place."""
        with self._lock:
            if self._most is None or who not in self._holders:
                return self._most is not None
            self._holders[who] = self._clock()
            return bool(self._waiting) and held_s >= TURN_S


LONGEST_WAIT_S = 30.0
"""A stop waits for a shard for longer."""


class QuestionTimes:
    """Times at which a process may ask, so that all that ask at once keep to QUESTIONS_PER_S. Thread-safe.

    Nobody waits for more than LONGEST_WAIT_S: beyond that the service refuses a part of them, which come again (reader.py).
    """

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._clock_s = clock_s
        self._lock = threading.Lock()
        self._among: tuple[int, int] | None = None
        self._next_s = -math.inf

    def take_place(self, place: int, among: int) -> None:
        """Sets which one of how many processes this is, from 0 on: their first questions follow one another."""
        with self._lock:
            if self._among != (place, among):
                self._among = place, among
                now_s, first_s = self._clock_s(), place / QUESTIONS_PER_S
                self._next_s = min(max(self._next_s, now_s + first_s), now_s + max(first_s, among / QUESTIONS_PER_S))

    def reserve(self, not_before_s: float) -> float:
        """Returns the time of the next question, by the clock, which no other one of this process has."""
        with self._lock:
            now_s = self._clock_s()
            due_s = max(not_before_s, now_s, min(self._next_s, now_s + LONGEST_WAIT_S))
            among = self._among[1] if self._among else 1
            self._next_s = due_s + among / QUESTIONS_PER_S
            return due_s
