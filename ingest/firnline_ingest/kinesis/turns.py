"""Subscriptions that one process holds at once: beyond a limit its shards take turns, in the order in which they asked.

Whoever gives its place up goes on later at the number that it had come to, so that a turn loses and doubles nothing.
"""

import threading
import time
from collections.abc import Callable

TURN_S = 10.0
"""A subscription that others wait for lasts so long. The service refuses the second of a shard within five seconds."""
SILENT_S = 60.0
"""Whoever has not looked for so long is inside a call, and may never come back: its place is another's."""


class Turns:
    """Thread-safe."""

    def __init__(self, most: int | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """`most`: how many at once; any number where absent."""
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
