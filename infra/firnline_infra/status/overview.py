"""Several environments beside each other: each is read by a feed of its own, so that no trouble of one hides another."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any
from urllib.parse import quote

from firnline_infra.status.feed import StatusFeed, StatusSource
from firnline_infra.status.history import History
from firnline_infra.status.model import EnvironmentStatus
from firnline_infra.status.reader import StatusReader

ANSWERS_WITHIN_S = 30.0
PASSED_ON = ("application", "at", "exit_status", "verdict", "worst_lag_s", "trouble")


class LazyReader:
    """A StatusReader that is made when it is first asked, and tried again until that succeeds: its account may refuse."""

    def __init__(self, name: str, make: Callable[[], StatusReader]) -> None:
        self._name, self._make = name, make
        self._made: StatusReader | None = None

    @property
    def application(self) -> str:
        """The environment's name until its application is known."""
        return self._made.application if self._made else self._name

    def read(self, *, with_letters: bool = False) -> EnvironmentStatus:
        return self._reader().read(with_letters=with_letters)

    def history(self) -> History:
        return self._reader().history()

    def _reader(self) -> StatusReader:
        self._made = self._made or self._make()
        return self._made


class Overview:
    """A row for each environment, of what its feed has read last. Numbered as a feed is; a listener keeps all feeds reading."""

    def __init__(self, readers: Mapping[str, StatusSource]) -> None:
        self._changed = threading.Condition()
        self._number, self._is_over = 0, False
        self.feeds = {name: StatusFeed(reader, on_change=self._note) for name, reader in readers.items()}

    @contextmanager
    def listening(self) -> Iterator[None]:
        with ExitStack() as stack:
            for feed in self.feeds.values():
                stack.enter_context(feed.listening())
            yield

    def after(self, number: int, seconds: float) -> tuple[int, dict[str, Any]]:
        with self._changed:
            self._changed.wait_for(lambda: self._number > number or self._is_over, seconds)
            seen = self._number
        return seen, self._document({name: feed.latest() for name, feed in self.feeds.items()})

    def now(self) -> dict[str, Any]:
        """Reads all of them side by side; of one that does not answer in time, what was read before."""
        threads = [threading.Thread(target=feed.now, daemon=True) for feed in self.feeds.values()]
        for thread in threads:
            thread.start()
        until_s = time.monotonic() + ANSWERS_WITHIN_S
        for thread in threads:
            thread.join(max(0.0, until_s - time.monotonic()))
        return self._document({name: feed.latest() for name, feed in self.feeds.items()})

    def close(self) -> None:
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
        for feed in self.feeds.values():
            feed.close()

    def _note(self) -> None:
        with self._changed:
            self._number += 1
            self._changed.notify_all()

    def _document(self, found: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        return {"environments": [row_of(name, document) for name, document in found.items()]}


def path_of(name: str) -> str:
    """Returns the path of an environment's page."""
    return f"/env/{quote(name, safe='')}/"


def row_of(name: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what the overview shows of an environment's document; an empty one is of an environment that was not read yet."""
    row = {key: document[key] for key in PASSED_ON if key in document}
    problems = [
        {key: each[key] for key in ("id", "url", "stream", "what", "has_stopped")}
        for each in document.get("problems", ())
    ]
    checks = [
        {key: each[key] for key in ("name", "at", "exit_status", "summary")} for each in document.get("checks", ())
    ]
    return {"name": name, "page": path_of(name), **row, "problems": problems, "checks": checks}
