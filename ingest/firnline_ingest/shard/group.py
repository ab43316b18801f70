"""The shards of one process. Each has a thread of its own, and goes on while Spark plans the next epoch.

An epoch hands over what is wanted now and takes a receipt from each shard at its end: a report, not a stop. A shard that
no epoch asks for any more proves what it sent and gives its channel back by itself. Nothing that a shard does holds
its group.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import nlargest

from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.backend import LeaseLedger
from firnline_ingest.shard.receipt import COUNTS, Receipt, Tally
from firnline_ingest.shard.report import ShardReport
from firnline_ingest.shard.request import Deadline, ShardRequest
from firnline_ingest.shard.runner import ShardRunner
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.snowflake.sdk_guard import BLOCKED_S
from firnline_ingest.values import ShardKey

WATCH_EVERY_S = 1.0
LOOK_EVERY_S = 0.05
GRACE_S = 5.0
SHOWN = 4  # shards of a process that have a progress line of their own
LEAST_LAPSE_S = 60.0  # a driver may take a while to plan
AT_ONCE, OPENS_PER_S = 4, 10.0  # of one process: more opens than that are spread out

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Watch:
    """The run that asked for this epoch; the epoch ends when it is asked to stop, or is no longer the current one."""

    ledger: LeaseLedger
    run_id: str

    def wants_a_stop(self) -> bool:
        try:
            run = self.ledger.current_run() or self.ledger.current_run()  # an answer without an item may be none
        except FirnlineError as error:
            log.warning("ledger.unwatched", extra={"problem": error.id, "cause": error.what})
            return False
        return run is None or run.run_id != self.run_id or run.stop_requests > 0


@dataclass(slots=True)
class ShardGroup:
    """All shards of this process, whatever group the driver made of them. One task at a time uses it."""

    services: ShardServices
    progress_every_s: float = 5.0
    start: Callable[[ShardRunner], None] = ShardRunner.start
    """Makes a runner's thread."""
    _runners: dict[ShardKey, ShardRunner] = field(default_factory=dict)
    _is_over: bool = False
    """The run was asked to stop, which is never taken back: no shard is opened for it any more."""

    def run(self, works: Sequence[ShardWork], deadline: Deadline, watch: Watch | None = None) -> list[Receipt]:
        """One receipt a shard, in the order of `works`, soon after the deadline. Raises nothing that one shard could cause.
        None where the watch has seen a stop before: Spark may begin one more epoch than its driver wants.

        After them come those of shards that ended since they were asked for last: no plan has them any more. A stop waits for
        the last proof, for as long as that may take; a shard that takes longer is late.
        """
        self.services.look_for_new_keys()
        self._drop_what_ended()
        asked = [] if self._is_over else self._ask(works, deadline)
        over = threading.Event()
        if watch is not None:
            threading.Thread(target=_keep_watch, args=(watch, deadline, over), name="watch", daemon=True).start()
        self._await(asked, deadline)
        over.set()
        self._is_over |= watch is not None and deadline.is_stopped
        return [runner.receipt(is_due=deadline.is_stopped) for runner in asked] + self._ends_of_others(asked)

    def begin(self, works: Sequence[ShardWork], deadline: Deadline) -> None:
        """Asks for what `run` asks for, and waits for nothing: an epoch in which Spark runs queries over the shards' pages."""
        self._drop_what_ended()
        if not self._is_over:
            self._ask(works, deadline)

    def are_over(self, stream: str) -> bool:
        """Returns whether no shard of the stream is read any more."""
        return _are_over([runner for key, runner in self._runners.items() if key.stream == stream])

    def finish(self) -> list[Receipt]:
        """Every shard that is still read proves what it sent and gives its channel back; their receipts.

        For a run that ends between two epochs; takes as long as a stop.
        """
        self._drop_what_ended()
        going_on = list(self._runners.values())
        self._stop(going_on)
        return [runner.receipt(is_due=True) for runner in going_on]

    def close(self) -> None:
        """Every shard proves what it sent and gives its channel back; one that takes longer than the grace does so later."""
        for runner in self._runners.values():
            runner.request.stop()
        until_s = time.monotonic() + GRACE_S
        for runner in self._runners.values():
            runner.over.wait(max(0.0, until_s - time.monotonic()))
        self._runners.clear()

    def _drop_what_ended(self) -> None:
        """Drops runners that ended and were reported: an end that no receipt has had is in the next one."""
        for key, runner in list(self._runners.items()):
            if runner.over.is_set() and not runner.report.has_news:
                del self._runners[key]

    def _ends_of_others(self, asked: Sequence[ShardRunner]) -> list[Receipt]:
        """The receipts of shards that ended and were not asked for. Without them a shard that failed when it was asked for
        last would count as failing for ever."""
        others = [runner for runner in self._runners.values() if runner not in asked]
        return [runner.receipt() for runner in others if runner.report.has_ended_untold]

    def _ask(self, works: Sequence[ShardWork], deadline: Deadline) -> list[ShardRunner]:
        """Hands the work to the shards that run, and starts the others, not all at once."""
        lapses_s = deadline.deadline_s + max(LEAST_LAPSE_S, 2 * deadline.left_s)
        new = sum(work.key not in self._runners for work in works)
        spread_s = max(0, new - AT_ONCE) / OPENS_PER_S
        return [self._asked(work, deadline, lapses_s, spread_s) for work in works]

    def _asked(self, work: ShardWork, deadline: Deadline, lapses_s: float, spread_s: float) -> ShardRunner:
        before = self._runners.get(work.key)
        if before is not None and before.blocked_s > BLOCKED_S:
            return self._anew(work, deadline, lapses_s, before)
        if before is not None:
            was_elsewhere = work.epoch - before.request.work.epoch > 1
            if before.request.renew(work, lapses_s) or (before.report.has_news and not was_elsewhere):
                return before
        request = ShardRequest(work, lapses_s=lapses_s, arrival_ms=deadline.arrival_ms)
        report = before.report if before is not None else ShardReport(work.key)
        return self._started(ShardRunner(self.services, request, report, delay_s=spread_s * self.services.jitter()))

    def _anew(self, work: ShardWork, deadline: Deadline, lapses_s: float, blocked: ShardRunner) -> ShardRunner:
        """Instead of one whose thread does not come back from the SDK: the fence keeps that one from writing, as it would if it
        were in another process. Its counts since the last receipt are its own.
        """
        request = ShardRequest(work, lapses_s=lapses_s, arrival_ms=deadline.arrival_ms)
        runner = ShardRunner(self.services, request)
        runner.report.troubled(blocked.leave())
        return self._started(runner)

    def _started(self, runner: ShardRunner) -> ShardRunner:
        self._runners[runner.request.work.key] = runner
        self.start(runner)
        return runner

    def _await(self, asked: Sequence[ShardRunner], deadline: Deadline) -> None:
        """Waits until every shard is over, or for the deadline; after a stop, as long as the last proof may take."""
        next_progress_s = time.monotonic() + self.progress_every_s
        while not deadline.is_over and not _are_over(asked):
            deadline.wait(LOOK_EVERY_S)
            if time.monotonic() >= next_progress_s:
                next_progress_s += self.progress_every_s
                _tell_progress(asked)
        if deadline.is_stopped:
            self._stop(asked)

    def _stop(self, runners: Sequence[ShardRunner]) -> None:
        for runner in runners:
            runner.request.stop()
        give_up_s = time.monotonic() + self.services.final_commit_s + GRACE_S
        while not _are_over(runners) and time.monotonic() < give_up_s:
            time.sleep(LOOK_EVERY_S)


def _are_over(runners: Sequence[ShardRunner]) -> bool:
    return all(runner.over.is_set() for runner in runners)


def _keep_watch(watch: Watch, deadline: Deadline, over: threading.Event) -> None:
    """Runs on a thread of its own: a ledger that does not answer delays no shard."""
    while not over.is_set() and not deadline.is_over:
        if watch.wants_a_stop():
            deadline.stop()
        over.wait(WATCH_EVERY_S)


def _tell_progress(runners: Sequence[ShardRunner]) -> None:
    """A few lines, however many shards there are: those that are furthest behind, and what all of them add up to."""
    tallies = {runner.request.work.key: runner.report.so_far() for runner in runners}
    for key in nlargest(SHOWN, tallies, key=lambda key: _lag(tallies[key])):
        log.info("shard.progress", extra={"stream": key.stream, "shard": key.shard_id, **tallies[key].counts()})
    if len(runners) > SHOWN:
        sums = {name: sum(getattr(tally, name) for tally in tallies.values()) for name in COUNTS}
        unanswered_s, behind_ms = max(map(_lag, tallies.values()))
        extra = {"shards": len(runners), **sums, "behind_ms": behind_ms, "unanswered_s": unanswered_s}
        log.info("group.progress", extra=extra)


def _lag(tally: Tally) -> tuple[int, int]:
    return tally.unanswered_s, tally.behind_ms or 0
