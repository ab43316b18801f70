"""Files that were submitted, in a queue until they are loaded; a thread loads them between `start` and `close`."""

import sys
import traceback
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Condition, Thread
from time import monotonic

from firnline_local.faults import FaultPlan
from firnline_local.snowflake.catalog import Catalog, Pipe
from firnline_local.snowflake.catalog.stages import FileLoad
from firnline_local.snowflake.files.errors import TooOften
from firnline_local.snowflake.files.loader import load_file
from firnline_local.snowflake.files.settings import FileSettings

MINUTE_S = 60


@dataclass(frozen=True)
class Submitted:
    pipe: Pipe
    path: str
    size: int
    received_at: datetime
    due: float


class FileService:
    """One of a server. The queue is guarded by the catalog's lock."""

    def __init__(
        self,
        catalog: Catalog,
        faults: FaultPlan,
        *,
        settings: FileSettings | None = None,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self.catalog = catalog
        self.faults = faults
        self.settings = settings or FileSettings()
        self._now = now
        self._queue: deque[Submitted] = deque()
        self._calls: defaultdict[tuple[int, str], deque[float]] = defaultdict(deque)
        self._changed = Condition(catalog.lock)
        self._is_closed = False
        self._thread = Thread(target=self._run, name="file-loader", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """What is queued by then is never loaded."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._thread.join()

    def submit(self, pipe: Pipe, files: Sequence[tuple[str, int]]) -> None:
        received_at, due = self.catalog.clock(), self._now() + self.settings.load_lag_ms / 1000
        with self._changed:
            self._queue.extend(Submitted(pipe, path, size, received_at, due) for path, size in files)
            self._changed.notify_all()

    def count(self, pipe: Pipe, call: str, limit: int) -> None:
        """Raises TooOften."""
        with self.catalog.lock:
            calls, now = self._calls[pipe.id, call], self._now()
            while calls and calls[0] <= now - MINUTE_S:
                calls.popleft()
            if len(calls) >= limit:
                raise TooOften
            calls.append(now)

    def release(self) -> None:
        """Loads go on, after `hold_loads` was set."""
        with self._changed:
            self.settings.hold_loads = False
            self._changed.notify_all()

    def load_due(self) -> int:
        """The thread's work, which may be called without it: how many files were looked at."""
        with self.catalog.lock:
            done = 0
            while self._queue and self._queue[0].due <= self._now() and not self.settings.hold_loads:
                self._load(self._queue.popleft())
                done += 1
            return done

    def _load(self, file: Submitted) -> None:
        pipe, now = file.pipe, self.catalog.clock()
        failures = not self.settings.forgets_failures
        if not pipe.is_live or pipe.paused or pipe.loads.knows(file.path, now, failures=failures):
            return
        try:
            load = load_file(self.catalog, pipe, file.path, size=file.size, received_at=file.received_at)
        except Exception:  # the thread has to live
            traceback.print_exc(file=sys.stderr)
            return
        self._remember(pipe, load)

    def _remember(self, pipe: Pipe, load: FileLoad) -> None:
        pipe.loads.entries.append(load)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._is_closed and (wait_s := self._wait_s()) != 0:
                    self._changed.wait(wait_s)
                if self._is_closed:
                    return
            self.load_due()

    def _wait_s(self) -> float | None:
        if self.settings.hold_loads or not self._queue:
            return None
        return max(0.0, self._queue[0].due - self._now())
