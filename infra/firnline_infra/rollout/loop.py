"""The loop of one deployment: it observes, plans and carries out, until the new engine reads or what ran before is back."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, NoReturn

from firnline_infra.rollout import stopping
from firnline_infra.rollout.context import RolloutContext
from firnline_infra.rollout.errors import EngineElsewhere, RolloutFailed, StillThere
from firnline_infra.rollout.ownership import refuse_a_foreign_engine
from firnline_infra.rollout.phases import Phase
from firnline_infra.rollout.plan import Attempt, Observation, Step, as_asked, described, plan
from firnline_infra.rollout.records import Claim, DeploymentRecord, Outcome
from firnline_infra.rollout.shards import read_lately, shard_rows
from firnline_infra.rollout.standing_by import NeverBegan, NoRoom, StandbyFailed, StandbyWait, standby_of
from firnline_infra.rollout.starting import Starter
from firnline_infra.rollout.watching import AnotherHolds, NewFailed, Watch
from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.service import Problem, Run, RunState
from firnline_infra.runtimes.waiting import WaitsFor, lacks_a_node
from firnline_ingest.values import ShardKey


@dataclass(frozen=True, kw_only=True)
class Deployed:
    """Outcome of a deploy."""

    run: Run
    number: int | None
    """The deployment's number; None if there was nothing to do."""
    gap_s: float | None = None
    """From the request to stop to the moment at which the new engine read all shards: nothing was read for less than
    that. None if no engine ran before, or somebody else stopped it."""
    phases: Mapping[Phase, float] = field(default_factory=dict)
    """What the gap was spent on, in seconds; together they are the gap."""
    is_at_tip: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRecords:
    """Knowledge that a roll-out needs of jobs that it did not make."""

    streams_of: Callable[[EngineJob], Sequence[str]]
    """The streams that a job's configuration names."""
    job_of: Callable[[dict[str, Any]], EngineJob]
    """A job, from how a record has it; `document_of` is the way back."""
    document_of: Callable[[EngineJob], dict[str, Any]]
    unfit: Callable[[EngineJob], Sequence[Problem]] = lambda _: ()
    """What is wrong with a job's configuration by the engine's own code, before anything is stopped."""


@dataclass(slots=True, kw_only=True)
class RolloutLoop:
    """The loop of one deployment."""

    job: EngineJob
    claim: Claim
    context: RolloutContext
    starter: Starter
    jobs: JobRecords
    command: str
    _attempt: Attempt = field(init=False)
    _needed: frozenset[ShardKey] = frozenset()
    _watch: Watch | None = None
    _failed_run: str = ""
    _is_probed: bool = False

    def until_done(self) -> Deployed:
        """Raises as RollOut.deploy."""
        self._attempt = Attempt(found=frozenset(run.id for run in self.context.service.runs(self.job.application)))
        if self.context.ledger.current_run():
            self._needed = read_lately(shard_rows(self.context.ledger, self.jobs.streams_of(self.job)))
        while True:
            observed = self._observe()
            action = plan(observed)
            try:
                if action.step is Step.FINISH and self._watch is not None:
                    return self._finish(self._watch)
                if action.run is None:
                    self._start_or_put_back(action.step)
                else:
                    self._carry_out(action.step, action.run, observed)
            except StandbyFailed as failure:
                self._attempt.standby_failed = str(failure)
                if not isinstance(failure, NeverBegan):
                    self._keep_log(action.run)
            except NoRoom as lacking:
                self._lacks_room(f"there is no room beside it, so it is stopped first: {lacking}.")
            except NewFailed as failure:
                self._say(f"{failure}.")
                self._keep_log(self._attempt.started or action.run)
                if action.run is not None and self._ran_well(action.run) and not isinstance(failure, AnotherHolds):
                    self._attempt.silent, self._attempt.reads = action.run, None
                else:
                    self._attempt.failed = str(failure)

    def _observe(self) -> Observation:
        """Asks runtime and ledger; the service is asked for room only where a second engine is to be started."""
        ledger, attempt = self.context.ledger, self._attempt
        runs, engine = self.context.service.runs(self.job.application), ledger.current_run()
        found = Observation(
            wanted=self.job.hash,
            stands_by=self.job.stands_by,
            runs=as_asked(runs, engine),
            engine=engine,
            standby=ledger.standby(),
            attempt=attempt,
        )
        self.context.current_state = described(found.runs) if found.runs else "no run is there: NO ENGINE READS"
        if found.would_stand_by and (lacking := self.context.service.lacks_room(self.job)):
            self._lacks_room(f"what runs is stopped before the new one is started. {lacking}")
        return found

    def _carry_out(self, step: Step, run: Run, observed: Observation) -> None:
        """Raises NoRoom, StandbyFailed, NewFailed, StillThere and RolloutFailed."""
        attempt = self._attempt
        match step:
            case Step.START_BESIDE:
                self._say(f"starts {self.job.hash[:12]}, which stands by.")
                attempt.started, attempt.beside = self.starter.start_beside(self.job, run), run
            case Step.AWAIT_STANDBY:
                self.claim.started(run.id)
                attempt.ready = StandbyWait(self.context, run).until_ready().run_id
            case Step.PROMOTE:
                self._promote(run)
            case Step.HAND_OVER:
                stopping.hand_over(self.context, run)
                attempt.handed_over = observed.new
            case Step.STOP:
                self._refuse_what_can_not_begin(run)
                stopping.stop(self.context, run)
            case Step.CANCEL:
                stopping.cancel(self.context, run)
                if attempt.started is not None and attempt.started.id == run.id:
                    attempt.started = attempt.beside = None
            case Step.REFUSE:
                self.claim.step(f"found {run.id}")  # it may be of a deployer that has taken this one for dead
                raise StillThere(run, 0, "it runs again")
            case Step.WATCH:
                self._until_it_reads(run, has_stood_by=attempt.handed_over is not None or observed.row is not None)
            case Step.CLEAR_AWAY:
                self._clear_away(run)
            case Step.CALL_OFF:
                self._call_off(run)

    def _start_or_put_back(self, step: Step) -> None:
        if step is Step.PUT_BACK:
            self._put_back()
        self._say(f"starts {self.job.hash[:12]}.")
        self._attempt.started = self.starter.start(self.job)
        self.context.phases.end(Phase.TAKEN)

    def _refuse_what_can_not_begin(self, old: Run) -> None:
        """Before an engine is stopped for one that was never started. Raises RolloutFailed."""
        attempt = self._attempt
        if (
            attempt.failed
            or attempt.silent
            or attempt.standby_failed
            or old.state is RunState.STOPPING
            or self._is_probed
        ):
            return
        self._is_probed = True
        if why := refused_to_begin(self.context, self.job, self.claim.token):
            attempt.standby_failed = why
            self._call_off(old)

    def _lacks_room(self, why: str) -> None:
        self._say(why)
        self._attempt.lacks_room = True

    def _promote(self, run: Run) -> None:
        """A standby that its service has started again meanwhile is another one, and has to get ready first."""
        self.claim.step(f"promote {run.id}")
        row = standby_of(self.context.ledger.standby(), run)
        if row is not None and self.context.ledger.admit(row.run_id):
            self.context.say(
                f"Run {run.id} ({run.hash[:12]}): stands by, and takes over as soon as the application is free."
            )

    def _until_it_reads(self, run: Run, *, has_stood_by: bool) -> None:
        if self._attempt.started is None:
            self._say(f"goes on with {self.job.hash[:12]}.")
        self.claim.started(run.id)
        self._watch = watch = Watch(self.context, run, self.jobs.streams_of(self.job), has_stood_by)
        if self._ran_well(run):
            timeouts = self.context.timeouts
            watch.until_it_beats(max(timeouts.heartbeat_s, timeouts.begin_s - watch.silent_s))
        else:
            watch.until_it_reads(self._needed)
        self.context.phases.close()
        self._attempt.reads = run

    def _ran_well(self, run: Run) -> bool:
        """True for a run that was found, of the content that the last deployment to end well has started. It is given the time
        of a start since its last sign of life, and is stopped for nothing but its silence."""
        if self._attempt.started is not None or not run.is_of(self.job.hash):
            return False
        before = (each for each in self.claim.records.newest_first() if each.number < self.claim.number)
        last = next((each for each in before if each.outcome in (Outcome.GOOD, Outcome.STOPPED)), None)
        return last is not None and last.outcome is Outcome.GOOD and last.hash == self.job.hash

    def _clear_away(self, run: Run) -> None:
        self._attempt.cleared |= {run.id}
        self.claim.step(f"stop {run.id}")
        try:
            stopping.remove(self.context, run)
        except StillThere as left:
            self.context.say(f"{left.what} The new engine reads; the next {self.command} looks at it again.")

    def _finish(self, watch: Watch) -> Deployed:
        """Raises NewFailed."""
        is_at_tip = watch.until_the_tip()
        self.claim.end(Outcome.GOOD, f"run {watch.run.id} reads {watch.opened} shards")
        gap = self.context.phases
        return Deployed(
            run=watch.run, number=self.claim.number, gap_s=gap.total_s, phases=gap.lasted_s, is_at_tip=is_at_tip
        )

    # How it ends where the new engine does not come up

    def _keep_log(self, run: Run | None) -> None:
        """Keeps the new engine's log, before its run is removed."""
        if run is None:
            return
        self._failed_run = run.id
        self.context.keep_log(run)

    @property
    def _its_log(self) -> str:
        return f"firnline logs --run {self._failed_run}" if self._failed_run else "firnline logs"

    @property
    def _what_to_correct(self) -> str:
        if not self._failed_run:
            return "correct what its service says (the new engine has written no log)"
        return f"{self._its_log} says what the new engine wrote; correct that"

    def _call_off(self, old: Run) -> NoReturn:
        raise RolloutFailed(
            self.claim.number,
            self._attempt.standby_failed,
            current_state=f"Nothing was stopped: run {old.id} ({old.hash[:12]}) goes on.",
            next_step=f"{self._what_to_correct}, and run {self.command} again.{self._in_turn_instead}",
        )

    @property
    def _in_turn_instead(self) -> str:
        if self._is_probed or not self.job.stands_by:
            return ""
        return " If two engines can't be up at once, set aws.runtime.rollout: stop_first."

    def _put_back(self) -> NoReturn:
        """Called where nothing runs. Raises RolloutFailed, which says what runs after it."""
        why = self._attempt.failed or self._attempt.standby_failed
        try:
            refuse_a_foreign_engine(self.context, self.job.application, [self._watch.run] if self._watch else [])
        except EngineElsewhere as elsewhere:  # what ran before would be refused as well
            raise self._failed(why, elsewhere.what, elsewhere.next_step) from elsewhere
        good = self._last_good()
        if good is None:
            raise self._failed(
                why,
                "No engine runs: none of another content ran before this deployment.",
                f"{self._its_log} says what the engine wrote; correct that, and run {self.command} again, or "
                f"{self.command} --rollback for what ran some time before.",
            )
        old = self.jobs.job_of(good.job)
        self._say(f"{old.hash[:12]} of deployment {good.number} is started again.")
        try:
            run = self.starter.start(old, name="back-")
            self.claim.started(run.id)
            Watch(self.context, run, self.jobs.streams_of(old)).until_it_reads(frozenset())
        except NewFailed as failure:
            raise self._failed(
                why,
                f"The one before (deployment {good.number}) did not come up again either: {failure}.",
                f"firnline status and firnline logs say what there is; {self.command} goes on from there.",
            ) from failure
        raise self._failed(
            why,
            f"The one before runs again: {old.hash[:12]} of deployment {good.number}, as run {run.id}.",
            f"{self._its_log} says what the new engine wrote; correct that, and run {self.command} again.",
        )

    def _last_good(self) -> DeploymentRecord | None:
        """Returns the previous deployment by the records; None if it was stopped since, or has the same content. Deployments
        before that one were replaced on purpose.
        """
        for each in self.claim.records.newest_first():
            if each.outcome is Outcome.STOPPED:
                return None
            if each.number < self.claim.number and each.outcome is Outcome.GOOD:
                return each if each.hash != self.job.hash else None
        return None

    def _failed(self, why: str, current_state: str, next_step: str) -> RolloutFailed:
        return RolloutFailed(self.claim.number, why, current_state=current_state, next_step=next_step)

    def _say(self, what: str) -> None:
        self.context.say(f"Deployment {self.claim.number}: {what}")


def refused_to_begin(context: RolloutContext, job: EngineJob, token: str) -> str:
    """Probes whether a new engine's program could begin, before the old one is stopped for it: where two engines can't be up at
    once, nothing else would show that an image can't be pulled, that a secret or a volume is missing, or that no node fits.

    Returns why the program can't begin; empty where it could, and where nobody can say. What waits for room says
    nothing: the old engine has that."""
    probe = context.service.probe(job, token)
    if probe is None:
        return ""
    context.say(f"Looks whether {job.hash[:12]} could begin, before anything is stopped.")
    clock, timeouts = context.clock, context.timeouts
    began_s, hopeless_s, no_node_s = clock(), float("inf"), float("inf")
    with closing(probe):
        while clock() - began_s <= timeouts.room_s:
            now = probe.look()
            if now.state is not RunState.STARTING or now.waits_for is WaitsFor.ROOM:
                return ""
            hopeless_s = min(hopeless_s, clock()) if now.waits_for is WaitsFor.CORRECTION else float("inf")
            no_node_s = min(no_node_s, clock()) if lacks_a_node(now.reason) else float("inf")
            if clock() - hopeless_s >= timeouts.passing_s:
                return f"a probe of it, {now.id}, can't begin as it is: {now.described}"
            context.wait()
        return _after_all_that_time(context, now, is_without_a_node=no_node_s < clock())


def _after_all_that_time(context: RolloutContext, now: Run, *, is_without_a_node: bool) -> str:
    if is_without_a_node:
        return (
            f"a probe of it, {now.id}, is {now.described}: no node is of the kind that it asks for, and none was made in "
            f"{context.timeouts.room_s:.0f} s"
        )
    context.say(f"Its probe is {now.described} after {context.timeouts.room_s:.0f} s, which says nothing against it.")
    return ""
