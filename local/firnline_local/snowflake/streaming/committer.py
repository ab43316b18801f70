"""Commits accepted rows after the commit lag: in order per channel, one step per table across its channels.

Rows, error rows, offset token and counters of a request change together, under the catalog's lock. The lock is given up
between steps, which are bounded in bytes, so that neither SQL nor appends wait long.
"""

import sys
import traceback
from collections.abc import Callable
from threading import Thread
from time import monotonic, sleep

from firnline_local.snowflake.catalog import Catalog
from firnline_local.snowflake.streaming.channels import Channels, count_rows
from firnline_local.snowflake.streaming.commits import CommitStep, StepWriter
from firnline_local.snowflake.streaming.settings import StreamingCounts, StreamingSettings

MAX_STEP_BYTES = 4 << 20
YIELD_S = 0.0005  # Python's locks aren't fair: without it, whoever waits for the lock may wait for the whole backlog


class Committer:
    """A thread that commits what is due. `commit_due` is the thread's work, and may be called without it."""

    def __init__(
        self,
        catalog: Catalog,
        channels: Channels,
        *,
        settings: StreamingSettings,
        counts: StreamingCounts,
        writer: StepWriter,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self._catalog = catalog
        self._channels = channels
        self._settings = settings
        self._counts = counts
        self._writer = writer
        self._now = now
        self._is_closed = False
        self._thread = Thread(target=self._run, name="committer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Returns when the thread has ended; what is not committed by then never is."""
        with self._channels.changed:
            self._is_closed = True
            self._channels.changed.notify_all()
        self._thread.join()

    def wake(self) -> None:
        """After a change of the settings."""
        with self._channels.changed:
            self._channels.changed.notify_all()

    def commit_due(self) -> bool:
        """Commits up to a step's bytes for each table; tells whether there was anything to do."""
        with self._catalog.lock:
            steps = self._take() if not self._settings.hold_commits else []
            for step in steps:
                self._write(step)
            return bool(steps)

    def _run(self) -> None:
        while True:
            with self._channels.changed:
                while not self._is_closed and (wait_s := self._wait_s()) != 0:
                    self._channels.changed.wait(wait_s)
                if self._is_closed:
                    return
            self.commit_due()
            sleep(YIELD_S)

    def _wait_s(self) -> float | None:
        """Until the next request is due; None where only a change can make one due."""
        if self._settings.hold_commits or not self._channels.waiting:
            return None
        oldest = min(channel.pending[0].accepted_at for channel in self._channels.waiting.values())
        return max(0.0, oldest + self._settings.commit_lag_ms / 1000 - self._now())

    def _take(self) -> list[CommitStep]:
        """What is due, by table. A channel that got its turn goes to the end of the queue."""
        due_since = self._now() - self._settings.commit_lag_ms / 1000
        steps: dict[int, CommitStep] = {}
        for channel in list(self._channels.waiting.values()):
            if not channel.pipe.is_live:
                self._counts.rows_into_nowhere += count_rows(channel.pending)
                channel.pending.clear()
                del self._channels.waiting[channel.id]
                continue
            step = steps.setdefault(channel.pipe.table.id, CommitStep(channel.pipe.table))
            due = [append for append in channel.pending if append.accepted_at <= due_since]
            if step.take(channel, due, max_bytes=MAX_STEP_BYTES):
                self._channels.waiting[channel.id] = self._channels.waiting.pop(channel.id)
        return [step for step in steps.values() if step.taken]

    def _write(self, step: CommitStep) -> None:
        try:
            self._writer.write(step, now=self._now())
        except Exception as error:  # whatever it is, the thread has to live, and the clients have to hear of it
            traceback.print_exc(file=sys.stderr)
            step.invalidate(f"Internal error: {error}", at=self._catalog.clock())
        for channel, _ in step.taken:
            if not channel.pending:
                self._channels.waiting.pop(channel.id, None)
