"""One open channel of the SDK, as a shard uses it."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import msgspec

from firnline_ingest.snowflake.channel_errors import ChannelLost
from firnline_ingest.snowflake.errors import SnowflakeUnavailable
from firnline_ingest.snowflake.pipe_clients import PipeClient
from firnline_ingest.snowflake.sdk_guard import guarded
from firnline_ingest.values import ChannelState, ForeignToken, Position

if TYPE_CHECKING:
    from snowflake.ingest.streaming import ChannelStatus, StreamingIngestChannel

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

HEALTHY = "SUCCESS"
STALE = "STALE_CONTINUATION"  # another client opened it after us: no status says more
REASON_S = 2.5
"""How long a lost channel's status is waited for: it is asked for about once a second."""


class SdkChannel:
    """Implements snowflake.channel.ShardChannel."""

    def __init__(
        self,
        client: PipeClient,
        handle: "StreamingIngestChannel",
        name: str,
        *,
        opened: ChannelState,
        last_error: str,
        translated: Callable[[Exception], Exception],
    ) -> None:
        self._client = client
        self._handle = handle
        self._name = name
        self._opened = opened
        self._translated = translated
        self._last_error = last_error

    def append(self, rows: Sequence[msgspec.Raw], *, start: str, end: str) -> None:
        self._call(self._handle.append_rows, rows, start_offset_token=start, end_offset_token=end)
        self._client.watch.sent()

    def state(self) -> ChannelState:
        status = self._call(self._client.watch.latest, self._name)
        if status.status_code != HEALTHY:
            raise ChannelLost(self._name, status.status_code, server_message=status.last_error_message or "")
        self._last_error = status.last_error_message or ""
        state = state_of(status)
        if _is_before(state, self._opened):
            return self._opened  # the SDK's cache still has what an earlier handle saw, for a second at most
        return state

    def last_error(self) -> str:
        return self._last_error or "the server gave no reason"

    def flush(self, timeout_s: float) -> None:
        try:
            self._call(self._handle.wait_for_flush, timeout_seconds=int(timeout_s))
        except TimeoutError as error:
            raise SnowflakeUnavailable(
                f"take the rows of channel {self._name}", f"no answer in {timeout_s:.0f} s"
            ) from error

    def close(self) -> None:
        self._client.give_back(self._name, self._handle)

    def _call(self, function: Callable[Given, Answer], *arguments: Given.args, **named: Given.kwargs) -> Answer:
        try:
            return guarded(self._client, function, *arguments, **named)
        except Exception as error:
            ours = self._translated(error)
            if ours is error:
                raise
            if isinstance(ours, ChannelLost):
                ours = ChannelLost(self._name, str(error), server_message=self._reason(error))
            raise ours from error

    def _reason(self, error: Exception) -> str:
        """Returns what the service says about the channel's last error, if it says something within REASON_S."""
        lost_s, give_up_s = time.time(), time.monotonic() + REASON_S
        while STALE not in str(error) and (left_s := give_up_s - time.monotonic()) > 0:
            status = self._client.watch.next(self._name, left_s)
            if status is None:
                break
            if status.status_code != HEALTHY:
                return str(status.last_error_message or status.status_code)
            if status.last_refreshed_on.timestamp() > lost_s:
                break
        return ""


def state_of(status: "ChannelStatus") -> ChannelState:
    token = status.latest_committed_offset_token
    return ChannelState(
        Position.from_token(token) if token else None,
        status.rows_inserted_count,
        status.rows_error_count,
        round(status.created_on.timestamp() * 1000),
        _error_through(status.last_error_offset_token_upper_bound),
        status.last_refreshed_on.timestamp(),
    )


def _error_through(token: str | None) -> Position | None:
    """The text is for people to read: what is not a token of ours is left alone."""
    try:
        return Position.from_token(token) if token else None
    except ForeignToken:
        return None


def _is_before(state: ChannelState, opened: ChannelState) -> bool:
    if opened.committed is None:
        return False
    return state.committed is None or state.committed < opened.committed
