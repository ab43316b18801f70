"""Bounds how long a transient failure may last: long enough, and often enough.

Time alone would end what a frozen machine has only tried twice; a number alone would end what fails fast.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from firnline_ingest.errors import FirnlineError

Result = TypeVar("Result")

LEAST = 5
LONGEST_PAUSE_S = 30.0


@dataclass(slots=True)
class RetryBudget:
    """Counts failures in a row."""

    seconds: float
    clock: Callable[[], float] = time.monotonic
    in_a_row: int = 0
    _since_s: float = 0.0

    def failed(self) -> bool:
        """Returns whether that was one too many."""
        if self.in_a_row == 0:
            self._since_s = self.clock()
        self.in_a_row += 1
        return self.in_a_row >= LEAST and self.lasts_s >= self.seconds

    def passed(self) -> None:
        self.in_a_row = 0

    @property
    def lasts_s(self) -> float:
        """Since the first failure of this row."""
        return self.clock() - self._since_s if self.in_a_row else 0.0

    @property
    def pause_s(self) -> float:
        """The pause before another attempt: what fails at once must not fail in a tight loop."""
        return min(LONGEST_PAUSE_S, 2.0 ** min(self.in_a_row - 1, 10)) if self.in_a_row else 0.0


def retried(attempt: Callable[[], Result], budget: RetryBudget, wait: Callable[[float], bool]) -> Result:
    """Tries until the attempt succeeds. Raises what lasts, what is fatal, and the last failure where `wait` says to give up."""
    while True:
        try:
            return attempt()
        except FirnlineError as error:
            if budget.failed() or not error.is_retryable or wait(budget.pause_s):
                raise
