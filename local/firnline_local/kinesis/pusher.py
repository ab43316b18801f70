"""Sends the messages of a subscription to a client, as fast as they come and the client takes them."""

import asyncio
from typing import Protocol

from firnline_local.kinesis.wire import Pushes

LOOK_S = 0.1  # for what only time brings: an event without records, the end, a fault's delay


class Sink(Protocol):
    """The answer that the messages are the body of."""

    def is_closing(self) -> bool: ...
    def write(self, message: bytes) -> None: ...
    def end(self) -> None: ...
    def abort(self) -> None: ...


class Pusher:
    """Pushes the events of one answer, on its loop's thread."""

    def __init__(self, pushes: Pushes, sink: Sink) -> None:
        self._pushes = pushes
        self._sink = sink
        self._loop = asyncio.get_running_loop()
        self._is_paused = False
        self._timer: asyncio.TimerHandle | None = None
        pushes.subscription.wake = self._wake
        self._push()

    def pause(self) -> None:
        self._is_paused = True

    def resume(self) -> None:
        self._is_paused = False
        self._push()

    def close(self) -> None:
        """The connection is gone."""
        self._rest(None)
        self._pushes.subscription.wake = lambda: None
        self._pushes.close()

    def _wake(self) -> None:
        """Wakes the loop from whatever thread something happened on."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._push)

    def _push(self) -> None:
        self._rest(None)
        while not (self._is_paused or self._sink.is_closing()):
            message = self._pushes.next()
            if message is not None:
                self._sink.write(message)
            if self._pushes.is_over:
                self._finish()
                return
            if message is None or self._pushes.delay_s:
                self._rest(self._pushes.delay_s or LOOK_S)
                return

    def _rest(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self._loop.call_later(seconds, self._push)

    def _finish(self) -> None:
        self._pushes.subscription.wake = lambda: None
        if self._pushes.is_cut:
            self._sink.abort()
        else:
            self._sink.end()
