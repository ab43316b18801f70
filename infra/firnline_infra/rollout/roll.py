"""The roll-out: from what runs to what should run, without two writers at any moment.

It keeps nothing between two calls: each begins by asking the runtime what runs and the ledger who holds the application, so
that a deploy that was killed anywhere is gone on with by the next one. Its order is: check everything that can be checked,
ask the old engine to stop, wait until it has proven its rows, cancel its run, wait until nothing of it is left, start the
new one, watch it take every shard; if it does not, put the old one back.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

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
from firnline_infra.rollout.patience import Patience
from firnline_infra.rollout.records import Claim, Deployment, Deployments, Outcome
from firnline_infra.rollout.runtime import Run, RunState, Runtime
from firnline_infra.rollout.shards import EngineLedger, Takeover, read_lately, shard_rows, takeover, without_paused
from firnline_infra.runtimes import EngineJob
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.values import ShardKey

Rows = Mapping[ShardKey, ShardRow]
NOBODY = "-"
"""No run's id; the fence of a shard that nobody has is empty."""


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """How long each wait may last, in seconds."""

    stop_s: float = 300.0
    """For the old engine to prove its last rows: the engine's own bounds end before."""
    heart_s: float = 12.0
    """Without a beat, after which an engine counts as dead (ledger/lease.py looks for ten beats)."""
    grace_s: int = 120
    """That a cancelled run is given; the services take 15 to 1,800."""
    gone_s: float = 420.0
    """For everything of a cancelled run to be gone, its grace included."""
    begin_s: float = 900.0
    """For the new engine to hold the application: machines are fetched, and an image is pulled."""
    serve_s: float = 300.0
    """For it to open all shards, from then on."""
    tip_s: float = 60.0
    """For it to reach the tip, which a backlog may well make longer: that fails nothing."""
    attempts: int = 3
    """Starts of the new program by its service, with which it counts as failed."""


@dataclass(frozen=True, kw_only=True)
class Deployed:
    """What a deploy has left."""

    run: Run
    number: int | None
    """Of the deployment; None where there was nothing to do."""
    gap_s: float | None = None
    """From the request to stop to the moment at which the new engine read all shards: nothing was read for less than
    that. None where no engine ran before, or somebody else stopped it."""
    is_at_tip: bool = True


class _NewFailed(Exception):
    """Why the new engine did not come up."""


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
    _asked_s: float | None = None
    """When the old engine was asked to stop."""

    def __post_init__(self) -> None:
        self._patience = Patience(self.sleep, self.clock)
        self.runtime = self._patience.with_(self.runtime, but={"start"})
        self.ledger = self._patience.with_(self.ledger)

    def deploy(self, job: EngineJob, *, went_back_to: int | None = None) -> Deployed:
        """The engine runs what `job` says. Raises NotReady, DeployRunning, DeployDisplaced, EngineElsewhere, StillThere,
        RolloutFailed, and what runtime, ledger and bucket refuse.
        """
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
            self._stop(run, beat=_nothing)
        return list(runs)

    def _carry_out(self, claim: Claim, job: EngineJob) -> Deployed:
        before = shard_rows(self.ledger, self.streams_of(job))
        needed = read_lately(before) if self.ledger.current_run() or self._asked_s else frozenset[ShardKey]()
        staying = self._clear(claim, job)
        self.say(f"Deployment {claim.number}: {'goes on with' if staying else 'starts'} {job.hash[:12]}.")
        try:
            run = staying or self._start(claim, job, token=f"{claim.token}-{job.hash[:40]}")
            reached = self._watch(claim, run, job, before, needed)
            gap_s = None if self._asked_s is None else self.clock() - self._asked_s
            is_at_tip = self._reach_tip(claim, run, job, before)
        except _NewFailed as failure:
            self._put_back(claim, job, str(failure))
            raise AssertionError("putting back always raises") from failure
        told = f"run {run.id} reads {len(reached.opened)} shards"
        claim.end(Outcome.GOOD, told)
        return Deployed(run=run, number=claim.number, gap_s=gap_s, is_at_tip=is_at_tip)

    def _clear(self, claim: Claim, job: EngineJob) -> Run | None:
        """Stops whatever runs and is not the job; the run that is, where there is one: a deploy was killed after it.

        Beside that one the others are not asked: the ledger does not say whose the engine is that holds the application.
        """
        runs = self.runtime.runs(job.application)
        staying = _unchanged(runs, job.hash)
        for run in runs:
            if run is not staying:
                claim.step(f"stop {run.id}")
                self._stop(run, beat=claim.beat, is_asked=staying is None)
        return staying

    # Stopping

    def _stop(self, run: Run, *, beat: Callable[[], None], is_asked: bool = True) -> None:
        """Raises StillThere."""
        content = run.hash[:12] or "of unknown content"
        if not is_asked:
            self.say(f"Run {run.id} ({content}): is one too many, and cancelled.")
        else:
            self.say(f"Run {run.id} ({content}): asked to stop, once its rows are proven.")
        if is_asked and not self._ask(run, beat):
            self.say(
                f"Run {run.id}: its engine does not give the application back; it is cancelled. No row is lost by that."
            )
        if self.runtime.look(run).state.is_active:
            self.runtime.cancel(run, grace_s=self.bounds.grace_s)
        until_s = self.clock() + self.bounds.gone_s
        while not self.runtime.is_gone(run):
            if self.clock() > until_s:
                raise StillThere(self.runtime.look(run), self.bounds.gone_s, "something of it is still there")
            self._wait(beat)
        self.say(f"Run {run.id}: gone.")

    def _ask(self, run: Run, beat: Callable[[], None]) -> bool:
        """Whether the engine has given the application back, with its rows proven. Its service may start it once more
        while it is asked: then that one is asked too. The engine is looked up before the run: while the run is there, the
        engine can't be one that another deployer has started since, however long this one was asleep.
        """
        until_s = self.clock() + self.bounds.stop_s
        asked, seen, seen_s = "", (-1, ""), self.clock()
        while self.clock() < until_s:
            engine = self.ledger.current_run()
            if engine is None:
                return True
            if not self.runtime.look(run).state.is_active:
                break
            if engine.run_id != asked and self.ledger.request_stop(engine.run_id):
                asked, self._asked_s = engine.run_id, self._asked_s or self.clock()
            if (engine.beat, engine.run_id) != seen:
                seen, seen_s = (engine.beat, engine.run_id), self.clock()
            elif self.clock() - seen_s > self.bounds.heart_s:
                return False
            self._wait(beat)
        return self.ledger.current_run() is None

    # Starting

    def _start(self, claim: Claim, job: EngineJob, *, token: str) -> Run:
        """Raises _NewFailed where the service does not take the job: the old one is stopped by then."""
        try:
            return self._patience.ask(lambda: self._start_once(claim, job, token))
        except (RuntimeRefused, RuntimeUnavailable) as error:
            raise _NewFailed(f"{error.what} ({error.next_step.rstrip('.')})") from error

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

    def _watch(self, claim: Claim, run: Run, job: EngineJob, before: Rows, needed: frozenset[ShardKey]) -> Takeover:
        """Until the run's engine has opened every shard that was read before, or at least one where none was. What is paused
        is not waited for.
        """
        claim.started(run.id)
        self._await_lease(claim, run)
        streams = self.streams_of(job)
        until_s = self.clock() + self.bounds.serve_s
        while True:
            read = without_paused(self.ledger, streams)
            waited = {key for key in needed if key.stream in read}
            found = self._takeover(streams, before, waited)
            if found.is_complete or not read:
                return found
            self._refuse_if_failed(run)
            if self.clock() > until_s:
                missing = ", ".join(sorted(map(str, found.missing))) or "any shard"
                raise _NewFailed(f"run {run.id} holds the application, and does not read {missing}")
            self._wait(claim.beat)

    def _takeover(self, streams: Sequence[str], before: Rows, needed: Collection[ShardKey]) -> Takeover:
        """By the engine that holds the application now: its service may have started it again while it is watched."""
        engine = self.ledger.current_run()
        now = shard_rows(self.ledger, streams)
        return takeover(engine.run_id if engine else NOBODY, before=before, now=now, needed=needed)

    def _await_lease(self, claim: Claim, run: Run) -> None:
        """Until an engine's heart beats. The runtime's last run was gone before this one began."""
        until_s = self.clock() + self.bounds.begin_s
        seen = self.ledger.current_run()
        while True:
            self._wait(claim.beat)
            engine = self.ledger.current_run()
            if engine and seen and engine.run_id == seen.run_id and engine.beat > seen.beat:
                return
            seen = engine
            self._refuse_if_failed(run)
            if self.clock() > until_s:
                now = self.runtime.look(run)
                why = f" ({now.reason})" if now.reason else ""
                raise _NewFailed(f"run {run.id} is {now.state}{why}, and its engine does not begin")

    def _refuse_if_failed(self, run: Run) -> None:
        now = self.runtime.look(run)
        if not now.state.is_active:
            raise _NewFailed(f"run {now.id} is {now.state}: {now.reason or 'its service does not say why'}")
        if now.attempt - run.attempt + 1 >= self.bounds.attempts:
            raise _NewFailed(f"run {now.id} was started {now.attempt} times by its service: {now.reason}")

    def _reach_tip(self, claim: Claim, run: Run, job: EngineJob, before: Rows) -> bool:
        """Whether it has, in time. Raises _NewFailed where it has opened its shards and ended."""
        streams = self.streams_of(job)
        until_s = self.clock() + self.bounds.tip_s
        while self.clock() < until_s:
            found = self._takeover(streams, before, ())
            is_read = bool(found.opened) or not without_paused(self.ledger, streams)
            if is_read and found.opened == found.at_tip:
                return True
            self._refuse_if_failed(run)
            self._wait(claim.beat)
        return False

    # Going back

    def _put_back(self, claim: Claim, job: EngineJob, why: str) -> None:
        """Raises RolloutFailed, always, which says what runs now."""
        self.say(f"Deployment {claim.number}: {why}.")
        for run in self.runtime.runs(job.application):
            claim.step(f"stop {run.id}")
            self._stop(run, beat=claim.beat)
        good = self._last_good(claim, job)
        if good is None:
            raise RolloutFailed(
                claim.number,
                why,
                stands="No engine runs: there is no deployment that ended well to go back to.",
                next_step=f"firnline logs says what the engine wrote; mend that, and run {self.command} again.",
            )
        old = self.job_of(good.job)
        self.say(f"Deployment {claim.number}: {old.hash[:12]} of deployment {good.number} is started again.")
        before = shard_rows(self.ledger, self.streams_of(old))
        try:
            run = self._start(claim, old, token=f"{claim.token}-back-{old.hash[:40]}")
            self._watch(claim, run, old, before, frozenset())
        except _NewFailed as failure:
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
        return next(
            (
                each
                for each in self.records.newest_first()
                if each.number < claim.number and each.outcome is Outcome.GOOD and each.hash != job.hash
            ),
            None,
        )

    def _refuse_a_foreign_engine(self, job: EngineJob, runs: Sequence[Run]) -> None:
        """Raises EngineElsewhere for one whose heart beats while nothing runs here; a dead one's row stays, and is nothing."""
        engine = None if runs else self.ledger.current_run()
        until_s = self.clock() + self.bounds.heart_s
        while engine is not None and self.clock() < until_s:
            self._wait(_nothing)
            again = self.ledger.current_run()
            if again is not None and (again.run_id, again.beat) != (engine.run_id, engine.beat):
                raise EngineElsewhere(job.application, again.holder)
            engine = again

    def _wait(self, beat: Callable[[], None]) -> None:
        beat()
        self.sleep(1.0)


def _unchanged(runs: Sequence[Run], hash_: str) -> Run | None:
    """The run that is what it should be; with several of them the oldest, and the others are in its way."""
    return next((run for run in runs if run.is_of(hash_) and run.state is not RunState.STOPPING), None)


def _told(runs: Sequence[Run]) -> str:
    return ", ".join(f"run {run.id} is {run.state}" for run in runs) or "no engine runs"


def _nothing() -> None:
    """Nobody else has to be told."""
