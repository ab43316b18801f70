"""What the driver makes of an epoch's receipts: go on, wait a little, or stop with a reason.

A shard's failure is decided here and nowhere else. Fatal ones stop the engine after the others have finished their
epoch; those that time can heal are waited out.
"""

import logging
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.errors import FencedRepeatedly
from firnline_ingest.shard.receipt import Receipt, ShardProblem, ShardState
from firnline_ingest.values import ShardKey

FENCES, FENCE_WINDOW_S = 4, 600.0
PATIENT_EPOCHS = 20  # epochs in a row that a shard may fail for a passing reason
LONGEST_PAUSE_S = 30.0

log = logging.getLogger(__name__)


@dataclass(slots=True)
class ShardPolicy:
    """Keeps what has to be remembered of the receipts of one run."""

    clock: Callable[[], float] = time.monotonic
    finished: set[ShardKey] = field(default_factory=set)
    """Shards that a bounded run is done with."""
    failures: dict[ShardKey, ShardProblem] = field(default_factory=dict)
    """Shards that stop the engine, and why."""
    _fenced_at: dict[ShardKey, deque[float]] = field(default_factory=lambda: defaultdict(deque))
    _failed_in_a_row: dict[ShardKey, int] = field(default_factory=lambda: defaultdict(int))

    def judge(self, receipts: Iterable[Receipt]) -> None:
        for receipt in receipts:
            log.info("shard.receipt", extra=receipt.as_dict())
            if receipt.state in (ShardState.DONE, ShardState.ENDED):
                self.finished.add(receipt.key)
            if receipt.state is ShardState.FENCED:
                self._count_fence(receipt.key)
            if receipt.state is ShardState.FAILED and receipt.problem:
                self._count_failure(receipt.key, receipt.problem)
            else:
                self._failed_in_a_row.pop(receipt.key, None)

    @property
    def pause_s(self) -> float:
        """How long to wait before the next epoch, so that what fails at once does not fail in a tight loop."""
        worst = max(self._failed_in_a_row.values(), default=0)
        return min(LONGEST_PAUSE_S, 2.0 ** (worst - 1)) if worst else 0.0

    def _count_fence(self, key: ShardKey) -> None:
        times, now = self._fenced_at[key], self.clock()
        times.append(now)
        while now - times[0] > FENCE_WINDOW_S:
            times.popleft()
        if len(times) >= FENCES:
            self._fail(key, ShardProblem.of(FencedRepeatedly(key, len(times), FENCE_WINDOW_S / 60)))

    def _count_failure(self, key: ShardKey, problem: ShardProblem) -> None:
        self._failed_in_a_row[key] += 1
        if not problem.is_retryable or self._failed_in_a_row[key] >= PATIENT_EPOCHS:
            self._fail(key, problem)

    def _fail(self, key: ShardKey, problem: ShardProblem) -> None:
        self.failures[key] = problem
        log.error(
            "shard.failed",
            extra={"shard": str(key), "problem": problem.id, "what": problem.what, "next_step": problem.next_step},
        )


def describe(error: FirnlineError) -> dict[str, str]:
    """An error's fields for a log line."""
    return {"problem": error.id, "what": error.what, "next_step": error.next_step}
