"""Subscriptions that one process holds at once: beyond a limit its shards take turns, in the order in which they asked.

Whoever gives its place up goes on later at the number that it had come to, so that a turn loses and doubles nothing.
"""

import threading
from collections import deque

TURN_S = 10.0
"""A subscription that others wait for lasts so long. The service refuses the second of a shard within five seconds."""


class Turns:
    """Thread-safe."""

    def __init__(self, most: int | None = None) -> None:
        """`most`: how many at once; any number where absent."""
        self._most = most
        self._lock = threading.Lock()
        self._holders: set[object] = set()
        self._waiting: deque[object] = deque()

    def take(self, who: object) -> bool:
        """Returns whether it may subscribe; if it may not yet, it has its place among those that wait."""
        with self._lock:
            if self._most is None or who in self._holders:
                return True
            if who not in self._waiting:
                self._waiting.append(who)
            free = self._most - len(self._holders)
            if self._waiting.index(who) >= free:
                return False
            self._waiting.remove(who)
            self._holders.add(who)
            return True

    def give_back(self, who: object) -> None:
        """Also its place among those that wait."""
        with self._lock:
            self._holders.discard(who)
            if who in self._waiting:
                self._waiting.remove(who)

    def is_over(self, held_s: float) -> bool:
        """Returns whether a subscription that has been held so long has to make room for another shard's."""
        with self._lock:
            return bool(self._waiting) and held_s >= TURN_S
