"""Channels through the official Snowpipe Streaming SDK.

The SDK is native code that starts its runtime when it is imported, so it is imported only in the process that appends,
never before a fork. One client a pipe, shared by the channels of a process.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import msgspec

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import SnowflakeError
from firnline_ingest.identifiers import written_name
from firnline_ingest.snowflake.errors import ChannelLost, ClientLost, KeyRefused, SdkUnusable, SnowflakeUnavailable
from firnline_ingest.snowflake.key import SigningKey, load_key
from firnline_ingest.snowflake.preflight import check_connection
from firnline_ingest.snowflake.sdk_errors import is_channel_missing, sdk_code, sdk_error
from firnline_ingest.snowflake.status import StatusWatch
from firnline_ingest.values import ChannelState, Position, TargetTable

if TYPE_CHECKING:
    from snowflake.ingest.streaming import ChannelStatus, StreamingIngestChannel, StreamingIngestClient

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

HEALTHY = "SUCCESS"
LOOK_FOR_KEY_EVERY_S = 60.0  # a secret that is read each minute costs a few cents a month and process

log = logging.getLogger(__name__)


class SdkChannels:
    """Implements shard.channel.ChannelOpener; thread-safe. All clients sign with one key, the one that was read last."""

    def __init__(
        self,
        config: EngineConfig,
        properties: dict[str, str] | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._config = config
        self._properties = properties or {}
        self._clock = clock
        self._lock = threading.RLock()
        self._clients: dict[tuple[str, str, str], tuple[StreamingIngestClient, StatusWatch]] = {}
        self._key: SigningKey | None = None
        self._looked_at_s = clock()

    @property
    def fingerprint(self) -> str:
        return self._key.fingerprint if self._key else ""

    def open(self, target: TargetTable, name: str) -> tuple["SdkChannel", ChannelState]:
        client, watch = self._client(target)
        try:
            handle, status = client.open_channel(name)
        except Exception as error:
            raise self._translated(error, target, name, watch) from error
        watch.opened(name, status)
        state = _state(status)
        translated = partial(self._translated, target=target, name=name, watch=watch)
        return SdkChannel(handle, name, watch=watch, opened=state, translated=translated), state

    def drop(self, target: TargetTable, name: str) -> None:
        client, watch = self._client(target)
        try:
            client.drop_channel(name)
        except Exception as error:
            if not is_channel_missing(error):
                raise self._translated(error, target, name, watch) from error

    def look_for_new_key(self) -> None:
        """Once a minute at most: a place for keys that can't be read is no reason to stop what still works."""
        if self._key is None or self._clock() - self._looked_at_s < LOOK_FOR_KEY_EVERY_S:
            return
        self._read_key_if_possible()

    def close(self) -> None:
        """Closes every client without waiting for rows; they are read again."""
        with self._lock:
            clients, self._clients = list(self._clients.values()), {}
        for client, watch in clients:
            watch.close()
            client.close(wait_for_flush=False)

    def _read_key_if_possible(self) -> None:
        try:
            self._read_key()
        except SnowflakeError as error:
            log.warning("key.unread", extra={"problem": error.id, "cause": error.what})

    def _read_key(self) -> SigningKey:
        """The key as it is now; where it is another one than before, every client is closed. Raises what load_key raises."""
        with self._lock:
            before, self._looked_at_s = self._key, self._clock()
            self._key = load_key(self._config)
            if before is not None and before.fingerprint != self._key.fingerprint:
                log.info("key.replaced", extra={"before": before.fingerprint, "now": self._key.fingerprint})
                self.close()
            return self._key

    def _client(self, target: TargetTable) -> "tuple[StreamingIngestClient, StatusWatch]":
        with self._lock:
            address = _address(target)
            if address not in self._clients:
                client = self._new_client(target)
                self._clients[address] = client, StatusWatch(client)
            return self._clients[address]

    def _new_client(self, target: TargetTable) -> "StreamingIngestClient":
        snowflake = self._config.snowflake
        key = self._read_key()
        check_connection(snowflake, key)
        _prepare_environment(str(snowflake.ca_file) if snowflake.ca_file else None)
        try:
            from snowflake.ingest.streaming import StreamingIngestClient
        except ImportError as error:
            raise SdkUnusable(str(error)) from error
        properties = {
            "account": snowflake.account,
            "user": snowflake.user,
            "role": snowflake.role,
            "url": snowflake.base_url,
            "private_key": key.pem,
            "application": "Firnline",
            **self._properties,
        }
        try:
            return StreamingIngestClient(
                f"firnline-{self._config.application}", *_address(target), properties=properties
            )
        except Exception as error:
            raise self._translated(error, target, target.pipe) from error

    def _translated(
        self, error: Exception, target: TargetTable, name: str, watch: StatusWatch | None = None
    ) -> Exception:
        """The SDK's error as one of ours, and what follows from it; itself where it is not the SDK's."""
        ours = sdk_error(
            error, snowflake=self._config.snowflake, target=target, channel=name, fingerprint=self.fingerprint
        )
        if ours is error:
            return error
        if isinstance(ours, ClientLost):
            self._forget(target, watch)
        if isinstance(ours, KeyRefused) and self._is_replaced(target, watch):
            return ClientLost(target.pipe, "the user's key was replaced")
        return ours

    def _is_replaced(self, target: TargetTable, watch: StatusWatch | None) -> bool:
        """Whether a refused key was replaced meanwhile, which is no reason to stop: the new one opens the channel again."""
        if watch is None:
            return False
        with self._lock:
            if self._is_current(target, watch):
                self._read_key_if_possible()
            return not self._is_current(target, watch)

    def _is_current(self, target: TargetTable, watch: StatusWatch) -> bool:
        return self._clients.get(_address(target), (None, None))[1] is watch

    def _forget(self, target: TargetTable, watch: StatusWatch | None) -> None:
        """Closes the client that `watch` belongs to; another shard may have had it made again already."""
        with self._lock:
            client, current = self._clients.get(_address(target), (None, None))
            if client is None or current is None or current is not watch:
                return
            del self._clients[_address(target)]
        current.close()
        client.close(wait_for_flush=False)


class SdkChannel:
    """Implements shard.channel.ShardChannel."""

    def __init__(
        self,
        handle: "StreamingIngestChannel",
        name: str,
        *,
        watch: StatusWatch,
        opened: ChannelState,
        translated: Callable[[Exception], Exception],
    ) -> None:
        self._handle = handle
        self._name = name
        self._watch = watch
        self._opened = opened
        self._translated = translated
        self._last_error = ""

    def append(self, rows: Sequence[msgspec.Raw], *, start: str, end: str) -> None:
        self._call(self._handle.append_rows, rows, start_offset_token=start, end_offset_token=end)

    def state(self) -> ChannelState:
        status = self._call(self._watch.latest, self._name)
        if status.status_code != HEALTHY:
            raise ChannelLost(self._name, status.status_code)
        self._last_error = status.last_error_message or ""
        state = _state(status)
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
        try:
            self._handle.close(wait_for_flush=False, timeout_seconds=0)
        except Exception as error:
            if sdk_code(error) is None and not isinstance(error, TimeoutError):
                raise

    def _call(self, function: Callable[Given, Answer], *arguments: Given.args, **named: Given.kwargs) -> Answer:
        try:
            return function(*arguments, **named)
        except Exception as error:
            ours = self._translated(error)
            if ours is error:
                raise
            raise ours from error


def _address(target: TargetTable) -> tuple[str, str, str]:
    return written_name(target.database), written_name(target.schema), target.pipe


def _prepare_environment(ca_file: str | None) -> None:
    """The SDK reads its settings from the environment, once, when it is imported."""
    os.environ.setdefault("SS_LOG_LEVEL", "error")
    if ca_file:
        os.environ["SSL_CERT_FILE"] = ca_file


def _state(status: "ChannelStatus") -> ChannelState:
    token = status.latest_committed_offset_token
    return ChannelState(
        Position.from_token(token) if token else None, status.rows_inserted_count, status.rows_error_count
    )


def _is_before(state: ChannelState, opened: ChannelState) -> bool:
    if opened.committed is None:
        return False
    return state.committed is None or state.committed < opened.committed
