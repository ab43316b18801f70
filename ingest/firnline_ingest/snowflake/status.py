"""What Snowflake says of the channels of one client, asked for on a thread of its own.

The SDK answers a status from a cache that it refreshes about once a second, and lets who asks wait for it: a shard's
thread would stop reading for that long. Here it takes the last answer, at most about a second old, and goes on.
"""

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from snowflake.ingest.streaming import ChannelStatus, StreamingIngestClient

INTEREST_S = 3.0  # a channel that nobody asked about for so long has nothing in flight
LEAST_PAUSE_S = 0.02


class StatusWatch:
    """Thread-safe. Asks only about channels that somebody asked about a moment ago."""

    def __init__(self, client: "StreamingIngestClient") -> None:
        self._client = client
        self._lock = threading.Lock()
        self._wanted = threading.Event()
        self._asked_at_s: dict[str, float] = {}
        self._opened_in_round: dict[str, int] = {}
        self._latest: dict[str, ChannelStatus] = {}
        self._failure: Exception | None = None
        self._round = 0
        self._is_closed = False
        threading.Thread(target=self._watch, name="channel-status", daemon=True).start()

    def opened(self, name: str, status: "ChannelStatus") -> None:
        """A channel was opened with this status: answers to questions from before that are not about it."""
        with self._lock:
            self._latest[name] = status
            self._opened_in_round[name] = self._round
            self._failure = None

    def latest(self, name: str) -> "ChannelStatus":
        """The last answer, and a reason to ask again. Raises what the SDK raised instead of an answer."""
        with self._lock:
            self._asked_at_s[name] = time.monotonic()
            failure, self._failure = self._failure, None
            status = self._latest[name]
        self._wanted.set()
        if failure is not None:
            raise failure
        return status

    def close(self) -> None:
        """Ends the thread; the client is about to be closed."""
        self._is_closed = True
        self._wanted.set()

    def _watch(self) -> None:
        while not self._is_closed:
            self._wanted.wait()
            names = self._names_of_interest()
            if not names:
                self._wanted.clear()
                continue
            try:
                self._store(self._client.get_channel_statuses(names))
            except Exception as error:
                with self._lock:
                    self._failure = error
            time.sleep(LEAST_PAUSE_S)

    def _names_of_interest(self) -> list[str]:
        with self._lock:
            self._round += 1
            recent_s = time.monotonic() - INTEREST_S
            return [name for name, asked_s in self._asked_at_s.items() if asked_s >= recent_s]

    def _store(self, statuses: "dict[str, ChannelStatus]") -> None:
        with self._lock:
            for name, status in statuses.items():
                if self._opened_in_round[name] < self._round:
                    self._latest[name] = status
