"""Conclusions of the driver from an epoch's receipts: go on, leave something out for a while, or end with a reason.

A failure of a shard, or of a whole pipeline (a receipt without a shard), is decided here and nowhere else. What time can
heal has patience; what stopped is left out, said again and again, and tried again now and then, while the others go on.
"""

import logging
import time
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from firnline_ingest.config.running import FailuresConfig, OnFailure
from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.errors import FencedRepeatedly
from firnline_ingest.shard.receipt import Receipt, ShardProblem, ShardState
from firnline_ingest.spark.retry_budget import LONGEST_PAUSE_S, RetryBudget
from firnline_ingest.values import ShardKey

FENCES, FENCE_WINDOW_S = 4, 600.0
FAILING = (ShardState.FAILED, ShardState.LATE)
IDLE = (*FAILING, ShardState.FENCED, ShardState.WAITING)
LEAST_PAUSE_S = 1.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Stopped:
    """A shard or a pipeline that is left out until `retry_s` (on the policy's clock)."""

    problem: ShardProblem
    retry_s: float


@dataclass(slots=True)
class ShardPolicy:
    """Keeps what has to be remembered of the receipts of one run."""

    config: FailuresConfig = field(default_factory=FailuresConfig)
    clock: Callable[[], float] = time.monotonic
    finished: set[ShardKey] = field(default_factory=set)
    """Shards that a bounded run is done with."""
    stopped: dict[ShardKey, Stopped] = field(default_factory=dict)
    waiting: set[ShardKey] = field(default_factory=set)
    """Shards of the last epoch for which there was no room. None is ever left out for it: it is read once there is room."""
    is_anything_left: bool = True
    """True if the last epoch had work that has not stopped."""
    _has_anybody_read: bool = True
    _fenced_at: dict[ShardKey, deque[float]] = field(default_factory=lambda: defaultdict(deque))
    _patience: dict[ShardKey, RetryBudget] = field(default_factory=dict)

    def judge(self, receipts: Sequence[Receipt]) -> None:
        self.waiting = {receipt.key for receipt in receipts if receipt.state is ShardState.WAITING}
        for receipt in receipts:
            if receipt.state in (ShardState.DONE, ShardState.ENDED):
                self.finished.add(receipt.key)
            if receipt.state is ShardState.FENCED:
                self._count_fence(receipt.key)
            elif self._counts(receipt) and receipt.problem:
                self._count_failure(receipt.key, receipt.problem)
            else:
                self._recovered(receipt.key)
        self._pipelines_recovered({receipt.key for receipt in receipts})
        self.is_anything_left = any(receipt.key not in self.stopped for receipt in receipts)
        self._has_anybody_read = any(receipt.state not in IDLE for receipt in receipts)

    def _counts(self, receipt: Receipt) -> bool:
        """True if the receipt counts as a failure. One that waits does if a failure is to end the run."""
        is_to_stop = receipt.state is ShardState.WAITING and self.config.on_failure is OnFailure.STOP
        return receipt.state in FAILING or is_to_stop

    def leaves_out(self, key: ShardKey) -> bool:
        """Returns whether an epoch has no work for the shard: it is done, or stopped and not yet due again."""
        stopped = self.stopped.get(key)
        return key in self.finished or (stopped is not None and self.clock() < stopped.retry_s)

    @property
    def ends_the_run(self) -> bool:
        """True if something has stopped, and that is enough by the configuration.

        Otherwise whatever stopped is tried again, also if it is all that there is: a person may fix the table meanwhile.
        """
        return bool(self.stopped) and self.config.on_failure is OnFailure.STOP

    @property
    def has_all_stopped(self) -> bool:
        """True if nothing but what stopped is left: a bounded run does not wait for it."""
        return bool(self.stopped) and not self.is_anything_left

    @property
    def failing(self) -> list[str]:
        """Shards and pipelines that failed in the last epoch for what passes, or for which there was no room."""
        return sorted(_name(key) for key in self._patience.keys() | self.waiting if key not in self.stopped)

    @property
    def reasons(self) -> dict[str, str]:
        """The id of the problem of each shard and pipeline that has stopped."""
        return {_name(key): stopped.problem.id for key, stopped in self.stopped.items()}

    @property
    def pause_s(self) -> float:
        """The pause before the next epoch if no shard was read in this one, so that it delays no shard."""
        if self._has_anybody_read:
            return 0.0
        if self.has_all_stopped:
            next_s = min(stopped.retry_s for stopped in self.stopped.values()) - self.clock()
            return min(max(LEAST_PAUSE_S, next_s), LONGEST_PAUSE_S)
        return min((patience.pause_s for patience in self._patience.values()), default=LEAST_PAUSE_S)

    def _count_fence(self, key: ShardKey) -> None:
        times, now = self._fenced_at[key], self.clock()
        times.append(now)
        while now - times[0] > FENCE_WINDOW_S:
            times.popleft()
        if len(times) >= FENCES:
            self._stop(key, ShardProblem.of(FencedRepeatedly(key, len(times), FENCE_WINDOW_S / 60)))

    def _count_failure(self, key: ShardKey, problem: ShardProblem) -> None:
        patience = self._patience.setdefault(key, RetryBudget(self.config.patience_seconds, self.clock))
        if patience.failed() or not problem.is_retryable or key in self.stopped:
            self._stop(key, problem)

    def _stop(self, key: ShardKey, problem: ShardProblem) -> None:
        """Says so at once, and whenever it was tried again in vain."""
        known = self.stopped.get(key)
        if known is not None and self.clock() < known.retry_s:
            return  # a pipeline is looked at with every plan
        self.stopped[key] = Stopped(problem, self.clock() + self.config.retry_seconds)
        log.error(
            "shard.failed" if key.shard_id else "pipeline.failed",
            extra={
                "shard" if key.shard_id else "stream": _name(key),
                "problem": problem.id,
                "what": problem.what,
                "next_step": problem.next_step,
                "again_in_s": self.config.retry_seconds if self.config.on_failure is OnFailure.CONTINUE else None,
            },
        )

    def _recovered(self, key: ShardKey) -> None:
        self._patience.pop(key, None)
        if self.stopped.pop(key, None) is not None:
            event, field_name = ("shard.recovered", "shard") if key.shard_id else ("pipeline.recovered", "stream")
            log.info(event, extra={field_name: _name(key)})

    def _pipelines_recovered(self, told: set[ShardKey]) -> None:
        """A pipeline whose own trouble is over is silent about it."""
        for key in {*self.stopped, *self._patience} - told:
            if not key.shard_id:
                self._recovered(key)


def _name(key: ShardKey) -> str:
    return str(key) if key.shard_id else key.stream


def describe(error: FirnlineError) -> dict[str, str]:
    """An error's fields for a log line."""
    return {"problem": error.id, "what": error.what, "next_step": error.next_step}
