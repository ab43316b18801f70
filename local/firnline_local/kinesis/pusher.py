"""Sends the messages of a subscription over a connection, in chunks, as fast as they come and the client takes them."""

import asyncio
from collections.abc import Callable

from firnline_local.kinesis.wire import Pushes

LOOK_S = 0.1  # for what only time brings: an event without records, the end, a fault's delay


class Pusher:
    """Pushes the events of one connection, on its loop's thread."""

    def __init__(self, pushes: Pushes, transport: asyncio.Transport, done: Callable[[], None]) -> None:
        self._pushes = pushes
        self._transport = transport
        self._done = done
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
        while not (self._is_paused or self._transport.is_closing()):
            message = self._pushes.next()
            if message is not None:
                self._transport.write(b"%x\r\n%b\r\n" % (len(message), message))
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
            self._transport.abort()
            return
        self._transport.write(b"0\r\n\r\n")
        self._done()
