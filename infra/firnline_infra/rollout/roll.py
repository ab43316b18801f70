"""The roll-out: from what runs to what should run, without two writers at any moment.

It keeps nothing between two calls: each begins by asking the runtime what runs and the ledger who holds the application, so
that a deploy that was killed anywhere is gone on with by the next one. Its order is: check everything that can be checked,
start the new engine beside the old one where there is room (hand_over.py), ask the old one to stop, wait until it has proven its
rows; else also cancel its run, wait until nothing of it is left, and start the new one then; watch it take every shard; if it
does not, put the old one back.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from firnline_infra.rollout.bounds import Bounds
from firnline_infra.rollout.errors import (
    EngineElsewhere,
    NotReady,
    RolloutFailed,
    StillThere,
)
from firnline_infra.rollout.hand_over import HandOver, NoRoom, StandbyFailed, holder_among, standby_of
from firnline_infra.rollout.ownership import is_foreign
from firnline_infra.rollout.patience import Patience
from firnline_infra.rollout.phases import Phase, Phases
from firnline_infra.rollout.records import Claim, Deployment, Deployments, Outcome
from firnline_infra.rollout.shards import EngineLedger, read_lately, shard_rows
from firnline_infra.rollout.starting import Starting
from firnline_infra.rollout.stopping import Stopping
from firnline_infra.rollout.watching import NewFailed, Rows, Watch
from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.service import EngineService, Run, RunState
from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.standby import StandbyState
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

    runtime: EngineService
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
        except FirnlineError as error:
            with suppress(FirnlineError):  # what failed is to be told, and a deployment that stays open is gone on with
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
        rows = shard_rows(self.ledger, self.streams_of(job))
        needed = read_lately(rows) if self.ledger.current_run() else frozenset[ShardKey]()
        try:
            taking = self._beside(claim, job)
            if taking is not None:
                rows = shard_rows(self.ledger, self.streams_of(job))  # the old engine has written on
            run = taking.run if taking else self._after_what_runs(claim, job)
            watch = self._watch(claim, run, job, rows, has_stood_by=taking is not None)
            reached = watch.until_it_reads(needed)
            self._phases.close()
            if taking is not None:
                self._remove_the_others(claim, job, run)
            is_at_tip = watch.until_the_tip()
        except NewFailed as failure:
            self._put_back(claim, job, str(failure))
            raise AssertionError("putting back always raises") from failure
        told = f"run {run.id} reads {len(reached.opened)} shards"
        claim.end(Outcome.GOOD, told)
        gap = self._phases
        return Deployed(run=run, number=claim.number, gap_s=gap.total_s, phases=gap.lasted_s, is_at_tip=is_at_tip)

    def _after_what_runs(self, claim: Claim, job: EngineJob) -> Run:
        """What runs is stopped first. Raises StillThere, and NewFailed."""
        staying = self._clear(claim, job)
        self.say(f"Deployment {claim.number}: {'goes on with' if staying else 'starts'} {job.hash[:12]}.")
        run = staying or self._starting.start(claim, job, token=f"{claim.token}-{job.hash[:40]}")
        self._phases.end(Phase.TAKEN)
        return run

    # Beside what runs

    def _beside(self, claim: Claim, job: EngineJob) -> HandOver | None:
        """The new engine has come up beside the old one, and that has given the application back; None where this is not the
        way, and nothing was done. Raises RolloutFailed, with the old one running on, NewFailed and StillThere.
        """
        runs = self.runtime.runs(job.application)
        ours, old = _unchanged(runs, job.hash), holder_among(self.ledger, runs)
        is_there = ours is not None and ours is not old and _stands_by(self.ledger, ours)
        if not is_there and (ours is not None or old is None or not self._has_room(claim, job)):
            return None
        for run in runs:
            if run not in (ours, old):
                claim.step(f"stop {run.id}")
                self._stopping(claim.beat).stop(run, is_asked=False)
        hand_over = self._hand_over(claim, job, ours, old)
        try:
            return self._handed_over(claim, hand_over, old)
        except NoRoom as lacking:
            self.say(f"Deployment {claim.number}: there is no room beside it, so it is stopped first: {lacking}.")
            claim.step(f"stop {hand_over.run.id}")
            self._stopping(claim.beat).stop(hand_over.run, is_asked=False)
            return None
        except StandbyFailed as failure:
            self._call_off(claim, job, hand_over.run, str(failure))
            raise AssertionError("calling off always raises") from failure

    def _has_room(self, claim: Claim, job: EngineJob) -> bool:
        if not job.stands_by:
            return False
        if lacking := self.runtime.lacks_room(job):
            self.say(f"Deployment {claim.number}: what runs is stopped before the new one is started. {lacking}")
        return not lacking

    def _hand_over(self, claim: Claim, job: EngineJob, ours: Run | None, old: Run | None) -> HandOver:
        self.say(f"Deployment {claim.number}: {'goes on with' if ours else 'starts'} {job.hash[:12]}, which stands by.")
        token = f"{claim.token}-by-{job.hash[:40]}"
        run = ours or self._starting.start_beside(claim, job, old, token=token)
        claim.started(run.id)
        wait = partial(self._wait, claim.beat)
        stopping = self._stopping(claim.beat)
        return HandOver(self.runtime, self.ledger, self.bounds, self.clock, wait, stopping, self.say, run)

    def _handed_over(self, claim: Claim, hand_over: HandOver, old: Run | None) -> HandOver:
        """Raises NoRoom and StandbyFailed, before the old one is asked to stop; StillThere after that."""
        run, is_let_in = hand_over.run, False
        while not is_let_in:
            hand_over.until_it_is_ready()
            claim.step(f"let {run.id} in")
            is_let_in = hand_over.let_in()
        self.say(f"Run {run.id} ({run.hash[:12]}): stands by, and takes over as soon as the application is free.")
        if old is not None:
            claim.step(f"stop {old.id}")
            hand_over.from_(old)
        return hand_over

    def _call_off(self, claim: Claim, job: EngineJob, run: Run, why: str) -> None:
        """Raises RolloutFailed, always: what ran before was not touched. Where it has ended meanwhile, it is put back."""
        claim.step(f"stop {run.id}")
        self._stopping(claim.beat).stop(run, is_asked=False)
        old = holder_among(self.ledger, self.runtime.runs(job.application))
        if old is None:
            raise NewFailed(why)
        raise RolloutFailed(
            claim.number,
            why,
            stands=f"Nothing was stopped: run {old.id} ({old.hash[:12]}) goes on.",
            next_step=f"firnline logs --run {run.id} says what the new engine wrote; mend that, and run {self.command} again. "
            "Where two engines can't be up at once, set aws.runtime.rollout: stop_first.",
        )

    def _remove_the_others(self, claim: Claim, job: EngineJob, new: Run) -> None:
        """What is left of the old engine's run writes nothing any more, whatever its service says of it."""
        for run in self.runtime.runs(job.application):
            if run.id != new.id:
                claim.step(f"stop {run.id}")
                try:
                    self._stopping(claim.beat).remove(run)
                except StillThere as left:
                    self.say(f"{left.what} The new engine reads; the next {self.command} looks at it again.")

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

    @property
    def _starting(self) -> Starting:
        return Starting(self.runtime, self.records, self.bounds, self._patience)

    def _watch(self, claim: Claim, run: Run, job: EngineJob, before: Rows, *, has_stood_by: bool = False) -> Watch:
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
            has_stood_by,
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
            run = self._starting.start(claim, old, token=f"{claim.token}-back-{old.hash[:40]}")
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


def _stands_by(ledger: EngineLedger, run: Run) -> bool:
    """Whether it waits to be let in, or for the application; one that has taken it is an engine like any other."""
    row = standby_of(ledger, run)
    return row is not None and row.state is not StandbyState.TAKEN


def _told(runs: Sequence[Run]) -> str:
    return ", ".join(f"run {run.id} is {run.state}" for run in runs) or "no engine runs"


def _nothing() -> None:
    """Nobody else has to be told."""
