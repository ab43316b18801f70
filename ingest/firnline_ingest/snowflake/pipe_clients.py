"""The SDK's clients of one process: one a pipe, made when the first channel of the pipe is opened.

Making one may take for ever (the SDK repeats what is refused), so it is made without any lock: who opens a channel of that
pipe waits, and no other. Closing is done in the background, and a channel's handle is kept until it is closed: one
that Python collects earlier waits for its rows to be sent, on whatever thread that happens to be.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING

from firnline_ingest.identifiers import written_name
from firnline_ingest.snowflake.background import in_background, settle
from firnline_ingest.snowflake.channel_errors import ClientLost
from firnline_ingest.snowflake.sdk_guard import is_blocked
from firnline_ingest.snowflake.status import StatusWatch
from firnline_ingest.values import TargetTable

if TYPE_CHECKING:
    from snowflake.ingest.streaming import ChannelStatus, StreamingIngestChannel, StreamingIngestClient

CLOSE_ATTEMPTS, CLOSE_PAUSE_S = 5, 1.0
CLOSE_PATIENCE_S = 10.0
"""How long an open waits for the channel's earlier handle to be closed; then the whole client is recreated."""
SILENT_S = 240.0
"""How long after an append no token of any channel may have moved, when a channel has to be opened again: twice what a commit may
take before its channel is. Then it is not that channel.
"""

log = logging.getLogger(__name__)


class PipeClient:
    """One client of the SDK, and the channels that were opened on it. Thread-safe."""

    def __init__(self, client: "StreamingIngestClient", pipe: str, watch: StatusWatch) -> None:
        self.watch = watch
        self._client = client
        self._pipe = pipe
        self._lock = threading.Lock()
        self._handles: dict[str, StreamingIngestChannel] = {}
        self._closing: dict[str, Future[None]] = {}

    def open(self, name: str) -> "tuple[StreamingIngestChannel, ChannelStatus]":
        """Raises ClientLost where an earlier handle can't be closed, or the client may have died without a word; and what the
        SDK raises.
        """
        self._refuse_a_dead_client()
        with self._lock:
            earlier = self._handles.get(name)
        if earlier is not None:
            self.give_back(name, earlier)
        self._await_closing(name)
        handle, status = self._client.open_channel(name)
        with self._lock:
            self._handles[name] = handle
        self.watch.opened(name, status)
        return handle, status

    def drop(self, name: str) -> None:
        """Raises what the SDK raises."""
        self._await_closing(name)
        self._client.drop_channel(name)

    def tokens(self, names: Sequence[str]) -> "Mapping[str, str | None]":
        """The committed tokens; None of a channel without one, or that is not there. Raises what the SDK raises."""
        return dict(self._client.get_latest_committed_offset_tokens(list(names)))

    def give_back(self, name: str, handle: "StreamingIngestChannel") -> None:
        """Closes the handle in the background, without waiting for rows."""
        with self._lock:
            if self._handles.get(name) is not handle:
                return
            del self._handles[name]
            self._closing[name] = in_background(lambda: _close(handle), name="close-channel")

    def close(self) -> None:
        """Closes in the background, without waiting for rows; they are read again."""
        self.watch.close()
        in_background(self._close, name="close-client")

    def _refuse_a_dead_client(self) -> None:
        if is_blocked(self):
            raise ClientLost(self._pipe, "it does not return from a call")
        if (silent_s := self.watch.silent_s) > SILENT_S:
            raise ClientLost(self._pipe, f"nothing that it sent in the last {silent_s:.0f} s was seen committed")

    def _await_closing(self, name: str) -> None:
        with self._lock:
            closing = self._closing.get(name)
        if closing is None:
            return
        if wait([closing], CLOSE_PATIENCE_S).not_done or closing.exception() is not None:
            raise ClientLost(self._pipe, f"the channel {name} can't be closed")
        with self._lock:
            self._closing.pop(name, None)

    def _close(self) -> None:
        self._client.close(wait_for_flush=False)
        with self._lock:
            handles, self._handles = list(self._handles.values()), {}
        for handle in handles:
            handle.close(wait_for_flush=False, timeout_seconds=0)


class PipeClients:
    """Thread-safe. `make` makes a pipe's client, and is called by one thread a pipe at a time."""

    def __init__(self, make: Callable[[TargetTable], PipeClient]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._clients: dict[tuple[str, str, str], Future[PipeClient]] = {}

    def of(self, target: TargetTable) -> PipeClient:
        """Waits where it is being made. Raises what `make` raises."""
        address = address_of(target)
        with self._lock:
            future = self._clients.get(address)
            is_mine = future is None
            if future is None:
                future = self._clients[address] = Future()
        if is_mine:
            settle(future, lambda: self._made(target, future))
        return future.result()

    def is_current(self, target: TargetTable, client: PipeClient) -> bool:
        with self._lock:
            return self._made_is(client, self._clients.get(address_of(target)))

    def forget(self, target: TargetTable, client: PipeClient) -> None:
        """Closes the client, once; another shard may have had it recreated already."""
        with self._lock:
            is_current = self._made_is(client, self._clients.get(address_of(target)))
            if is_current:
                del self._clients[address_of(target)]
        if is_current:
            client.close()

    def forget_all(self) -> None:
        """Closes every client, and each one that is being made as soon as it is."""
        with self._lock:
            futures, self._clients = list(self._clients.values()), {}
        for future in futures:
            future.add_done_callback(_close_made)

    @staticmethod
    def _made_is(client: PipeClient, future: "Future[PipeClient] | None") -> bool:
        return future is not None and future.done() and not future.exception() and future.result() is client

    def _made(self, target: TargetTable, future: "Future[PipeClient]") -> PipeClient:
        address = address_of(target)
        try:
            client = self._make(target)
        except BaseException:
            with self._lock:
                if self._clients.get(address) is future:
                    del self._clients[address]
            raise
        with self._lock:
            is_wanted = self._clients.get(address) is future
        if not is_wanted:
            client.close()
            raise ClientLost(target.pipe, "meanwhile its key was replaced, or it was closed")
        return client


def address_of(target: TargetTable) -> tuple[str, str, str]:
    return written_name(target.database), written_name(target.schema), target.pipe


def _close_made(future: "Future[PipeClient]") -> None:
    if future.exception() is None:
        future.result().close()


def _close(handle: "StreamingIngestChannel") -> None:
    """Raises what the SDK raised last."""
    for attempt in range(1, CLOSE_ATTEMPTS + 1):
        try:
            handle.close(wait_for_flush=False, timeout_seconds=0)
        except Exception as error:
            log.warning("channel.unclosed", extra={"attempt": attempt, "cause": str(error)})
            if attempt == CLOSE_ATTEMPTS:
                raise
            time.sleep(CLOSE_PAUSE_S)
        else:
            return
