"""Says what a long command waits for: one line on standard error, on a terminal alone, from the second second on.

The line is rewritten, and is gone before anything else is printed. A file, a pipe and CI see nothing of it.
"""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from firnline_ingest.activity import current
from firnline_ingest.terminal import in_a_line, terminal_width

AFTER_S = 2.0
EVERY_S = 0.5
CLEAR = "\r\x1b[2K"
WIDTH = 80


class StatusLine:
    """The line at the bottom of a terminal. Not shown until a command has been silent for `AFTER_S`."""

    def __init__(self, terminal: TextIO, *, now: float) -> None:
        self._terminal = terminal
        self._silent_since = now
        self._is_shown = False
        self._lock = threading.RLock()

    def tick(self, now: float) -> None:
        """Shows, rewrites or removes the line."""
        with self._lock:
            activity = current()
            if activity is None or now - max(self._silent_since, 0) < AFTER_S:
                self.clear()
                return
            waited = now - activity.began
            text = f"… {in_a_line(activity.what)}" + (f" ({waited:.0f} s)" if waited >= AFTER_S else "")
            width = (terminal_width() or WIDTH) - 1
            self._terminal.write(f"{CLEAR}{text[:width]}")
            self._terminal.flush()
            self._is_shown = True

    def printed(self, now: float) -> None:
        """Makes room for what is printed."""
        with self._lock:
            self.clear()
            self._silent_since = now

    def clear(self) -> None:
        with self._lock:
            if self._is_shown:
                self._terminal.write(CLEAR)
                self._terminal.flush()
                self._is_shown = False


class _Announced:
    """A stream that takes the line away before it writes."""

    def __init__(self, stream: TextIO, line: StatusLine) -> None:
        self._stream = stream
        self._line = line

    def write(self, text: str) -> int:
        self._line.printed(time.monotonic())
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def status_line() -> Iterator[None]:
    """Nothing is shown, and no thread runs, where standard error is not a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    line, ended, streams = StatusLine(sys.stderr, now=time.monotonic()), threading.Event(), (sys.stdout, sys.stderr)

    def run() -> None:
        while not ended.wait(EVERY_S):
            line.tick(time.monotonic())

    thread = threading.Thread(target=run, name="status-line", daemon=True)
    sys.stdout, sys.stderr = (_Announced(each, line) for each in streams)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        sys.stdout, sys.stderr = streams
        line.clear()
