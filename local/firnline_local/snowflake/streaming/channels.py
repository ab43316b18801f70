"""Opening, appending, asking and dropping: what the documented REST calls do, without HTTP.

Everything here happens under the catalog's lock, which is also the condition that the committer waits on. A channel
belongs to a pipe's id, so a table or pipe that is replaced, or swapped with another, begins without channels. Appends to a
channel of the replaced one still succeed, and their rows get nowhere: the service does that too, and only the channel's
absence from the status shows it (snowflake-kafka-connector #1400). Where no table of the name is left, appends and status
name what is missing.
"""

from collections import deque
from collections.abc import Callable, Iterable
from datetime import timedelta
from itertools import count
from threading import Condition
from time import monotonic

from firnline_local.snowflake.catalog import Catalog, Pipe
from firnline_local.snowflake.streaming.access import Address, missing, pipe_for, stored_path
from firnline_local.snowflake.streaming.channel import Append, Continuation, StreamingChannel
from firnline_local.snowflake.streaming.errors import (
    ApiError,
    ChannelLimit,
    ChannelNotFound,
    TooManyRequests,
    UncommittedRows,
)
from firnline_local.snowflake.streaming.settings import StreamingCounts, StreamingSettings

IDLE_LIFETIME = timedelta(days=30)


class Channels:
    """All channels of the account."""

    def __init__(
        self,
        catalog: Catalog,
        settings: StreamingSettings,
        counts: StreamingCounts,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self.changed = Condition(catalog.lock)
        self.waiting: dict[int, StreamingChannel] = {}
        """By channel id, in the order in which they began to wait: channels with rows to commit."""
        self._catalog = catalog
        self._settings = settings
        self._counts = counts
        self._now = now
        self._ids = count(1)
        self._by_id: dict[int, StreamingChannel] = {}

    def open(
        self, role: str, address: Address, *, offset_token: str | None, fail_on_uncommitted_rows: bool
    ) -> StreamingChannel:
        """Makes the channel where there is none; every opening makes the earlier openers stale. Raises ApiError."""
        with self._catalog.lock:
            pipe = pipe_for(self._catalog, role, address)
            channel = self._find(pipe, address.channel) or self._make(pipe, address.channel, role)
            if channel.pending and fail_on_uncommitted_rows:
                self._counts.refused_opens += 1
            channel.reopen(role, offset_token=offset_token, fail_on_uncommitted_rows=fail_on_uncommitted_rows)
            present = frozenset(column.name for column in pipe.table.columns)
            channel.known_columns = present if self._settings.columns_of_opening else None
            self._settle(channel)
            return channel

    def append(self, role: str, address: Address, continuation: Continuation, append: Append) -> Continuation:
        """Returns what the next append must carry. Raises ApiError."""
        with self._catalog.lock:
            channel = self._by_id.get(continuation.channel_id)
            if channel is None:
                raise ChannelNotFound
            if not channel.pipe.is_live:
                return self._lose(channel, address, continuation, append)
            if (
                pipe_for(self._catalog, role, address) is not channel.pipe
            ):  # renamed or swapped, and the name is another's
                return self._lose(channel, address, continuation, append)
            self._check_pace(channel)
            if self._settings.acknowledges_fenced and continuation.client_sequencer < channel.client_sequencer:
                self._counts.rows_into_nowhere += count_rows([append])
                return continuation
            self._accept(channel, continuation, append)
            self._settle(channel)
            self.changed.notify()
            return channel.continuation

    def statuses(self, role: str, address: Address, names: Iterable[str]) -> list[tuple[StreamingChannel, str]]:
        """Each channel that exists, with its status code; names keep their case. Raises ApiError."""
        with self._catalog.lock:
            try:
                pipe = pipe_for(self._catalog, role, address)
            except ApiError as error:
                return self._orphans(address, set(names), error)
            found = ((name, self._find(pipe, name)) for name in names)
            return [(channel, channel.status_code) for name, channel in found if channel and channel.name == name]

    def drop(self, role: str, address: Address, *, fail_on_uncommitted_rows: bool) -> StreamingChannel:
        with self._catalog.lock:
            pipe = pipe_for(self._catalog, role, address)
            channel = self._find(pipe, address.channel)
            if channel is None:
                raise ChannelNotFound
            if channel.pending and fail_on_uncommitted_rows:
                raise UncommittedRows
            self._forget(channel)
            return channel

    def _find(self, pipe: Pipe, name: str) -> StreamingChannel | None:
        """Finds a channel by name, whatever its case (the documentation's rule for every call but the status)."""
        channel = self._catalog.channels.get((pipe.id, name.upper()))
        if not isinstance(channel, StreamingChannel):
            return None
        if not channel.pending and self._catalog.clock() - channel.last_used > IDLE_LIFETIME:
            self._forget(channel)
            return None
        return channel

    def _make(self, pipe: Pipe, name: str, role: str) -> StreamingChannel:
        if sum(pipe_id == pipe.id for pipe_id, _ in self._catalog.channels) >= self._settings.max_channels_per_pipe:
            raise ChannelLimit
        now = self._catalog.clock()
        channel = StreamingChannel(id=next(self._ids), name=name, pipe=pipe, role=role, created_on=now, last_used=now)
        self._catalog.channels[pipe.id, name.upper()] = channel
        self._by_id[channel.id] = channel
        return channel

    def _forget(self, channel: StreamingChannel) -> None:
        self._catalog.channels.pop((channel.pipe.id, channel.name.upper()), None)
        self._by_id.pop(channel.id, None)
        self.waiting.pop(channel.id, None)

    def _accept(self, channel: StreamingChannel, continuation: Continuation, append: Append) -> None:
        before = channel.row_sequencer
        channel.accept(continuation, append)
        channel.last_used = self._catalog.clock()
        if channel.row_sequencer == before:
            self._counts.repeated_appends += 1

    def _check_pace(self, channel: StreamingChannel) -> None:
        limit, now = self._settings.requests_per_second, self._now()
        if limit:
            channel.recent_appends = deque(channel.recent_appends, maxlen=limit)
            if len(channel.recent_appends) == limit and now - channel.recent_appends[0] < 1:
                raise TooManyRequests
            channel.recent_appends.append(now)

    def _lose(
        self, channel: StreamingChannel, address: Address, continuation: Continuation, append: Append
    ) -> Continuation:
        """An append for a pipe that is gone, or is called otherwise by now."""
        if self._catalog.resolve_pipe(*_segments(address)) is None:
            raise missing(address)
        before = channel.row_sequencer
        self._accept(channel, continuation, append)
        if channel.row_sequencer != before:
            self._counts.rows_into_nowhere += count_rows([channel.pending.pop()])
        return channel.continuation

    def _orphans(self, address: Address, names: set[str], error: ApiError) -> list[tuple[StreamingChannel, str]]:
        """The channels of a pipe that is gone and was not replaced, with what is missing as their status."""
        path = stored_path(address)
        orphans = [
            channel
            for channel in self._by_id.values()
            if channel.name in names and channel.pipe.path == path and not channel.pipe.is_live
        ]
        if not orphans:
            raise error
        return [(channel, error.code) for channel in orphans]

    def _settle(self, channel: StreamingChannel) -> None:
        if channel.pending:
            self.waiting.setdefault(channel.id, channel)
        else:
            self.waiting.pop(channel.id, None)


def _segments(address: Address) -> tuple[str, str, str]:
    return address.database, address.schema, address.target


def count_rows(appends: Iterable[Append]) -> int:
    return sum(1 for append in appends for line in append.rows.split(b"\n") if line and not line.isspace())
