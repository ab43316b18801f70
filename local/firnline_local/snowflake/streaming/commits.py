"""What becomes visible together: one step of committing, its rows and error rows, and the log of commits.

The table evolves where rows ask for it, a request at a time, so that what a request does to it depends on no timing. A
request that the table can't evolve for invalidates its channel; what that channel sent before is committed.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from firnline_local.snowflake.catalog import CaseClash, Catalog, ErrorRow, Pipe, Table
from firnline_local.snowflake.streaming.access import may_evolve
from firnline_local.snowflake.streaming.channel import Append, LastError, StreamingChannel
from firnline_local.snowflake.streaming.evolution import (
    EvolutionRefused,
    can_hold,
    evolution_record,
    new_columns,
)
from firnline_local.snowflake.streaming.reader import Batch, RowError, RowReader, TransformedReader
from firnline_local.snowflake.streaming.settings import StreamingCounts

MAX_ENTRIES = 100_000  # a table; about 30 MB
SERVICE = "snowpipe_streaming"


@dataclass(frozen=True, kw_only=True, slots=True)
class Commit:
    """One request's rows. Requests that became visible together share `number`; rows keep their order in a request."""

    number: int
    entry: int
    """StreamingCounts the entries of this table without a gap, from 0."""
    channel: str
    client_sequencer: int
    request_id: str
    start_offset_token: str | None
    end_offset_token: str | None
    first_row: int
    """Of the rows inserted through streaming since the table was made, from 0."""
    rows_inserted: int
    rows_error_count: int
    committed_at: datetime


class CommitLog:
    """The newest commits of every table, by table id: which channel moved to which offset token with how many rows.

    It holds no rows, and only the newest entries of a table: a reader that finds a gap in the numbers asks more often.
    """

    def __init__(self) -> None:
        self._entries: dict[int, deque[Commit]] = {}

    def add(
        self, channel: StreamingChannel, append: Append, *, number: int, inserted: int, errors: int, at: datetime
    ) -> None:
        entries = self._entries.setdefault(channel.pipe.table.id, deque(maxlen=MAX_ENTRIES))
        last = entries[-1] if entries else None
        entries.append(
            Commit(
                number=number,
                entry=last.entry + 1 if last else 0,
                channel=channel.name,
                client_sequencer=channel.client_sequencer,
                request_id=append.request_id,
                start_offset_token=append.start_token,
                end_offset_token=append.end_token,
                first_row=last.first_row + last.rows_inserted if last else 0,
                rows_inserted=inserted,
                rows_error_count=errors,
                committed_at=at,
            )
        )

    def of(self, table_id: int, *, after: int = -1) -> list[Commit]:
        """In order; only entries after the given one."""
        return [commit for commit in self._entries.get(table_id, ()) if commit.entry > after]


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
    """What one table's channels are about to commit."""

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
    """Writes steps into the catalog and the commit log. The caller holds the lock."""

    def __init__(self, catalog: Catalog, counts: StreamingCounts, log: CommitLog) -> None:
        self._catalog = catalog
        self._counts = counts
        self._log = log

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
        self._counts.commits += 1
        for channel, append, batch in read:
            self._advance(channel, append, batch, at=at, now=now)
        for channel, error in refused:
            channel.invalidate(error)

    def _read(self, channel: StreamingChannel, appends: list[Append], at: datetime) -> _Outcome:
        """Up to the first request that the table can't evolve for, and what to say about that one."""
        table = channel.pipe.table
        evolves = table.enable_schema_evolution and may_evolve(self._catalog, channel.role, table)
        reader = _reader(channel.pipe, evolves=evolves)
        entries: list[_Read] = []
        for append in appends:
            batch = reader.read(append.rows)
            if batch.wants_evolution:
                try:
                    self._evolve(channel.pipe, batch, at)
                except (EvolutionRefused, CaseClash) as refused:
                    return entries, LastError(message=str(refused), offset_upper_bound=append.end_token, at=at)
                reader = _reader(channel.pipe, evolves=evolves)
                batch = reader.read(append.rows)
            entries.append((channel, append, batch))
        return entries, None

    def _evolve(self, pipe: Pipe, batch: Batch, at: datetime) -> None:
        table = pipe.table
        unknown = {key: kinds for key, kinds in batch.unknown.items() if can_hold(table, kinds)}
        columns = new_columns(unknown, match_case=_matches_case(pipe))
        if columns:
            self._catalog.add_columns(table, columns, evolution=evolution_record("ADD_COLUMN", at=at))
        for column in sorted(batch.omitted):
            self._catalog.drop_not_null(table, column, evolution=evolution_record("DROP_NOT_NULL", at=at))

    def _advance(self, channel: StreamingChannel, append: Append, batch: Batch, *, at: datetime, now: float) -> None:
        inserted, errors = len(batch.rows), len(batch.errors)
        channel.commit(append, inserted=inserted, errors=batch.errors, at=at, now=now)
        self._log.add(channel, append, number=self._counts.commits, inserted=inserted, errors=errors, at=at)
        self._counts.rows_inserted += inserted
        self._counts.rows_error_count += errors


def _reader(pipe: Pipe, *, evolves: bool) -> RowReader:
    if pipe.transformation:
        return TransformedReader(pipe.table.columns, pipe.transformation)
    return RowReader(pipe.table.columns, match_case=_matches_case(pipe), evolves=evolves)


def _matches_case(pipe: Pipe) -> bool:
    return pipe.match_by_column_name == "CASE_SENSITIVE"
