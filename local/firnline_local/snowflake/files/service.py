"""Files that were submitted, in a queue until a thread loads them, between `start` and `close`, by what their pipes say.

Rows are read as streamed ones are: what JSON becomes which column is the same in both (`data-load-transform`). A pipe acts
as its owner. ON_ERROR = SKIP_FILE, the default of pipes, loads all rows of a file or none. The statuses of errors are
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
from firnline_local.snowflake.catalog.storage import FileLoad, FileSource, FirstError, LoadStatus, OnError
from firnline_local.snowflake.streaming.access import may_evolve
from firnline_local.snowflake.streaming.reader import (
    Batch,
    EvolutionRefused,
    RowReader,
    can_hold,
    evolution_record,
    new_columns,
)


@dataclass
class FileSettings:
    load_lag_ms: int = 100
    """Between a file's submission and its rows in the table. The real service takes a minute or so."""
    hold_loads: bool = False
    """Nothing is loaded while this is on."""
    forgets_failures: bool = False
    """Whether a name that could not be loaded is tried again when it is submitted again: no page says."""
    scans_per_minute: int = 6
    """Of loadHistoryScan, a pipe; above it the answer is 429. The real limits are not published."""
    submissions_per_minute: int = 600
    """Of insertFiles, a pipe."""


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
        skipped = bool(batch.errors) and _source(pipe).on_error is OnError.SKIP_FILE
        rows = [] if skipped else batch.rows
        catalog.insert_rows(pipe.table, rows, committed_at=now)
    except (_NotLoadable, CaseClash, DataFault, EvolutionRefused) as error:
        return loaded(status=LoadStatus.LOAD_FAILED, errors=1, system_error=str(error))
    return loaded(
        status=_status(batch, skipped=skipped),
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
    """With the lines that it was read from."""
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
    batch = _reader(pipe, evolves=evolves).read(content)
    if batch.wants_evolution and not batch.errors:
        _evolve(catalog, pipe, batch)
        batch = _reader(pipe, evolves=evolves).read(content)
    return batch, content.split(b"\n")


def _may_load(catalog: Catalog, owner: Role, pipe: Pipe) -> bool:
    needed = (("READ", _source(pipe).stage), ("INSERT", pipe.table), ("SELECT", pipe.table))
    return all(catalog.has_privilege(owner, privilege, on) for privilege, on in needed)


def _reader(pipe: Pipe, *, evolves: bool) -> RowReader:
    return RowReader(pipe.table.columns, match_case=pipe.match_by_column_name == "CASE_SENSITIVE", evolves=evolves)


def _evolve(catalog: Catalog, pipe: Pipe, batch: Batch) -> None:
    at = catalog.clock()
    unknown = {key: kinds for key, kinds in batch.unknown.items() if can_hold(pipe.table, kinds)}
    if columns := new_columns(unknown, match_case=pipe.match_by_column_name == "CASE_SENSITIVE"):
        catalog.add_columns(pipe.table, columns, evolution=evolution_record("ADD_COLUMN", at=at))
    for column in sorted(batch.omitted):
        catalog.drop_not_null(pipe.table, column, evolution=evolution_record("DROP_NOT_NULL", at=at))


def _status(batch: Batch, *, skipped: bool) -> LoadStatus:
    if not batch.errors:
        return LoadStatus.LOADED
    return LoadStatus.LOAD_FAILED if skipped or not batch.rows else LoadStatus.PARTIALLY_LOADED


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
