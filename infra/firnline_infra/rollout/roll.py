"""The roll-out: from what runs to what should run, without two writers at any moment.

It keeps nothing between two calls: each begins by asking the runtime what runs and the ledger who holds the application, so
that a deploy that was killed anywhere is gone on with by the next one. Nothing is changed before everything was checked that
can be; then plan.py says what comes next, and loop.py carries it out.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from firnline_infra.rollout import stopping
from firnline_infra.rollout.context import RolloutContext, Timeouts
from firnline_infra.rollout.errors import NotReady, RolloutCutOff
from firnline_infra.rollout.loop import Deployed, JobRecords, RolloutLoop
from firnline_infra.rollout.ownership import beats, outliving, refuse_a_foreign_engine
from firnline_infra.rollout.plan import as_asked, described, unchanged
from firnline_infra.rollout.records import Claim, Deployments, Outcome
from firnline_infra.rollout.retry import RetryBudget
from firnline_infra.rollout.shards import EngineLedger
from firnline_infra.rollout.starting import Starter
from firnline_infra.runtimes.aws import is_expired
from firnline_infra.runtimes.errors import RuntimeRefused, RuntimeUnavailable
from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.service import EngineService, Run
from firnline_ingest.errors import FirnlineError


@dataclass(slots=True)
class RollOut:
    """One roll-out at a time."""

    service: EngineService
    ledger: EngineLedger
    records: Deployments
    jobs: JobRecords
    say: Callable[[str], None] = print
    command: str = "firnline deploy"
    """For a person who has to go on."""
    timeouts: Timeouts = field(default_factory=Timeouts)
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    """Seconds since 1970, which engines write into their rows too."""
    _budget: RetryBudget = field(init=False)

    def __post_init__(self) -> None:
        self._budget = RetryBudget(self.sleep, self.clock)
        self.service = self._budget.with_(self.service, but={"start"})
        self.ledger = self._budget.with_(self.ledger)

    def deploy(self, job: EngineJob, *, went_back_to: int | None = None) -> Deployed:
        """The engine runs what `job` says. Raises NotReady, DeployRunning, DeployDisplaced, EngineElsewhere, StillThere,
        RolloutFailed, and what runtime, ledger and bucket refuse.
        """
        runs = as_asked(self.service.runs(job.application), self.ledger.current_run())
        newest = self.records.newest()
        run = unchanged(runs, job.hash)
        is_settled = len(runs) == 1 and newest and newest.hash == job.hash and newest.outcome is Outcome.GOOD
        if run and is_settled and beats(self.context(None), run):
            return Deployed(run=run, number=None)
        if (run is None or is_settled) and (problems := [*self.service.check(job), *self.jobs.unfit(job)]):
            raise NotReady(job.application, problems, running=described(runs))
        refuse_a_foreign_engine(self.context(None), job.application, runs)
        claim = self.records.begin(job.hash, self.jobs.document_of(job), went_back_to=went_back_to)
        context = self.context(claim)
        starter = Starter(context, claim, self._budget)
        loop = RolloutLoop(job=job, claim=claim, context=context, starter=starter, jobs=self.jobs, command=self.command)
        with self._closing(context, claim):
            return loop.until_done()

    def stop(self, application: str) -> list[Run]:
        """Every run has proven its rows if it could, and is gone. Raises StillThere, DeployRunning and DeployDisplaced: it
        takes a number as a deploy does, so that none starts an engine meanwhile.
        """
        if not self.service.runs(application) and self.records.newest() is None:
            return []
        claim = self.records.begin_stop()
        context = self.context(claim)
        with self._closing(context, claim, f"{self.command.replace(' deploy', ' stop')}"):
            runs = list(self.service.runs(application))
            for run in runs:
                stopping.stop(context, run)
            if (outlived := outliving(context, self.records, runs)) is not None:
                stopping.stop_outliving(context, outlived)
                runs.append(outlived)
            claim.end(Outcome.STOPPED, f"{len(runs)} stopped")
        return runs

    @contextmanager
    def _closing(self, context: RolloutContext, claim: Claim, command: str = "") -> Iterator[None]:
        """Reports what failed, with what is left; a record that stays open for want of the bucket is gone on with."""
        try:
            yield
        except (RuntimeRefused, RuntimeUnavailable) as error:
            cut_off = RolloutCutOff(
                claim.number,
                error,
                current_state=context.current_state,
                has_expired=is_expired(error),
                command=command or self.command,
            )
            with suppress(FirnlineError):
                claim.end(Outcome.FAILED, cut_off.what)
            raise cut_off from error
        except FirnlineError as error:
            with suppress(FirnlineError):
                claim.end(Outcome.FAILED, error.what)
            raise

    def context(self, claim: Claim | None) -> RolloutContext:
        return RolloutContext(
            service=self.service,
            ledger=self.ledger,
            claim=claim,
            timeouts=self.timeouts,
            say=self.say,
            sleep=self.sleep,
            clock=self.clock,
            now=self.now,
        )
