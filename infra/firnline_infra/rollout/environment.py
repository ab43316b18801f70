"""The engine of one environment: what should run by its specification and its stack, and the way to everything that is asked."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from firnline_infra.accounts import Accounts, check_aws
from firnline_infra.artefact import BuiltArtefact
from firnline_infra.artefact.repository import image_in_repository
from firnline_infra.rollout.bucket import BucketObjects
from firnline_infra.rollout.errors import NothingToRollBackTo
from firnline_infra.rollout.jobs import EngineJobs, config_in, job_document, recorded_job
from firnline_infra.rollout.loop import Deployed, JobRecords
from firnline_infra.rollout.pause import Pause
from firnline_infra.rollout.records import Deployments, before_that
from firnline_infra.rollout.retry import RetryBudget
from firnline_infra.rollout.roll import RollOut
from firnline_infra.rollout.streams import streams_of_configuration
from firnline_infra.runtimes.errors import RuntimeRefused, StartedByHand
from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.registry import runtime_of
from firnline_infra.runtimes.service import EngineService, Run, RunState
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.ledger.dynamodb import DynamoLedger


@dataclass(frozen=True, kw_only=True)
class EngineEnvironment:
    spec: EnvironmentSpec
    accounts: Accounts
    outputs: Callable[[], Mapping[str, Any]]
    """The stack's outputs; asked for only by what needs them."""
    env_argument: str
    say: Callable[[str], None]

    def deploy(self, build: Callable[[], BuiltArtefact]) -> Deployed:
        """Deploys what the specification, the stack and the artefact say; it is built only if no image has it. Raises as
        RollOut.deploy, and StartedByHand.
        """
        self.check()
        runtime_of(self.spec).prepare(self.spec)
        return self._roll_out.deploy(self.job(build))

    def roll_back(self) -> Deployed:
        """Deploys what ran before what runs. Raises as `deploy`, and NothingToRollBackTo."""
        self.check()
        running = [run.hash for run in self.runtime.runs(self.application)]
        target = before_that(self.records.newest_first(), running)
        if target is None:
            raise NothingToRollBackTo(self._objects.place)
        self.say(f"Going back to deployment {target.number} of {target.began}.")
        job = recorded_job(target.job)
        runtime_of(self.spec).prepare(self.spec)
        return self._roll_out.deploy(job, went_back_to=target.place_in_history)

    def stop(self) -> Sequence[Run]:
        self.check()
        return self._roll_out.stop(self.application)

    def pause(self, stream: str) -> Pause:
        """Raises WrongAwsAccount or AwsUnreachable. An engine that was started by hand can be paused as well."""
        check_aws(self.spec, self.accounts)
        return Pause(self.ledger, stream, epoch_s=self._longest_epoch_s())

    def log_lines(self, run_id: str | None = None) -> Iterator[str]:
        """The log of a run; where none is named, of the one that runs, or else of the last one that was started."""
        self.check()
        runs = self.runtime.runs(self.application)
        newest = self.records.newest()
        chosen = run_id or (runs[-1].id if runs else newest.run if newest else "")
        found = next((run for run in runs if run.id == chosen), None)
        if chosen:
            lines = self.runtime.log_lines(found or self.runtime.look(unknown_run(chosen)))
            first = next(lines, None)
            yield from self.records.log_of(chosen) if first is None else chain([first], lines)

    def job(self, build: Callable[[], BuiltArtefact]) -> EngineJob:
        """The job, with artefact and configuration uploaded if they are not there yet."""
        outputs = self.outputs()
        document = self.accounts.engine_config(outputs["engine_config"], self.spec)
        return self._jobs.wanted(build, document, outputs=outputs, place=self._place)

    def check(self) -> None:
        """Raises StartedByHand, WrongAwsAccount or AwsUnreachable."""
        if self.spec.aws.runtime.job is None:
            raise StartedByHand(self.spec.name)
        check_aws(self.spec, self.accounts)

    def deployed_config(self) -> EngineConfig | None:
        """The configuration of what was deployed last; None where nothing was."""
        newest = self.records.newest()
        return self._jobs.config_of(recorded_job(newest.job)) if newest and newest.job else None

    def current_config(self) -> EngineConfig:
        """The configuration of what was deployed last; before that, and for an engine that is started by hand, the stack's.

        Raises NotDeployed, WrongAwsAccount or AwsUnreachable.
        """
        check_aws(self.spec, self.accounts)
        deployed = None if self.spec.aws.runtime.job is None else self.deployed_config()
        if deployed is not None:
            return deployed
        document = self.accounts.engine_config(self.outputs()["engine_config"], self.spec)
        return config_in(document, f"the engine's configuration of {self.spec.name}")

    @property
    def application(self) -> str:
        return Names.of(self.spec).application

    @cached_property
    def _roll_out(self) -> RollOut:
        return RollOut(
            service=self.runtime,
            ledger=self.ledger,
            records=self.records,
            jobs=JobRecords(
                streams_of=self._streams_of,
                job_of=recorded_job,
                document_of=job_document,
                unfit=lambda job: self._jobs.refused(job, self.accounts, self.say),
            ),
            say=self.say,
            command=f"firnline deploy {self.env_argument}",
        )

    @cached_property
    def runtime(self) -> EngineService:
        return runtime_of(self.spec).service().service_of(self.spec, self.accounts, self._place)

    @cached_property
    def _place(self) -> str:
        return runtime_of(self.spec).service().place_of(self.spec, self.accounts)

    @cached_property
    def ledger(self) -> DynamoLedger:
        return DynamoLedger(self.accounts.aws("dynamodb"), Names.of(self.spec).ledger_table)

    @cached_property
    def _jobs(self) -> EngineJobs:
        return EngineJobs(
            self.spec,
            self._s3,
            RetryBudget(time.sleep, time.monotonic),
            lambda built: image_in_repository(self.spec, self.accounts.aws("ecr"), built, self.say),
        )

    @cached_property
    def records(self) -> Deployments:
        return Deployments(self._objects)

    @cached_property
    def _objects(self) -> BucketObjects:
        return BucketObjects.of(self._s3, self.spec)

    @cached_property
    def _s3(self) -> Any:
        return self.accounts.aws("s3")

    def _longest_epoch_s(self) -> float:
        """The longer epoch of what is specified and of what was deployed last, which may be another one. Who pauses may have
        no right to see that: then the specification's is told to be what is waited for.
        """
        specified = self.spec.epoch.seconds
        if self.spec.aws.runtime.job is None:
            return specified
        try:
            newest = self.records.newest()
            deployed = self._jobs.config_of(recorded_job(newest.job)).epoch.seconds if newest and newest.job else 0.0
        except RuntimeRefused as error:
            self.say(f"The last deployment can't be read, so an epoch is taken to last {specified:.0f} s. {error.what}")
            return specified
        return max(specified, deployed)

    def _streams_of(self, job: EngineJob) -> list[str]:
        """The streams of the job's own configuration: a rollback's may have others than the specification."""
        return streams_of_configuration(self._jobs.config_of(job), self.ledger)


def unknown_run(run_id: str) -> Run:
    return Run(id=run_id, hash="", state=RunState.STOPPED)
