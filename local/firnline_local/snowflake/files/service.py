"""Files that were submitted, in a queue until a thread loads them, between `start` and `close`, by what their pipes say.

Rows are read as streamed ones are: what JSON becomes which column is the same in both (`data-load-transform`). A pipe acts
as its owner, and loads all rows of a file or none (ON_ERROR = SKIP_FILE, the default of pipes). The statuses of errors are
documented (`user-guide/data-load-snowpipe-rest-apis`), their codes are believed.
"""

import gzip
import sys
import traceback
import zlib
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from http import HTTPStatus
from threading import Condition, Thread
from time import monotonic
from typing import ClassVar

from firnline_local.faults import FaultPlan
from firnline_local.snowflake.catalog import CaseClash, Catalog, DataFault, Pipe, Role
from firnline_local.snowflake.catalog.storage import FileLoad, FileSource, FirstError, LoadStatus
from firnline_local.snowflake.streaming.access import may_evolve, may_insert
from firnline_local.snowflake.streaming.reader import (
    Batch,
    EvolutionRefused,
    evolve,
    reader_of,
)


@dataclass
class FileSettings:
    load_lag_ms: int = 100
    """Between a file's submission and its rows in the table. The real service takes a minute or so."""
    scans_per_minute: int = 6
    """Of loadHistoryScan, a pipe; above it the answer is 429. The real limits are not published."""


class FileApiError(Exception):
    status: ClassVar[HTTPStatus]
    code: str

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Refused(FileApiError):
    status = HTTPStatus.UNAUTHORIZED

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


class PipeUnknown(FileApiError):
    status = HTTPStatus.NOT_FOUND
    code = "390404"

    def __init__(self) -> None:
        super().__init__("Specified object does not exist or not authorized. Pipe not found")


class Invalid(FileApiError):
    status = HTTPStatus.BAD_REQUEST
    code = "390400"


class TooOften(FileApiError):
    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "390429"

    def __init__(self) -> None:
        super().__init__("Request rate limit exceeded.")


GZIP_MAGIC = b"\x1f\x8b"


def load_file(catalog: Catalog, pipe: Pipe, path: str, *, size: int, received_at: datetime) -> FileLoad:
    """The caller holds the catalog's lock. Nothing is raised: what went wrong is in the answer."""
    now = catalog.clock()
    loaded = partial(FileLoad, path=path, size=size, received_at=received_at, loaded_at=now)
    try:
        batch, lines = _read(catalog, pipe, path)
        rows = [] if batch.errors else batch.rows
        catalog.insert_rows(pipe.table, rows, committed_at=now)
    except (_NotLoadable, CaseClash, DataFault, EvolutionRefused) as error:
        return loaded(status=LoadStatus.LOAD_FAILED, errors=1, system_error=str(error))
    return loaded(
        status=LoadStatus.LOAD_FAILED if batch.errors else LoadStatus.LOADED,
        rows_parsed=len(batch.rows) + len(batch.errors),
        rows_inserted=len(rows),
        errors=len(batch.errors),
        first_error=_first_error(batch, lines),
    )


class _NotLoadable(Exception):
    """The file, or its pipe, is in no state to be loaded."""


def _source(pipe: Pipe) -> FileSource:
    assert pipe.source is not None
    return pipe.source


def _read(catalog: Catalog, pipe: Pipe, path: str) -> tuple[Batch, list[bytes]]:
    """Reads the file; returns the lines that the rows came from, too."""
    source, owner = _source(pipe), pipe.owner
    file = source.stage.files.get(f"{source.path}{path}") if source.stage.is_live else None
    if file is None:
        raise _NotLoadable(f"Remote file '{path}' was not found.")
    if owner is None or not _may_load(catalog, owner, pipe):
        raise _NotLoadable("Insufficient privileges of the pipe's owner.")
    content = file.content
    if content.startswith(GZIP_MAGIC):
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise _NotLoadable(f"Error while decompressing: {error}") from error
    evolves = pipe.table.enable_schema_evolution and may_evolve(catalog, owner.name, pipe.table)
    batch = reader_of(pipe, evolves=evolves).read(content)
    if batch.wants_evolution and not batch.errors:
        evolve(catalog, pipe, batch)
        batch = reader_of(pipe, evolves=evolves).read(content)
    return batch, content.split(b"\n")


def _may_load(catalog: Catalog, owner: Role, pipe: Pipe) -> bool:
    """USAGE of an Iceberg table's volume is required as of who streams, because no page says that a pipe's owner needs less
    (`user-guide/snowpipe-streaming/snowpipe-streaming-access-control`, 2026-11-29).
    """
    needed = (("READ", _source(pipe).stage), ("SELECT", pipe.table))
    return may_insert(catalog, owner.name, pipe.table) and all(
        catalog.has_privilege(owner, privilege, on) for privilege, on in needed
    )


def _first_error(batch: Batch, lines: list[bytes]) -> FirstError | None:
    if not batch.errors:
        return None
    first = batch.errors[0]
    payload = first.payload.encode()
    line = lines.index(payload) + 1 if payload in lines else 1
    return FirstError(message=first.message, line=line, column=first.column)


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
        self._scans: defaultdict[int, deque[float]] = defaultdict(deque)
        self._changed = Condition(catalog.lock)
        self._is_closed = False
        self._thread = Thread(target=self._run, name="file-loader", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Ends the service: what is queued by then is never loaded."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._thread.join()

    def submit(self, pipe: Pipe, files: Sequence[tuple[str, int]]) -> None:
        received_at, due = self.catalog.clock(), self._now() + self.settings.load_lag_ms / 1000
        with self._changed:
            self._queue.extend(Submitted(pipe, path, size, received_at, due) for path, size in files)
            self._changed.notify_all()

    def count_scan(self, pipe: Pipe) -> None:
        """Raises TooOften."""
        with self.catalog.lock:
            scans, now = self._scans[pipe.id], self._now()
            while scans and scans[0] <= now - MINUTE_S:
                scans.popleft()
            if len(scans) >= self.settings.scans_per_minute:
                raise TooOften
            scans.append(now)

    def load_due(self) -> int:
        """The thread's work, which may be called without it: how many files were looked at."""
        with self.catalog.lock:
            done = 0
            while self._queue and self._queue[0].due <= self._now():
                self._load(self._queue.popleft())
                done += 1
            return done

    def _load(self, file: Submitted) -> None:
        pipe = file.pipe
        if not pipe.is_live or pipe.paused or pipe.loads.knows(file.path, self.catalog.clock()):
            return
        try:
            load = load_file(self.catalog, pipe, file.path, size=file.size, received_at=file.received_at)
        except Exception:  # the thread has to live
            traceback.print_exc(file=sys.stderr)
            return
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
        if not self._queue:
            return None
        return max(0.0, self._queue[0].due - self._now())
