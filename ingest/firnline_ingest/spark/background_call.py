"""Runs a call that may hang on a thread of its own: its caller waits as long as it likes, and abandons the thread otherwise."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

Result = TypeVar("Result")

POLL_S = 0.2

log = logging.getLogger(__name__)


class BackgroundCall(Generic[Result]):
    """Begins at once; does not keep the process alive."""

    def __init__(self, name: str, call: Callable[[], Result]) -> None:
        self.failure: Exception | None = None
        self.result: Result | None = None
        self._call = call
        self._over = threading.Event()
        threading.Thread(target=self._run, name=name, daemon=True).start()

    @property
    def is_over(self) -> bool:
        return self._over.is_set()

    def wait(self, seconds: float, unless: threading.Event | None = None) -> bool:
        """Returns whether it is over; gives up earlier if `unless` is set."""
        give_up_s = time.monotonic() + seconds
        while not self._over.wait(max(0.0, min(POLL_S, give_up_s - time.monotonic()))):
            if time.monotonic() >= give_up_s or (unless is not None and unless.is_set()):
                return False
        return True

    def _run(self) -> None:
        try:
            self.result = self._call()
        except Exception as error:
            self.failure = error
            log.debug("background_call.failed", exc_info=error)
        finally:
            self._over.set()
