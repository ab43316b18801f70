"""Commits: one step makes its rows and error rows visible together.

The table evolves where rows ask for it, a request at a time, so that what a request does to it depends on no timing. A
request that the table can't evolve for invalidates its channel; what that channel sent before is committed.

Commits accepted rows after the commit lag: in order per channel, one step per table across its channels.

Rows, error rows, offset token and counters of a request change together, under the catalog's lock. The lock is given up
between steps, which are bounded in bytes, so that neither SQL nor appends wait long.
"""

import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from threading import Thread
from time import monotonic, sleep

from firnline_local.snowflake.catalog import CaseClash, Catalog, ErrorRow, Table
from firnline_local.snowflake.streaming.access import may_evolve
from firnline_local.snowflake.streaming.channel import Append, LastError, StreamingChannel
from firnline_local.snowflake.streaming.channels import Channels, count_rows
from firnline_local.snowflake.streaming.reader import (
    Batch,
    EvolutionRefused,
    RowError,
    evolve,
    reader_of,
)
from firnline_local.snowflake.streaming.settings import StreamingCounts, StreamingSettings

SERVICE = "snowpipe_streaming"


def error_row(error: RowError, channel: StreamingChannel, append: Append, *, at: datetime) -> ErrorRow:
    """A row of an error table (documentation, `snowpipe-streaming-error-tables`).

    The payload is the row as it was sent, whole; real error tables cut it off at 128 MB, which no request reaches.
    """
    return ErrorRow(
        timestamp=at,
        error_code=int(error.code),
        error_metadata={
            "error_code": int(error.code),
            "error_message": error.message,
            "error_source": error.column,
            "sql_state": error.sql_state,
            "service": SERVICE,
            "details": {
                "pipe_name": channel.pipe.name,
                "channel_name": channel.name,
                "offset_token_lower_bound": append.start_token,
                "offset_token_upper_bound": append.end_token,
                "error_data_truncated": False,
                "error_data_content_type": error.content_type,
            },
        },
        error_data={"$1": error.payload},
    )


_Read = tuple[StreamingChannel, Append, Batch]
_Outcome = tuple[list[_Read], LastError | None]


@dataclass
class CommitStep:
    """Rows that one table's channels are about to commit."""

    table: Table
    taken: list[tuple[StreamingChannel, list[Append]]] = field(default_factory=list)
    size_bytes: int = 0

    def take(self, channel: StreamingChannel, appends: Sequence[Append], *, max_bytes: int) -> bool:
        """Takes the channel's requests in order until the step is full; tells whether it took any."""
        chosen: list[Append] = []
        for append in appends:
            if self.size_bytes >= max_bytes:
                break
            chosen.append(append)
            self.size_bytes += len(append.rows)
        if chosen:
            self.taken.append((channel, chosen))
        return bool(chosen)

    def invalidate(self, message: str, *, at: datetime) -> None:
        for channel, appends in self.taken:
            channel.invalidate(LastError(message=message, offset_upper_bound=appends[-1].end_token, at=at))


class StepWriter:
    """Writes steps into the catalog. The caller holds the lock."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def write(self, step: CommitStep, *, now: float) -> None:
        at = self._catalog.clock()
        read: list[_Read] = []
        refused: list[tuple[StreamingChannel, LastError]] = []
        for channel, appends in step.taken:
            entries, error = self._read(channel, appends, at)
            read += entries
            refused += [(channel, error)] if error else []
        self._catalog.insert_rows(step.table, [row for *_, batch in read for row in batch.rows], committed_at=at)
        rejected = [
            error_row(error, channel, append, at=at) for channel, append, batch in read for error in batch.errors
        ]
        if rejected:
            self._catalog.insert_errors(step.table, rejected)
        for channel, append, batch in read:
            channel.commit(append, inserted=len(batch.rows), errors=batch.errors, at=at, now=now)
        for channel, error in refused:
            channel.invalidate(error)

    def _read(self, channel: StreamingChannel, appends: list[Append], at: datetime) -> _Outcome:
        """Reads up to the first request that the table can't evolve for, and what to say about that one."""
        table = channel.pipe.table
        evolves = table.enable_schema_evolution and may_evolve(self._catalog, channel.role, table)
        reader = reader_of(channel.pipe, evolves=evolves, known=channel.known_columns)
        entries: list[_Read] = []
        for append in appends:
            batch = reader.read(append.rows)
            if batch.wants_evolution:
                try:
                    evolve(self._catalog, channel.pipe, batch)
                except (EvolutionRefused, CaseClash) as refused:
                    return entries, LastError(message=str(refused), offset_upper_bound=append.end_token, at=at)
                reader = reader_of(channel.pipe, evolves=evolves, known=channel.known_columns)
                batch = reader.read(append.rows)
            entries.append((channel, append, batch))
        return entries, None


MAX_STEP_BYTES = 4 << 20
YIELD_S = (
    0.0005  # Python's locks aren't fair: without it, a thread that waits for the lock may wait for the whole backlog
)


class Committer:
    """A thread that commits what is due. `commit_due` is the thread's work, and may be called without it."""

    def __init__(
        self,
        catalog: Catalog,
        channels: Channels,
        *,
        settings: StreamingSettings,
        counts: StreamingCounts,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self._catalog = catalog
        self._channels = channels
        self._settings = settings
        self._counts = counts
        self._writer = StepWriter(catalog)
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
        """Wakes the committer after a change of the settings."""
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
        """The time until the next request is due; None if only a change can make one due."""
        if self._settings.hold_commits or not self._channels.waiting:
            return None
        waiting = [channel.pending[0].accepted_at for channel in self._channels.waiting.values() if channel.pending]
        return max(0.0, min(waiting) + self._settings.commit_lag_ms / 1000 - self._now()) if waiting else None

    def _take(self) -> list[CommitStep]:
        """Returns what is due, by table. A channel that got its turn goes to the end of the queue."""
        due_since = self._now() - self._settings.commit_lag_ms / 1000
        steps: dict[int, CommitStep] = {}
        for channel in list(self._channels.waiting.values()):
            if not channel.pending:  # it was invalidated
                del self._channels.waiting[channel.id]
                continue
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
