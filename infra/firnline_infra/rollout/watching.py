"""Watches a run that was started until its engine has taken every shard that was read before, or has failed."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from firnline_infra.rollout.context import RolloutContext
from firnline_infra.rollout.ownership import may_be_of
from firnline_infra.rollout.phases import Phase
from firnline_infra.rollout.shards import Takeover, shard_rows, takeover, without_paused
from firnline_infra.runtimes.service import Run, RunState
from firnline_infra.runtimes.waiting import WaitsFor
from firnline_ingest.ledger.engine_report import EngineProblem
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.values import ShardKey

NOBODY = "-"
"""No run's id; the fence of a shard that nobody has is empty."""


class NewFailed(Exception):
    """The reason why the new engine did not come up."""


class AnotherHolds(NewFailed):
    """The engine that holds the application instead."""


@dataclass(slots=True)
class Watch:
    """Watches one run until its engine reads every shard."""

    context: RolloutContext
    run: Run
    streams: Sequence[str]
    has_stood_by: bool = False
    """The program runs already; the old engine may hold the application for a while."""
    _before: Mapping[ShardKey, ShardRow] = field(init=False)
    """The shards' rows before the watch began."""
    _began_s: float = field(init=False)
    opened: int = 0
    """Shards that it reads, once it does."""
    _is_known: bool = False
    """True if its service has told of the run yet."""
    _runs: bool = False

    def __post_init__(self) -> None:
        self._before = shard_rows(self.context.ledger, self.streams)
        self._began_s = self.context.clock()
        self._runs = self.has_stood_by

    def until_it_reads(self, needed: frozenset[ShardKey]) -> None:
        """Waits until the run's engine has opened every shard that was read before, or at least one if none was. Does not
        wait for what is paused. Raises NewFailed."""
        context = self.context
        self.until_it_beats(context.timeouts.begin_s)
        context.phases.end(Phase.HELD)
        until_s, is_up = context.clock() + context.timeouts.begin_s, False
        while True:
            if not is_up and self._is_up():
                until_s, is_up = context.clock() + context.timeouts.serve_s, True
            read = without_paused(context.ledger, self.streams)
            found = self._takeover({key for key in needed if key.stream in read})
            if found.is_complete or not read:
                context.phases.end(Phase.READ)
                self.opened = len(found.opened)
                return
            now = self._refuse_if_failed()
            why = self._what_stopped(found.missing, read)
            if why or context.clock() > until_s:
                missing = ", ".join(sorted(map(str, found.missing))) or "any shard"
                why = why or ("" if is_up else f": its Spark does not come up; its service calls it {now.described}")
                raise NewFailed(f"run {self.run.id} holds the application, and does not read {missing}{why}")
            context.wait()

    def _is_up(self) -> bool:
        """Returns whether the run's engine has reported that Spark is up. The lease is taken before, and executors'
        machines may have to be made in between. An engine of an earlier release reports its first epoch."""
        engine, report = self.context.ledger.current_run(), self.context.ledger.report()
        if engine is None or report is None or engine.run_id != report.run_id or not may_be_of(engine, self.run):
            return False
        return bool(report.started_ms or report.epochs)

    def until_the_tip(self) -> bool:
        """True if it has reached it in time. Raises NewFailed if it has opened its shards and ended."""
        until_s = self.context.clock() + self.context.timeouts.tip_s
        while self.context.clock() < until_s:
            found = self._takeover(())
            is_read = bool(found.opened) or not without_paused(self.context.ledger, self.streams)
            if is_read and found.opened == found.at_tip:
                return True
            self._refuse_if_failed()
            self.context.wait()
        return False

    @property
    def silent_s(self) -> float:
        """Time since an engine wrote a row of the streams, when the watch began; 0 if none ever did."""
        newest_ms = max((row.heartbeat_ms for row in self._before.values()), default=0)
        return max(self.context.now() - newest_ms / 1000, 0.0) if newest_ms else 0.0

    def _what_stopped(self, missing: Collection[ShardKey], streams: frozenset[str]) -> str:
        """The engine's own words for what keeps it from a shard that is waited for, if that is something it won't get over
        by itself. A shard that was stopped before the roll-out does not count. If nothing was read before, one stream that
        is read is enough, so all of them have to be stopped.
        """
        engine, report = self.context.ledger.current_run(), self.context.ledger.report()
        if report is None or engine is None or engine.run_id != report.run_id or not may_be_of(engine, self.run):
            return ""
        stopped = [each for each in report.problems if each.has_stopped]
        if missing:
            stopped = [each for each in stopped if any(_keeps_from(each, key) for key in missing)]
        else:
            stopped = [each for each in stopped if not each.shard]
            if not (streams <= {each.stream for each in stopped} or any(not each.stream for each in stopped)):
                return ""
        return "".join(f": [{each.id}] {each.what} (Next: {each.next_step})" for each in stopped[:1])

    def _takeover(self, needed: Collection[ShardKey]) -> Takeover:
        """The takeover by the engine that holds the application now: its service may have started it again while it is
        watched."""
        engine = self.context.ledger.current_run()
        now = shard_rows(self.context.ledger, self.streams)
        run_id = engine.run_id if engine and may_be_of(engine, self.run) else NOBODY
        return takeover(run_id, before=self._before, now=now, needed=needed)

    def until_it_beats(self, within_s: float) -> None:
        """Waits until the run's engine has a heartbeat. What ran before was gone, or has given the application back. Raises
        NewFailed, and AnotherHolds."""
        ledger = self.context.ledger
        until_s = self.context.clock() + within_s
        seen, hopeless_s = ledger.current_run(), float("inf")
        while True:
            self.context.wait()
            engine = ledger.current_run()
            if engine and seen and engine.run_id == seen.run_id and engine.beat > seen.beat:
                if may_be_of(engine, self.run):
                    return
                raise AnotherHolds(f"another engine holds the application, which was not started here: {engine.holder}")
            seen = engine
            now = self._refuse_if_failed()
            hopeless_s = min(hopeless_s, self.context.clock()) if now.waits_for is WaitsFor.CORRECTION else float("inf")
            if self.context.clock() - hopeless_s >= self.context.timeouts.passing_s:
                raise NewFailed(f"run {self.run.id} can't begin as it is: {now.described}")
            if self.context.clock() > until_s:
                raise NewFailed(f"run {self.run.id} is {now.described}, and its engine does not begin")

    def _refuse_if_failed(self) -> Run:
        now = self.context.service.look(self.run)
        self.context.seen(now)
        if now.state is RunState.RUNNING and not self._runs:
            self._runs = True
            self.context.phases.end(Phase.PROGRAM)
        is_young = self.context.clock() - self._began_s < self.context.timeouts.visible_s
        if now.state is RunState.UNKNOWN and not self._is_known and is_young:
            return now
        self._is_known = self._is_known or now.state is not RunState.UNKNOWN
        if not now.state.is_active:
            raise NewFailed(f"run {now.id} is {now.state}: {now.reason or 'its service does not say why'}")
        if now.attempt - self.run.attempt + 1 >= self.context.timeouts.attempts:
            raise NewFailed(f"run {now.id} was started {now.attempt} times by its service: {now.reason}")
        return now


def _keeps_from(problem: EngineProblem, key: ShardKey) -> bool:
    return problem.stream in ("", key.stream) and problem.shard in ("", key.shard_id)
