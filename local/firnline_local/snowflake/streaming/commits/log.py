"""What was committed, in order: for each commit, which channel moved to which offset token with how many rows.

It holds no rows, and only the newest entries of a table: a reader that finds a gap in the numbers asks more often.
"""

from collections import deque
from dataclasses import dataclass
from datetime import datetime

from firnline_local.snowflake.streaming.channels.channel import Append, StreamingChannel

MAX_ENTRIES = 100_000  # a table; about 30 MB


@dataclass(frozen=True, kw_only=True, slots=True)
class Commit:
    """One request's rows. Requests that became visible together share `number`; rows keep their order in a request."""

    number: int
    entry: int
    """Counts the entries of this table without a gap, from 0."""
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
    """The newest commits of every table, by table id."""

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
