"""Status of the channels of one client, asked of Snowflake on a thread of its own.

The SDK answers a status from a cache that it refreshes about once a second, and lets who asks wait for it: a shard's
thread would stop reading for that long. Here it takes the last answer, at most about a second old, and goes on.
"""

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from firnline_ingest.snowflake.sdk_guard import SdkSilent, guarded

if TYPE_CHECKING:
    from snowflake.ingest.streaming import ChannelStatus, StreamingIngestClient

INTEREST_S = 3.0  # a channel that was not asked about for so long has nothing in flight
LEAST_PAUSE_S, LONGEST_PAUSE_S = 0.02, 1.0
SILENT_S = 180.0  # longer than the SDK itself tries to get an answer
UNANSWERED_S = 60.0  # as long as passing trouble lasts, the last answer is believed


def _passes_never(_: Exception) -> bool:
    return False


class StatusWatch:
    """Thread-safe. Asks only about channels that a shard asked about a moment ago.

    `passes` tells which failures are waited over; any other is raised to everybody who asks, until there is an answer again.
    """

    def __init__(
        self,
        client: "StreamingIngestClient",
        passes: Callable[[Exception], bool] = _passes_never,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._passes = passes
        self._clock = clock
        self._answered = threading.Condition()
        self._wanted = threading.Event()
        self._asked_at_s: dict[str, float] = {}
        self._opened_in_round: dict[str, int] = {}
        self._latest: dict[str, ChannelStatus] = {}
        self._failure: Exception | None = None
        self._failing_since_s = 0.0
        self._round = self._last_answered = 0
        self._asking_since_s: float | None = None
        self._sent_since_s: float | None = None
        self._is_closed = False
        threading.Thread(target=self._watch, name="channel-status", daemon=True).start()

    def opened(self, name: str, status: "ChannelStatus") -> None:
        """A channel was opened with this status: answers to questions from before that are not about it."""
        with self._answered:
            self._latest[name] = status
            self._opened_in_round[name] = self._round
            self._failure = None

    def latest(self, name: str) -> "ChannelStatus":
        """The last answer, and a reason to ask again. Raises what the SDK raised instead of an answer, and SdkSilent where one
        question has been waiting for too long.
        """
        with self._answered:
            self._asked_at_s[name] = self._clock()
            self._wanted.set()
            failure = self._failure
            if failure is not None and self._is_serious(failure):
                raise failure
            self._refuse_silence()
            return self._latest[name]

    def sent(self) -> None:
        """Rows were handed over: some token is about to move."""
        with self._answered:
            if self._sent_since_s is None:
                self._sent_since_s = self._clock()

    @property
    def silent_s(self) -> float:
        """The seconds that rows have waited without any channel's token moving, as far as the SDK tells."""
        with self._answered:
            return 0.0 if self._sent_since_s is None else self._clock() - self._sent_since_s

    def next(self, name: str, within_s: float) -> "ChannelStatus | None":
        """An answer to a question that is asked from now on; None where there is none in time."""
        with self._answered:
            asked = self._round
            self._asked_at_s[name] = self._clock()
            self._wanted.set()
            is_new = self._answered.wait_for(lambda: self._last_answered > asked, within_s)
            return self._latest[name] if is_new else None

    def close(self) -> None:
        """Ends the thread; the client is about to be closed."""
        self._is_closed = True
        self._wanted.set()

    def _is_serious(self, failure: Exception) -> bool:
        return not self._passes(failure) or self._clock() - self._failing_since_s > UNANSWERED_S

    def _watch(self) -> None:
        pause_s = LEAST_PAUSE_S
        while not self._is_closed:
            self._wanted.wait()
            names = self._names_of_interest()
            if not names:
                self._wanted.clear()
                continue
            try:
                self._store(guarded(None, self._client.get_channel_statuses, names))
                pause_s = LEAST_PAUSE_S
            except Exception as error:
                self._fail(error)
                pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
            time.sleep(pause_s)

    def _names_of_interest(self) -> list[str]:
        with self._answered:
            self._round += 1
            now_s = self._clock()
            names = [name for name, asked_s in self._asked_at_s.items() if asked_s >= now_s - INTEREST_S]
            self._asking_since_s = now_s if names else None
            return names

    def _store(self, statuses: "dict[str, ChannelStatus]") -> None:
        with self._answered:
            for name, status in statuses.items():
                if self._opened_in_round[name] < self._round:
                    if status.latest_committed_offset_token != self._latest[name].latest_committed_offset_token:
                        self._sent_since_s = None
                    self._latest[name] = status
            self._asking_since_s = None
            self._failure = None
            self._last_answered = self._round
            self._answered.notify_all()

    def _refuse_silence(self) -> None:
        for_s = 0.0 if self._asking_since_s is None else self._clock() - self._asking_since_s
        if for_s > SILENT_S:
            raise SdkSilent(f"one question about its channels has waited for {for_s:.0f} s")

    def _fail(self, error: Exception) -> None:
        with self._answered:
            self._asking_since_s = None
            if self._failure is None:
                self._failing_since_s = self._clock()
            self._failure = error
