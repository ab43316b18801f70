"""One channel: its sequencers, what it has accepted, and what of that is committed.

Opening raises the client sequencer, so that every earlier opener is stale; an append raises the row sequencer. Rows that
were accepted wait until they are committed, in order, whole requests at a time; opening the channel again discards
what still waits. Nothing here locks: callers hold the catalog's lock.

An append whose answer got lost comes again. The SDK (1.9.1, measured) and Openflow (RetryableInsertOperation) both repeat
it with the same request id, continuation token and rows, and go on with the token they get; exactly once would be
impossible if the service applied it again or refused it. So the last append is remembered by its request id, and a repeat
gets the same answer and changes nothing. Another request with a used token is stale.
"""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Self

from firnline_local.snowflake.catalog.tables import Channel
from firnline_local.snowflake.streaming.errors import ChannelInvalid, StaleContinuation, UncommittedRows
from firnline_local.snowflake.streaming.reader import RowError

CONTINUATION = re.compile(r"(\d+)_(\d+)_(\d+)")
COMMITS_REMEMBERED = 1000
SUCCESS = "SUCCESS"
MUST_BE_REOPENED = "ERR_CHANNEL_MUST_BE_REOPENED"


@dataclass(frozen=True)
class Continuation:
    """Says which opening of which channel an append belongs to, and which append of it comes next.

    Opaque to a client, which sends back the last token that it was given.
    """

    channel_id: int
    """Never used twice: a channel that was dropped and made again has another one."""
    client_sequencer: int
    row_sequencer: int

    @classmethod
    def read(cls, token: str) -> Self:
        """Raises StaleContinuation for text that this service did not write."""
        match = CONTINUATION.fullmatch(token)
        if match is None:
            raise StaleContinuation
        return cls(*(int(part) for part in match.groups()))

    @property
    def token(self) -> str:
        return f"{self.channel_id}_{self.client_sequencer}_{self.row_sequencer}"


@dataclass(frozen=True, kw_only=True)
class Append:
    """One accepted request."""

    request_id: str
    start_token: str | None
    end_token: str | None
    rows: bytes
    """NDJSON, uncompressed."""
    accepted_at: float
    """Monotonic seconds."""


@dataclass(frozen=True, kw_only=True)
class LastError:
    """The newest row error, as the channel's status tells it."""

    message: str
    offset_upper_bound: str | None
    at: datetime


@dataclass(frozen=True, kw_only=True)
class Progress:
    """A channel's offset token and counters since a commit."""

    since: float
    """Monotonic seconds."""
    offset_token: str | None
    rows_inserted: int
    rows_parsed: int
    rows_error_count: int


@dataclass(kw_only=True, eq=False)
class StreamingChannel(Channel):
    id: int
    role: str
    """Of the latest opener: its privileges count when rows are committed."""
    last_used: datetime
    known_columns: frozenset[str] | None = None
    """The only ones that it takes values of, where it knows those of its opening alone."""
    status_code: str = SUCCESS
    last_error: LastError | None = None
    pending: deque[Append] = field(default_factory=deque)
    recent_appends: deque[float] = field(default_factory=deque)
    """The time at which the newest ones came, monotonic seconds; kept only while there is a limit."""
    latency_s: float = 0.0
    """Of the newest commit, from acceptance."""
    earlier: deque[Progress] = field(default_factory=lambda: deque(maxlen=COMMITS_REMEMBERED))
    """As it was after its newest commits but one, and before the first of them; the newest last."""
    progress_since: float = 0.0

    @property
    def continuation(self) -> Continuation:
        return Continuation(self.id, self.client_sequencer, self.row_sequencer)

    @property
    def progress(self) -> Progress:
        return Progress(
            since=self.progress_since,
            offset_token=self.offset_token,
            rows_inserted=self.rows_inserted,
            rows_parsed=self.rows_parsed,
            rows_error_count=self.rows_error_count,
        )

    def progress_at(self, moment: float) -> Progress:
        """The progress at that moment, in monotonic seconds; as far back as is remembered."""
        known = (*self.earlier, self.progress)
        return next((one for one in reversed(known) if one.since <= moment), known[0])

    def reopen(self, role: str, *, offset_token: str | None, fail_on_uncommitted_rows: bool) -> None:
        """Raises UncommittedRows where the request says so; otherwise whatever was not committed is gone."""
        if self.pending and fail_on_uncommitted_rows:
            raise UncommittedRows
        self.pending.clear()
        self.client_sequencer += 1
        self.row_sequencer = 0
        self.role = role
        self.status_code = SUCCESS
        if offset_token is not None:
            self.offset_token = offset_token

    def accept(self, continuation: Continuation, append: Append) -> None:
        """Takes the rows, or nothing where the token was used before, whatever is in the request: an account acknowledged other
        rows under a used token, and they were gone (supabase/etl, `tests/snowflake/stream_client.rs`, read 2026-11-29). Raises
        ChannelInvalid or StaleContinuation.
        """
        if continuation.client_sequencer != self.client_sequencer:
            raise StaleContinuation
        if self.status_code != SUCCESS:
            raise ChannelInvalid(self.status_code)
        if continuation.row_sequencer < self.row_sequencer:
            return
        if continuation.row_sequencer != self.row_sequencer:
            raise StaleContinuation
        self.row_sequencer += 1
        self.pending.append(append)

    def commit(self, append: Append, *, inserted: int, errors: Sequence[RowError], at: datetime, now: float) -> None:
        """The oldest waiting request has become visible: token and counters move with it."""
        if self.pending.popleft() is not append:
            raise AssertionError("requests of a channel are committed in order")
        self.earlier.append(self.progress)
        self.progress_since = now
        self.rows_inserted += inserted
        self.rows_error_count += len(errors)
        self.rows_parsed += inserted + len(errors)
        self.offset_token = append.end_token if append.end_token is not None else self.offset_token
        self.latency_s = now - append.accepted_at
        if errors:
            self.last_error = LastError(message=errors[-1].message, offset_upper_bound=append.end_token, at=at)

    def invalidate(self, error: LastError, status_code: str = MUST_BE_REOPENED) -> None:
        """Nothing more is taken or committed until the channel is opened again."""
        self.pending.clear()
        self.status_code = status_code
        self.last_error = error
