"""Threads of which one runs at a time: each goes on to its next effect when it is told to, so a seed that fails fails again."""

import threading
from collections.abc import Callable

from tests.fakes.kills import Killed

PATIENCE_S = 60.0  # of the machine, for one turn, which takes a millisecond

_current = threading.local()


class TurnTaker:
    """Runs `run` on a thread of its own, from one `give_turn_away` to the next."""

    def __init__(self, run: Callable[[], None]) -> None:
        self.is_over = False
        self.defect: BaseException | None = None
        self._run = run
        self._is_killed = False
        self._turn, self._rest = (
            threading.Lock(),
            threading.Lock(),
        )  # cheaper than semaphores, and nothing is given twice
        self._turn.acquire()
        self._rest.acquire()
        threading.Thread(target=self._live, daemon=True).start()

    def take_turn(self) -> None:
        """Returns when the thread has given its turn away, or is over. Raises what it died of."""
        self._turn.release()
        if not self._rest.acquire(timeout=PATIENCE_S):
            raise AssertionError("a thread waits for something that no schedule gives")
        if self.defect is not None:
            raise self.defect

    def kill(self) -> None:
        if not self.is_over:
            self._is_killed = True
            self.take_turn()

    def give_turn_away(self) -> None:
        """Called by the thread itself. A killed one has no effects any more, whatever its handlers try."""
        if not self._is_killed:
            self._rest.release()
            self._turn.acquire()
        if self._is_killed:
            raise Killed

    def _live(self) -> None:
        _current.taker = self
        self._turn.acquire()
        try:
            if not self._is_killed:
                self._run()
        except Killed:
            pass
        except BaseException as defect:
            self.defect = defect
        self.is_over = True
        self._rest.release()


def current_taker() -> TurnTaker | None:
    """Returns whose thread this is; None for a thread that takes no turns."""
    return getattr(_current, "taker", None)
