"""A producer that puts events while the engine runs."""

import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment

BATCH = 500
RECORDS_PER_S = 4_000.0


class Producer:
    """A context manager; the block waits for its end, and what went wrong in it is raised there."""

    def __init__(self, environment: "RunningEnvironment", stream: str, events: Sequence[bytes]) -> None:
        self._environment = environment
        self._stream = stream
        self._events = events
        self._failure: Exception | None = None
        self._abandoned = threading.Event()
        self._thread = threading.Thread(target=self._produce, name="producer", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._abandoned.set()
        self.wait()

    def wait(self) -> None:
        """Returns when every event was put; raises what kept one from it."""
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def _produce(self) -> None:
        try:
            for first in range(0, len(self._events), BATCH):
                if self._abandoned.is_set():
                    return
                self._environment.put_events(self._stream, self._events[first : first + BATCH])
                time.sleep(BATCH / RECORDS_PER_S)
        except Exception as error:
            self._failure = error
