"""Starts a job exactly once, even if another deployer, a person or the service itself started it concurrently."""

from dataclasses import dataclass

from firnline_infra.rollout.context import RolloutContext
from firnline_infra.rollout.errors import DeployDisplaced, StillThere
from firnline_infra.rollout.records import Claim
from firnline_infra.rollout.retry import RetryBudget
from firnline_infra.rollout.watching import NewFailed
from firnline_infra.runtimes.aws import is_expired
from firnline_infra.runtimes.errors import RuntimeRefused, RuntimeUnavailable
from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.service import Run


@dataclass(frozen=True, slots=True)
class Starter:
    """Starts the jobs of one deployment."""

    context: RolloutContext
    claim: Claim
    budget: RetryBudget

    def start(self, job: EngineJob, *, name: str = "") -> Run:
        """Raises NewFailed if the service does not take the job: the old one is stopped by then. `name` distinguishes the
        starts of one deployment.
        """
        try:
            return self.budget.ask(lambda: self._start(job, self._token(job, name), None))
        except (RuntimeRefused, RuntimeUnavailable) as error:
            if is_expired(error):
                raise
            raise NewFailed(f"{error.what} ({error.next_step.rstrip('.')})") from error

    def start_beside(self, job: EngineJob, old: Run) -> Run:
        """Starts the job to stand by. Raises RuntimeRefused and RuntimeUnavailable: nothing was stopped."""
        return self.budget.ask(lambda: self._start(job, self._token(job, "by-"), old))

    def _token(self, job: EngineJob, name: str) -> str:
        return f"{self.claim.token}-{name}{job.hash[:40]}"

    def _start(self, job: EngineJob, token: str, beside: Run | None) -> Run:
        """Asks again what runs: a service that starts again by itself, or a person, may have been faster."""
        self.claim.step(f"start {token}")
        service = self.context.service
        for other in service.runs(job.application):
            if beside is not None and other.id == beside.id:
                continue
            if other.is_of(job.hash):
                return other
            self.claim.step(f"found {other.id}")  # it may be of whoever has taken this deployer for dead
            raise StillThere(other, 0, "it runs again")
        run = service.start(job, token, stands_by=beside is not None)
        self.context.current_state = f"run {run.id} ({job.hash[:12]}) was started"
        try:
            self.claim.started(run.id)
        except DeployDisplaced:
            newest = self.claim.records.newest()
            if newest is not None and newest.hash != job.hash:  # else the other one may have gone on with this very run
                service.cancel(run, grace_s=self.context.timeouts.grace_s)
            raise
        return run
