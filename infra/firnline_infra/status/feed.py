"""The status as it is now, for all who have the page open: read once for all of them, and not at all while nobody has."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from firnline_infra.status.history import History
from firnline_infra.status.model import EnvironmentStatus
from firnline_ingest.errors import FirnlineError, url_of

EVERY_S, A_SHARD_S = 2.0, 0.005
"""A thousand shards are read every seven seconds: a look reads each of their rows."""


class StatusSource(Protocol):
    """Source of a feed: a StatusReader, or one that is made when it is first asked."""

    @property
    def application(self) -> str: ...
    def read(self, *, with_letters: bool = False) -> EnvironmentStatus: ...
    def history(self) -> History: ...


class StatusFeed:
    """Numbers what it has read; a listener asks for what comes after the number that it has."""

    def __init__(self, reader: StatusSource, *, on_change: Callable[[], object] = lambda: None) -> None:
        self._reader, self._on_change = reader, on_change
        self._changed = threading.Condition()
        self._number, self._document = 0, dict[str, Any]()
        self._listeners = 0
        self._is_over = False
        self._reading = threading.Lock()
        self._thread: threading.Thread | None = None

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Has it read until the block ends; the first listener starts the thread that does."""
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def after(self, number: int, seconds: float) -> tuple[int, dict[str, Any]]:
        """Returns what was read after `number`, with its own; the same again if nothing was within so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._number > number or self._is_over, seconds)
            return self._number, self._document

    def latest(self) -> dict[str, Any]:
        """Returns what was read last; empty where nothing was yet."""
        with self._changed:
            return self._document

    def now(self) -> dict[str, Any]:
        """Reads it, for a program that asks once."""
        self._read()
        return self._document

    def history(self) -> dict[str, Any]:
        """Returns the last day, for a page that shows it."""
        try:
            return self._reader.history().as_document()
        except Exception as error:
            trouble = _trouble(error)
            return History(where=f"[{trouble['id']}] {trouble['what']}").as_document()

    def close(self) -> None:
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def _count(self, change: int) -> None:
        with self._changed:
            self._listeners += change
            if self._thread is None and not self._is_over:
                self._thread = threading.Thread(target=self._read_on, name="status-feed", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def _read_on(self) -> None:
        with_letters = False  # these take longest: the first look is without them
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._listeners or self._is_over)
                if self._is_over:
                    return
            self._read(with_letters=with_letters)
            with_letters = True
            with self._changed:
                shards = len(self._document.get("shards", ()))
                self._changed.wait_for(lambda: self._is_over, EVERY_S + A_SHARD_S * shards)

    def _read(self, *, with_letters: bool = True) -> None:
        with self._reading:
            try:
                found = self._reader.read(with_letters=with_letters).as_document()
            except Exception as error:
                found = {"application": self._reader.application, "trouble": _trouble(error)}
            with self._changed:
                self._number, self._document = self._number + 1, found
                self._changed.notify_all()
        self._on_change()


def _trouble(error: Exception) -> dict[str, str]:
    if isinstance(error, FirnlineError):
        said = {"id": error.id, "what": error.what, "next_step": error.next_step}
    else:
        said = {"id": FirnlineError.id, "what": f"{type(error).__name__}: {error}", "next_step": FirnlineError.remedy}
    return {**said, "url": url_of(said["id"])}
