"""Snowpipe by files as a model: a stage, a queue, what is remembered and for how long, and who asks."""

import gzip
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from firnline_ingest.dead_letters.file_load import Load, Loading, most_telling
from tests.fakes.kills import Killed

BEGUN = datetime(2026, 11, 1, tzinfo=UTC)
BAD = b"bad"
"""A row with this in it is refused."""
Answer = TypeVar("Answer")


@dataclass
class Pipe:
    """Snowflake's side: it outlives whoever asks it."""

    forgets_failures: bool = False
    accepts_all: bool = False
    """The table was mended: it takes bad rows, too."""
    fails_for_gone: bool = False
    """A file that was loaded, is gone from the stage and is submitted again is reported as failed."""
    now: datetime = BEGUN
    stage: dict[str, bytes] = field(default_factory=dict)
    queue: list[str] = field(default_factory=list)
    loads: list[tuple[str, datetime, Load]] = field(default_factory=list)
    table: list[bytes] = field(default_factory=list)

    def work(self) -> None:
        """Loads the oldest file of the queue."""
        if not self.queue:
            return
        path = self.queue.pop(0)
        ends = {load.status for each, at, load in self.loads if each == path and at > self.now - timedelta(days=14)}
        is_failure = self.fails_for_gone and path not in self.stage
        if not is_failure and (Loading.LOADED in ends or (ends and not self.forgets_failures)):
            return
        rows = gzip.decompress(self.stage[path]).splitlines() if path in self.stage else [BAD]
        if path not in self.stage or (any(BAD in row for row in rows) and not self.accepts_all):
            self.loads.append((path, self.now, Load(Loading.FAILED, 0, "bad row")))
        else:
            self.table += rows
            self.loads.append((path, self.now, Load(Loading.LOADED, len(rows))))


@dataclass
class Asker:
    """A Snowpipe of one process. `kill`: at which call, counted from 0, and whether before or after it had its effect."""

    snowflake: Pipe
    pipe: str = "D.S.T_DEAD_LETTERS"
    kill: tuple[int, bool] | None = None
    mark: int = 0
    calls: list[str] = field(default_factory=list)
    scans: int = 1_000
    is_mute: bool = False
    """The report has forgotten, or never tells."""

    def _do(self, name: str, effect: Callable[[], Answer]) -> Answer:
        number = len(self.calls)
        self.calls.append(name)
        if self.kill == (number, False):
            raise Killed
        found = effect()
        if self.kill == (number, True):
            raise Killed
        return found

    def history(self, path: str, since: datetime) -> Load | None:
        oldest = max(since, self.snowflake.now - timedelta(days=14))
        return self._do("history", lambda: self._found(path, oldest))

    def _found(self, path: str, since: datetime) -> Load | None:
        return most_telling(load for each, at, load in self.snowflake.loads if each == path and at >= since)

    def put(self, file: Path, folder: str) -> None:
        self._do("put", lambda: self.snowflake.stage.update({f"{folder}/{file.name}": file.read_bytes()}))

    def submit(self, path: str, size: int) -> None:
        self._do("submit", lambda: self.snowflake.queue.append(path))

    def report(self, path: str) -> Load | None:
        return self._do("report", lambda: self._new(path))

    def _new(self, path: str) -> Load | None:
        news, self.mark = self.snowflake.loads[self.mark :], len(self.snowflake.loads)
        lasting = [load for each, at, load in news if each == path and at > self.snowflake.now - timedelta(minutes=10)]
        return None if self.is_mute else most_telling(lasting)

    def scan(self, path: str, since: datetime) -> Load | None:
        self.scans -= 1
        return self._do("scan", lambda: self._found(path, since) if self.scans >= 0 else None)

    def remove(self, path: str) -> None:
        self._do("remove", lambda: self._gone(path))

    def _gone(self, path: str) -> None:
        self.snowflake.stage.pop(path, None)
