"""SIGTERM and SIGINT as something to wait for, whatever the process is doing when they come.

A handler of Python's would run in the middle of anything, also of a lock that it needs itself; here the interpreter writes
the signal's number into a pipe, and a thread reads it. One sent to the driver's process group, or twice in a moment (as
`timeout` does), is one; a second one later means: at once.
"""

import logging
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Self

ENDING = (signal.SIGTERM, signal.SIGINT)
SAME_S = 2.0  # signals so close to each other are one

log = logging.getLogger(__name__)


@dataclass(slots=True)
class EndingSignals:
    """`with` listens, on the main thread; elsewhere only what `heard` gets counts."""

    ending: threading.Event = field(default_factory=threading.Event)
    """The run is to end, or ends by itself."""
    at_once: threading.Event = field(default_factory=threading.Event)
    number: int | None = None
    """Of the first signal."""
    clock: Callable[[], float] = time.monotonic
    _heard_s: float = 0.0
    _before: dict[int, Any] = field(default_factory=dict)
    _pipe: tuple[socket.socket, socket.socket] | None = None
    _wakeup_fd: int = -1

    @property
    def exit_status(self) -> int | None:
        """The exit status that a shell reports for a process ended by this signal; None if none came."""
        return None if self.number is None else 128 + self.number

    def heard(self, number: int) -> None:
        """Called by any thread but a signal's handler."""
        if self.number is None:
            self.number, self._heard_s = number, self.clock()
            log.info("engine.signalled", extra={"signal": signal.Signals(number).name})
        elif self.clock() - self._heard_s > SAME_S:
            log.warning("engine.forced_stop", extra={"signal": signal.Signals(number).name})
            self.at_once.set()
        self.ending.set()

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread() and self._pipe is None:
            self._pipe = reader, writer = socket.socketpair()
            writer.setblocking(False)
            self._wakeup_fd = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
            for number in ENDING:
                self._before[number] = signal.signal(number, _noted_by_the_interpreter)
            threading.Thread(target=self._listen, args=(reader,), name="signals", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._pipe is None:
            return
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup_fd)
        for end in self._pipe:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._pipe = None

    def _listen(self, reader: socket.socket) -> None:
        with suppress(OSError):
            while numbers := reader.recv(64):
                for number in numbers:
                    if number in ENDING:
                        self.heard(number)


def _noted_by_the_interpreter(_number: int, _frame: FrameType | None) -> None:
    """Does nothing: without a handler the signal would end the process."""
