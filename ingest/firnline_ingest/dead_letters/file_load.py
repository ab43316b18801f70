"""One file into its table, proven once: a replay that asks again for the same name finds what became of it.

The order is: the history is asked ①, the file is put ②, the history asked again, the file submitted ③, and waited for ④; it is
removed from the stage ⑤. The pipe
loads a name once in 14 days, however often it is put and submitted; so a kill anywhere is made good by asking again. What is
older is not answered, and never guessed.
"""

import gzip
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Protocol, TypeGuard

from firnline_ingest.dead_letters.file_errors import FileUnprovable, FileUnproven

REMEMBERED = timedelta(days=13)
"""A pipe remembers for 14 days (user guide, "Introduction to Snowpipe"); one of them is for clocks and for the load itself."""
POLL_S = 5.0
SCAN_S = 60.0
"""Between two looks at a history, which is rate-limited; the report, which forgets in ten minutes, is read in between."""
TIMEOUT_S = 900.0


class Loading(StrEnum):
    """The status of a file's load, in the report's words."""

    LOADED = "LOADED"
    FAILED = "LOAD_FAILED"
    PARTLY = "PARTIALLY_LOADED"
    RUNNING = "LOAD_IN_PROGRESS"


_TELLING = (Loading.FAILED, Loading.RUNNING, Loading.LOADED, Loading.PARTLY)


@dataclass(frozen=True, slots=True)
class Load:
    """State of a file, as its pipe reports it."""

    status: Loading
    rows: int = 0
    message: str = ""


class Snowpipe(Protocol):
    """A stage and a pipe from it (snowpipe.py). Paths are relative to the stage."""

    pipe: str

    def history(self, path: str, since: datetime) -> Load | None:
        """Returns what is known of a name, by COPY_HISTORY: not rate-limited."""

    def put(self, file: Path, folder: str) -> None:
        """Into a folder of the stage, over what has its name."""

    def submit(self, path: str, size: int) -> None: ...

    def report(self, path: str) -> Load | None:
        """Returns what insertReport has said since the last look: it says nothing twice."""

    def scan(self, path: str, since: datetime) -> Load | None:
        """Asks loadHistoryScan for one file. Returns None if it is not listed, or if the service says that it is asked too
        often."""

    def remove(self, path: str) -> None:
        """Nothing, where it is gone."""


def most_telling(loads: Iterable[Load]) -> Load | None:
    """Picks the load that decides among several of one name: a second submission of a file that is loaded and gone from the
    stage may be reported as failed, which means nothing."""
    return max(loads, key=lambda load: _TELLING.index(load.status), default=None)


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass
class FileLoads:
    """Follows the loads of files; not thread-safe."""

    snowpipe: Snowpipe
    now: Callable[[], datetime] = utc_now
    sleep: Callable[[float], None] = time.sleep
    timeout_s: float = TIMEOUT_S

    def load(self, path: str, rows: Sequence[bytes], *, begun: datetime) -> Load:
        """LOADED, and then every row is in the table, or LOAD_FAILED, and then none is. `path` and `rows` are a function of one
        another; `begun` is before the first call with this path ever.

        Raises FileUnproven, FileUnprovable, FilesNotStaged, FilesRefused.
        """
        found = self.snowpipe.history(path, begun)
        if not _is_final(found):
            if self.now() - begun > REMEMBERED:
                why = f"it was begun on {begun:%F}, and a pipe remembers names for 14 days"
                raise FileUnprovable(self.snowpipe.pipe, path, why)
            found = self._submitted(path, rows, begun)
        return self._settled(path, rows, found)

    def _submitted(self, path: str, rows: Sequence[bytes], begun: datetime) -> Load:
        """The history is asked again: a replay that was frozen meanwhile may find that another one has settled it."""
        folder, _, name = path.rpartition("/")
        with tempfile.TemporaryDirectory(prefix="firnline-") as place:
            file = Path(place, name)
            file.write_bytes(gzip.compress(b"".join(row + b"\n" for row in rows), compresslevel=1, mtime=0))
            self.snowpipe.put(file, folder)
            size = file.stat().st_size
        found = self.snowpipe.history(path, begun)
        if _is_final(found):
            return found
        submitted_at = self.now()
        self.snowpipe.submit(path, size)
        return self._wait(path, submitted_at)

    def _wait(self, path: str, since: datetime) -> Load:
        """A load may have been over before: then the report is silent, and a history tells."""
        waited = 0.0
        next_scan = POLL_S
        while waited <= self.timeout_s:
            found = self.snowpipe.report(path)
            if not _is_final(found) and waited >= next_scan:
                found = self.snowpipe.scan(path, since) or self.snowpipe.history(path, since - REMEMBERED)
                next_scan = waited + SCAN_S
            if found is not None and found.status is Loading.FAILED:
                found = self._with_earlier(path, found, since)
            if _is_final(found):
                return found
            self.sleep(POLL_S)
            waited += POLL_S
        raise FileUnproven(self.snowpipe.pipe, path, self.timeout_s / 60)

    def _with_earlier(self, path: str, failed: Load, since: datetime) -> Load | None:
        """Returns the load that decides. A replay that was frozen before it submitted may hear of its own submission alone, whose
        file another one had loaded and removed by then: the history tells."""
        return most_telling(filter(None, (failed, self.snowpipe.history(path, since - REMEMBERED))))

    def _settled(self, path: str, rows: Sequence[bytes], found: Load) -> Load:
        if found.status is Loading.PARTLY or (found.status is Loading.LOADED and found.rows != len(rows)):
            why = f"it has loaded {found.rows} of {len(rows)} rows{f' ({found.message})' if found.message else ''}"
            raise FileUnprovable(self.snowpipe.pipe, path, why)
        self.snowpipe.remove(path)  # one that failed can't come in later, even if it is submitted again
        return found


def _is_final(found: Load | None) -> TypeGuard[Load]:
    return found is not None and found.status is not Loading.RUNNING
