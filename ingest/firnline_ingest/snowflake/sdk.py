"""Channels through the official Snowpipe Streaming SDK.

The SDK is native code that starts its runtime when it is imported, so it is imported only in the process that appends,
never before a fork. One client a pipe, shared by the channels of a process.
"""

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from firnline_ingest.config.model import EngineConfig, SnowflakeConfig
from firnline_ingest.snowflake.channel_errors import ClientLost
from firnline_ingest.snowflake.current_key import CurrentKey
from firnline_ingest.snowflake.errors import KeyRefused, LoginRefused, NotAllowed, SdkUnusable
from firnline_ingest.snowflake.packages import make_importable
from firnline_ingest.snowflake.pipe_clients import PipeClient, PipeClients, address_of
from firnline_ingest.snowflake.preflight import check_connection
from firnline_ingest.snowflake.sdk_channel import SdkChannel, state_of
from firnline_ingest.snowflake.sdk_errors import is_channel_missing, passes, sdk_error
from firnline_ingest.snowflake.sdk_guard import guarded
from firnline_ingest.snowflake.status import StatusWatch
from firnline_ingest.values import ChannelState, TargetTable

if TYPE_CHECKING:
    from snowflake.ingest.streaming import StreamingIngestClient

MISSING_PATIENCE_S = 60.0
"""How long an open asks again for what is said not to be there: a single 404 passes, a grant that was taken away does not."""
MISSING_PAUSE_S = 2.0
MEMORY_LOOKS, MEMORY_LOOKS_MS = "SS_PROCESS_INFO_REFRESH_DURATION_MS", 1_000
"""How often the SDK looks at the memory of its process, to refuse rows where there is too little: else each 50 ms, by a walk
through all its threads in /proc, which is most of what an open channel costs that has no rows. What a shard may have unsent
bounds the memory until the next look (sending.py). Not documented (docs/design/beliefs.md, B1300).
"""


class SdkChannels:
    """Implements snowflake.channel.ChannelOpener; thread-safe. All clients sign with one key, the one that was read last."""

    def __init__(
        self,
        config: EngineConfig,
        properties: dict[str, str] | None = None,
        *,
        missing_patience_s: float = MISSING_PATIENCE_S,
        clock: Callable[[], float] = time.monotonic,
        watch_clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock` is that by which the key is looked for, `watch_clock` that by which an SDK is given up."""
        self._config = config
        self._properties = properties or {}
        self._missing_patience_s = missing_patience_s
        self._watch_clock = watch_clock
        self._closed = threading.Event()
        self._clients = PipeClients(self._new_pipe_client)
        self._key = CurrentKey(config, self._clients.forget_all, clock=clock)

    @property
    def fingerprint(self) -> str:
        return self._key.fingerprint

    def open(self, target: TargetTable, name: str) -> tuple[SdkChannel, ChannelState]:
        """Raises NotAllowed, ChannelLimitReached, OpenRefused, KeyRefused or what keeps a client from being made."""
        give_up_s = time.monotonic() + self._missing_patience_s
        while True:
            try:
                return self._open(target, name)
            except NotAllowed:
                if time.monotonic() > give_up_s or self._closed.wait(MISSING_PAUSE_S):
                    raise

    def make_client(self, target: TargetTable) -> None:
        """Makes the client of the target's pipe, as the first channel does. Raises what keeps it from being made."""
        self._clients.of(target)

    def drop(self, target: TargetTable, name: str) -> None:
        client = self._clients.of(target)
        try:
            guarded(None, client.drop, name)
        except Exception as error:
            if not is_channel_missing(error):
                raise self._translated(error, target, name, client) from error

    def tokens(self, target: TargetTable, names: Sequence[str]) -> Mapping[str, str | None]:
        """The committed tokens of channels that nobody needs to have open; None without one. Raises what `open` raises."""
        client = self._clients.of(target)
        try:
            return guarded(None, client.tokens, names)
        except Exception as error:
            raise self._translated(error, target, target.pipe, client) from error

    def look_for_new_key(self) -> None:
        self._key.look()

    def close(self) -> None:
        """Closes every client in the background, without waiting for rows; they are read again."""
        self._closed.set()
        self._clients.forget_all()

    def _open(self, target: TargetTable, name: str) -> tuple[SdkChannel, ChannelState]:
        client = self._clients.of(target)

        def translated(error: Exception) -> Exception:
            return self._translated(error, target, name, client)

        try:
            handle, status = guarded(None, client.open, name)
        except Exception as error:
            ours = translated(error)
            if ours is error:
                raise
            raise ours from error
        state = state_of(status)
        last_error = status.last_error_message or ""
        return SdkChannel(client, handle, name, opened=state, last_error=last_error, translated=translated), state

    def _new_pipe_client(self, target: TargetTable) -> PipeClient:
        client = self._new_client(target)
        return PipeClient(client, target.pipe, StatusWatch(client, passes, self._watch_clock))

    def _new_client(self, target: TargetTable) -> "StreamingIngestClient":
        snowflake = self._config.snowflake
        key = self._key.read()
        check_connection(snowflake, key)
        new_client = load_sdk(snowflake)
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
            name = f"firnline-{self._config.application}"
            return guarded(None, new_client, name, *address_of(target), properties=properties)
        except Exception as error:
            raise self._translated(error, target, target.pipe) from error

    def _translated(
        self, error: Exception, target: TargetTable, name: str, client: PipeClient | None = None
    ) -> Exception:
        """The SDK's error as one of ours, and what follows from it; itself where it is not the SDK's."""
        ours = sdk_error(
            error, snowflake=self._config.snowflake, target=target, channel=name, fingerprint=self.fingerprint
        )
        if client is None:
            return ours
        if isinstance(ours, KeyRefused) and self._is_replaced(target, client):
            return ClientLost(target.pipe, "the user's key was replaced")
        if isinstance(ours, ClientLost | KeyRefused | LoginRefused):  # a client keeps what was refused to it
            self._clients.forget(target, client)
        return ours

    def _is_replaced(self, target: TargetTable, client: PipeClient) -> bool:
        """Returns whether a refused key was replaced meanwhile, so that there is no need to stop: the new one opens the
        channel again.
        """
        if self._clients.is_current(target, client):
            self._key.read()
        return not self._clients.is_current(target, client)


def load_sdk(snowflake: SnowflakeConfig) -> "type[StreamingIngestClient]":
    """Returns the SDK's client. The SDK's runtime starts with the import, and reads its settings from the environment then,
    once. Raises SdkUnusable.
    """
    os.environ.setdefault("SS_LOG_LEVEL", "error")
    os.environ.setdefault(MEMORY_LOOKS, str(MEMORY_LOOKS_MS))
    if snowflake.ca_file:
        os.environ["SSL_CERT_FILE"] = str(snowflake.ca_file)
    make_importable()
    try:
        from snowflake.ingest.streaming import StreamingIngestClient
    except ImportError as error:
        raise SdkUnusable(str(error)) from error
    client: type[StreamingIngestClient] = StreamingIngestClient
    return client
