"""Starts a job, once: also where another deployer, a person, or the service itself was faster."""

from dataclasses import dataclass

from firnline_infra.rollout.bounds import Bounds
from firnline_infra.rollout.errors import DeployDisplaced, StillThere
from firnline_infra.rollout.patience import Patience
from firnline_infra.rollout.records import Claim, Deployments
from firnline_infra.rollout.watching import NewFailed
from firnline_infra.runtimes.errors import RuntimeRefused, RuntimeUnavailable
from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.service import EngineService, Run


@dataclass(frozen=True, slots=True)
class Starting:
    runtime: EngineService
    records: Deployments
    bounds: Bounds
    patience: Patience

    def start(self, claim: Claim, job: EngineJob, *, token: str) -> Run:
        """Raises NewFailed where the service does not take the job: the old one is stopped by then."""
        try:
            return self.patience.ask(lambda: self._start(claim, job, token, None))
        except (RuntimeRefused, RuntimeUnavailable) as error:
            raise NewFailed(f"{error.what} ({error.next_step.rstrip('.')})") from error

    def start_beside(self, claim: Claim, job: EngineJob, old: Run | None, *, token: str) -> Run:
        """To stand by. Raises RuntimeRefused and RuntimeUnavailable: nothing was stopped."""
        return self.patience.ask(lambda: self._start(claim, job, token, old))

    def _start(self, claim: Claim, job: EngineJob, token: str, beside: Run | None) -> Run:
        """Asks once more what runs: a service that starts again by itself, or a person, may have been faster."""
        claim.step(f"start {token}")
        for other in self.runtime.runs(job.application):
            if other.is_of(job.hash):
                return other
            if beside is not None and other.id == beside.id:
                continue
            claim.step(f"found {other.id}")  # it may be of whoever has taken this deployer for dead
            raise StillThere(other, 0, "it runs again")
        run = self.runtime.start(job, token, stands_by=beside is not None)
        try:
            claim.started(run.id)
        except DeployDisplaced:
            newest = self.records.newest()
            if newest is not None and newest.hash != job.hash:  # else the other one may have gone on with this very run
                self.runtime.cancel(run, grace_s=self.bounds.grace_s)
            raise
        return run
