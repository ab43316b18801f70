"""The roll-out: from what runs to what should run, without two writers at any moment.

It keeps nothing between two calls: each begins by asking the runtime what runs and the ledger who holds the application, so
that a deploy that was killed anywhere is gone on with by the next one. Its order is: check everything that can be checked,
ask the old engine to stop, wait until it has proven its rows, cancel its run, wait until nothing of it is left, start the
new one, watch it take every shard; if it does not, put the old one back.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from firnline_infra.rollout.bounds import Bounds
from firnline_infra.rollout.errors import (
    DeployDisplaced,
    EngineElsewhere,
    NotReady,
    RolloutError,
    RolloutFailed,
    RuntimeRefused,
    RuntimeUnavailable,
    StillThere,
)
from firnline_infra.rollout.ownership import is_foreign
from firnline_infra.rollout.patience import Patience
from firnline_infra.rollout.phases import Phase, Phases
from firnline_infra.rollout.records import Claim, Deployment, Deployments, Outcome
from firnline_infra.rollout.runtime import Run, RunState, Runtime
from firnline_infra.rollout.shards import EngineLedger, read_lately, shard_rows
from firnline_infra.rollout.stopping import Stopping
from firnline_infra.rollout.watching import NewFailed, Rows, Watch
from firnline_infra.runtimes import EngineJob
from firnline_ingest.values import ShardKey


@dataclass(frozen=True, kw_only=True)
class Deployed:
    """What a deploy has left."""

    run: Run
    number: int | None
    """Of the deployment; None where there was nothing to do."""
    gap_s: float | None = None
    """From the request to stop to the moment at which the new engine read all shards: nothing was read for less than
    that. None where no engine ran before, or somebody else stopped it."""
    phases: Mapping[Phase, float] = field(default_factory=dict)
    """What the gap was spent on, in seconds; together they are the gap."""
    is_at_tip: bool = True


@dataclass(slots=True)
class RollOut:
    """One roll-out at a time."""

    runtime: Runtime
    ledger: EngineLedger
    records: Deployments
    streams_of: Callable[[EngineJob], Sequence[str]]
    """The streams that a job's configuration names."""
    job_of: Callable[[dict[str, Any]], EngineJob]
    """A job, from how a record has it; `document_of` is the way back."""
    document_of: Callable[[EngineJob], dict[str, Any]]
    say: Callable[[str], None] = print
    command: str = "firnline deploy"
    """For a person who has to go on."""
    bounds: Bounds = field(default_factory=Bounds)
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    _patience: Patience = field(init=False)
    _phases: Phases = field(init=False)
    _watched: Run | None = None

    def __post_init__(self) -> None:
        self._patience = Patience(self.sleep, self.clock)
        self._phases = Phases(self.clock)
        self.runtime = self._patience.with_(self.runtime, but={"start"})
        self.ledger = self._patience.with_(self.ledger)

    def deploy(self, job: EngineJob, *, went_back_to: int | None = None) -> Deployed:
        """The engine runs what `job` says. Raises NotReady, DeployRunning, DeployDisplaced, EngineElsewhere, StillThere,
        RolloutFailed, and what runtime, ledger and bucket refuse.
        """
        self._phases, self._watched = Phases(self.clock), None
        runs = self.runtime.runs(job.application)
        newest = self.records.newest()
        if (
            (run := _unchanged(runs, job.hash))
            and len(runs) == 1
            and newest
            and newest.hash == job.hash
            and newest.outcome is Outcome.GOOD
        ):
            return Deployed(run=run, number=None)
        if run is None and (problems := self.runtime.check(job)):
            raise NotReady(job.application, problems, running=_told(runs))
        self._refuse_a_foreign_engine(job, runs)
        claim = self.records.begin(job.hash, self.document_of(job), went_back_to=went_back_to)
        try:
            return self._carry_out(claim, job)
        except RolloutError as error:
            with suppress(RolloutError):  # what failed is to be told, and a deployment that stays open is gone on with
                claim.end(Outcome.FAILED, error.what)
            raise

    def stop(self, application: str) -> list[Run]:
        """Every run has proven its rows where it could, and is gone. Raises StillThere, and DeployRunning where a deployer
        would start one again.
        """
        self.records.refuse_where_one_is_at_work()
        runs = self.runtime.runs(application)
        for run in runs:
            self._stopping(_nothing).stop(run)
        self.records.mark_stopped()
        return list(runs)

    def _carry_out(self, claim: Claim, job: EngineJob) -> Deployed:
        before = shard_rows(self.ledger, self.streams_of(job))
        needed = read_lately(before) if self.ledger.current_run() else frozenset[ShardKey]()
        staying = self._clear(claim, job)
        self.say(f"Deployment {claim.number}: {'goes on with' if staying else 'starts'} {job.hash[:12]}.")
        try:
            run = staying or self._start(claim, job, token=f"{claim.token}-{job.hash[:40]}")
            self._phases.end(Phase.TAKEN)
            watch = self._watch(claim, run, job, before)
            reached = watch.until_it_reads(needed)
            is_at_tip = watch.until_the_tip()
        except NewFailed as failure:
            self._put_back(claim, job, str(failure))
            raise AssertionError("putting back always raises") from failure
        told = f"run {run.id} reads {len(reached.opened)} shards"
        claim.end(Outcome.GOOD, told)
        gap = self._phases
        return Deployed(run=run, number=claim.number, gap_s=gap.total_s, phases=gap.lasted_s, is_at_tip=is_at_tip)

    def _clear(self, claim: Claim, job: EngineJob) -> Run | None:
        """Stops whatever runs and is not the job; the run that is, where there is one: a deploy was killed after it.

        Beside that one the others are not asked: the ledger does not say whose the engine is that holds the application.
        """
        runs = self.runtime.runs(job.application)
        staying = _unchanged(runs, job.hash)
        for run in runs:
            if run is not staying:
                claim.step(f"stop {run.id}")
                self._stopping(claim.beat).stop(run, is_asked=staying is None)
        return staying

    def _stopping(self, beat: Callable[[], None]) -> Stopping:
        wait = partial(self._wait, beat)
        return Stopping(self.runtime, self.ledger, self.bounds, self.clock, wait, self._phases, self.say)

    # Starting

    def _start(self, claim: Claim, job: EngineJob, *, token: str) -> Run:
        """Raises NewFailed where the service does not take the job: the old one is stopped by then."""
        try:
            return self._patience.ask(lambda: self._start_once(claim, job, token))
        except (RuntimeRefused, RuntimeUnavailable) as error:
            raise NewFailed(f"{error.what} ({error.next_step.rstrip('.')})") from error

    def _start_once(self, claim: Claim, job: EngineJob, token: str) -> Run:
        """Asks once more what runs: a service that starts again by itself, or a person, may have been faster."""
        claim.step(f"start {token}")
        for other in self.runtime.runs(job.application):
            if other.is_of(job.hash):
                return other
            claim.step(f"found {other.id}")  # it may be of whoever has taken this deployer for dead
            raise StillThere(other, 0, "it runs again")
        run = self.runtime.start(job, token)
        try:
            claim.started(run.id)
        except DeployDisplaced:
            newest = self.records.newest()
            if newest is not None and newest.hash != job.hash:  # else the other one may have gone on with this very run
                self.runtime.cancel(run, grace_s=self.bounds.grace_s)
            raise
        return run

    def _watch(self, claim: Claim, run: Run, job: EngineJob, before: Rows) -> Watch:
        claim.started(run.id)
        self._watched = run
        return Watch(
            self.runtime,
            self.ledger,
            self.bounds,
            self.clock,
            lambda: self._wait(claim.beat),
            self._phases,
            run,
            self.streams_of(job),
            before,
        )

    # Going back

    def _put_back(self, claim: Claim, job: EngineJob, why: str) -> None:
        """Raises RolloutFailed, always, which says what runs now."""
        self.say(f"Deployment {claim.number}: {why}.")
        for run in self.runtime.runs(job.application):
            claim.step(f"stop {run.id}")
            self._stopping(claim.beat).stop(run)
        self._leave_it_to_a_foreign_engine(claim, job, why)
        good = self._last_good(claim, job)
        if good is None:
            raise RolloutFailed(
                claim.number,
                why,
                stands="No engine runs: none of another content ran before this deployment.",
                next_step=f"firnline logs says what the engine wrote; mend that, and run {self.command} again, or "
                f"{self.command} --rollback for what ran some time before.",
            )
        old = self.job_of(good.job)
        self.say(f"Deployment {claim.number}: {old.hash[:12]} of deployment {good.number} is started again.")
        before = shard_rows(self.ledger, self.streams_of(old))
        try:
            run = self._start(claim, old, token=f"{claim.token}-back-{old.hash[:40]}")
            self._watch(claim, run, old, before).until_it_reads(frozenset())
        except NewFailed as failure:
            raise RolloutFailed(
                claim.number,
                why,
                stands=f"The one before (deployment {good.number}) did not come up again either: {failure}.",
                next_step=f"firnline status and firnline logs say what there is; {self.command} goes on from there.",
            ) from failure
        raise RolloutFailed(
            claim.number,
            why,
            stands=f"The one before runs again: {old.hash[:12]} of deployment {good.number}, as run {run.id}.",
            next_step=f"firnline logs says what the new engine wrote; mend that, and run {self.command} again.",
        )

    def _last_good(self, claim: Claim, job: EngineJob) -> Deployment | None:
        """What ran when this deployment began, as far as the records tell: nothing where it was stopped since, or was of the
        same content; what ran before that was replaced by somebody's decision.
        """
        for each in self.records.newest_first():
            if each.stopped:
                return None
            if each.number < claim.number and each.outcome is Outcome.GOOD:
                return each if each.hash != job.hash else None
        return None

    def _leave_it_to_a_foreign_engine(self, claim: Claim, job: EngineJob, why: str) -> None:
        """Raises RolloutFailed where somebody's engine holds the application: the old one would be refused as well."""
        try:
            self._refuse_a_foreign_engine(job, [self._watched] if self._watched else [])
        except EngineElsewhere as elsewhere:
            raise RolloutFailed(claim.number, why, stands=elsewhere.what, next_step=elsewhere.next_step) from elsewhere

    def _refuse_a_foreign_engine(self, job: EngineJob, runs: Sequence[Run]) -> None:
        """Raises EngineElsewhere for one that is of none of the runs, and whose heart beats; a dead one's row stays, and is
        nothing.
        """
        engine = self.ledger.current_run()
        until_s = self.clock() + self.bounds.heart_s
        while engine is not None and is_foreign(engine, runs) and self.clock() < until_s:
            self._wait(_nothing)
            again = self.ledger.current_run()
            if again is not None and (again.run_id, again.beat) != (engine.run_id, engine.beat):
                if is_foreign(again, self.runtime.runs(job.application)):  # else another deployer has started it since
                    raise EngineElsewhere(job.application, again.holder)
                return
            engine = again

    def _wait(self, beat: Callable[[], None]) -> None:
        beat()
        self.sleep(self.bounds.look_s)


def _unchanged(runs: Sequence[Run], hash_: str) -> Run | None:
    """The run that is what it should be; with several of them the oldest, and the others are in its way."""
    return next((run for run in runs if run.is_of(hash_) and run.state is not RunState.STOPPING), None)


def _told(runs: Sequence[Run]) -> str:
    return ", ".join(f"run {run.id} is {run.state}" for run in runs) or "no engine runs"


def _nothing() -> None:
    """Nobody else has to be told."""
