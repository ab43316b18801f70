"""The engine of one environment: what should run by its specification and its stack, and the way to everything that is asked."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter

from firnline_infra.accounts import Accounts, check_aws
from firnline_infra.blueprint.bucket_layout import ARTEFACT_FOLDER, CONFIGURATION_FOLDER, folder, log_folder, s3_url
from firnline_infra.blueprint.engine_config import document_hash, document_text
from firnline_infra.build import BuiltArtefact
from firnline_infra.rollout.bucket import BucketObjects
from firnline_infra.rollout.errors import NothingToRollBackTo
from firnline_infra.rollout.left_consumers import told_unused
from firnline_infra.rollout.loop import Deployed, JobRecords
from firnline_infra.rollout.pause import Pause
from firnline_infra.rollout.records import Deployment, Deployments, Outcome
from firnline_infra.rollout.retry import RetryBudget
from firnline_infra.rollout.roll import RollOut
from firnline_infra.rollout.status import Status, status_of
from firnline_infra.rollout.streams import pipelines_by_stream, streams_of_configuration
from firnline_infra.rollout.uploads import in_image, put_once, uploaded
from firnline_infra.runtimes.aws import bucket_and_key, call
from firnline_infra.runtimes.engine_job import engine_job
from firnline_infra.runtimes.errors import RuntimeRefused, StartedByHand
from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.registry import runtime_of
from firnline_infra.runtimes.service import EngineService, Run, RunState
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_ingest.config.load import parse_config
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.ledger.dynamodb import DynamoLedger

JOB = TypeAdapter(EngineJob)
OF_THE_JOB = ("spark", "dead_letters")
"""Sections of the configuration that stay as the stack has them: a job runs beside its bucket, also in an imitated account,
whose own values are for an engine that is started by hand."""


@dataclass(frozen=True, kw_only=True)
class EngineEnvironment:
    spec: EnvironmentSpec
    accounts: Accounts
    outputs: Callable[[], Mapping[str, Any]]
    """Of the stack; asked only by what needs them."""
    env_argument: str
    say: Callable[[str], None]

    def deploy(self, build: Callable[[], BuiltArtefact]) -> Deployed:
        """What the specification, the stack and the artefact say; it is built only where no image has it. Raises as
        RollOut.deploy, and StartedByHand.
        """
        self._check()
        return self._roll_out.deploy(self.job(build))

    def roll_back(self) -> Deployed:
        """What ran before what runs. Raises as `deploy`, and NothingToRollBackTo."""
        self._check()
        running = [run.hash for run in self._runtime.runs(self.application)]
        target = before_that(self._records.newest_first(), running)
        if target is None:
            raise NothingToRollBackTo(self._objects.place)
        self.say(f"Going back to deployment {target.number} of {target.began}.")
        job = recorded_job(target.job)
        return self._roll_out.deploy(job, went_back_to=target.place_in_history)

    def stop(self) -> Sequence[Run]:
        self._check()
        return self._roll_out.stop(self.application)

    def pause(self, stream: str) -> Pause:
        """Raises WrongAwsAccount or AwsUnreachable. An engine that was started by hand can be paused as well."""
        check_aws(self.spec, self.accounts)
        return Pause(self._ledger, stream, epoch_s=self._longest_epoch_s())

    def status(self) -> Status:
        self._check()
        notes: list[str] = []
        pipelines = pipelines_by_stream(self.spec, self._ledger, notes.append)
        found = status_of(
            self.application,
            runs=self._runtime.runs(self.application),
            ledger=self._ledger,
            streams=pipelines,
            deployment=self._records.newest(),
            now_ms=time.time_ns() // 1_000_000,
            idle_after_s={stream: each.idle_after_seconds for stream, each in pipelines.items()},
        )
        return replace(found, notes=(*notes, *told_unused(self.spec, self._ledger)))

    def log_lines(self, run_id: str | None = None) -> Iterator[str]:
        """Of a run; where none is named, of the one that runs, or else the last one that was started."""
        self._check()
        runs = self._runtime.runs(self.application)
        newest = self._records.newest()
        chosen = run_id or (runs[-1].id if runs else newest.run if newest else "")
        found = next((run for run in runs if run.id == chosen), None)
        if chosen:
            yield from self._runtime.log_lines(found or self._runtime.look(unknown_run(chosen)))

    def job(self, build: Callable[[], BuiltArtefact]) -> EngineJob:
        """With artefact and configuration uploaded, where they are not there yet."""
        outputs, bucket = self.outputs(), Names.of(self.spec).bucket
        document = self._document(outputs["engine_config"])
        digest = document_hash(document)
        logs, configurations = log_folder(self.spec), folder(self.spec, CONFIGURATION_FOLDER)
        return engine_job(
            self.spec,
            artefact=in_image(self.spec) or uploaded(self._s3, bucket, folder(self.spec, ARTEFACT_FOLDER), build()),
            configuration=self._budget.ask(
                lambda: put_once(self._s3, bucket, f"{configurations}{digest}.json", document_text(document))
            ),
            configuration_hash=digest,
            role_arn=outputs.get("engine_role_arn"),
            logs=s3_url(self.spec, logs) if logs else None,
            place=self._place,
        )

    @property
    def _budget(self) -> RetryBudget:
        return RetryBudget(time.sleep, time.monotonic)

    @property
    def application(self) -> str:
        return Names.of(self.spec).application

    @cached_property
    def _roll_out(self) -> RollOut:
        return RollOut(
            service=self._runtime,
            ledger=self._ledger,
            records=self._records,
            jobs=JobRecords(streams_of=self._streams_of, job_of=recorded_job, document_of=job_document),
            say=self.say,
            command=f"firnline deploy {self.env_argument}",
        )

    @cached_property
    def _runtime(self) -> EngineService:
        return runtime_of(self.spec).service().service_of(self.spec, self.accounts, self._place)

    @cached_property
    def _place(self) -> str:
        return runtime_of(self.spec).service().place_of(self.spec, self.accounts)

    @cached_property
    def _ledger(self) -> DynamoLedger:
        return DynamoLedger(self.accounts.aws("dynamodb"), Names.of(self.spec).ledger_table)

    @cached_property
    def _records(self) -> Deployments:
        return Deployments(self._objects)

    @cached_property
    def _objects(self) -> BucketObjects:
        return BucketObjects.of(self._s3, self.spec)

    @cached_property
    def _s3(self) -> Any:
        return self.accounts.aws("s3")

    def _check(self) -> None:
        """Raises StartedByHand, WrongAwsAccount or AwsUnreachable."""
        if self.spec.aws.runtime.job is None:
            raise StartedByHand(self.spec.name)
        check_aws(self.spec, self.accounts)

    def _document(self, of_stack: dict[str, Any]) -> dict[str, Any]:
        here = self.accounts.engine_config(of_stack, self.spec)
        return {**here, **{name: of_stack[name] for name in OF_THE_JOB if name in of_stack}}

    def _longest_epoch_s(self) -> float:
        """Of what is specified, and of what was deployed last, which may be another one. Who pauses may have no right to see
        that: then the specification's is told to be what is waited for.
        """
        specified = self.spec.epoch.seconds
        if self.spec.aws.runtime.job is None:
            return specified
        try:
            newest = self._records.newest()
            deployed = self._config_of(recorded_job(newest.job)).epoch.seconds if newest and newest.job else 0.0
        except RuntimeRefused as error:
            self.say(f"What was deployed can't be seen, so an epoch is taken to last {specified:.0f} s. {error.what}")
            return specified
        return max(specified, deployed)

    def _streams_of(self, job: EngineJob) -> list[str]:
        """As the job's own configuration has them: that of a rollback may have others than the specification."""
        return streams_of_configuration(self._config_of(job), self._ledger, self.say)

    def _config_of(self, job: EngineJob) -> EngineConfig:
        bucket, key = bucket_and_key(job.configuration)

        def content() -> bytes:
            with call("s3:GetObject", job.configuration):
                body: bytes = self._s3.get_object(Bucket=bucket, Key=key)["Body"].read()
                return body

        return parse_config(self._budget.ask(content), job.configuration)


def job_document(job: EngineJob) -> dict[str, Any]:
    """For a deployment's record. Only what was given: a default that was written down may contradict what was chosen."""
    document: dict[str, Any] = JOB.dump_python(job, mode="json", exclude_unset=True)
    return document


def recorded_job(document: dict[str, Any]) -> EngineJob:
    """As a deployment's record has it."""
    return JOB.validate_json(json.dumps(document))


def before_that(newest_first: Iterator[Deployment], running: Sequence[str] = ()) -> Deployment | None:
    """The deployment to go back to: good, of another content than what runs, and before it. From a rollback on, further back.

    `running`: the hashes of the runs that there are. Where none is, the last one that was good counts as what runs; what
    runs may be of one that did not end well: its deployer was killed while it watched.
    """
    history = list(newest_first)
    good = [each for each in history if each.outcome is Outcome.GOOD]
    runs = next((e for e in history if any(hash_ and e.hash.startswith(hash_) for hash_ in running)), None)
    runs = runs or next(iter(good), None)
    if runs is None:
        return None
    return next((e for e in good if e.number < runs.place_in_history and e.hash != runs.hash), None)


def unknown_run(run_id: str) -> Run:
    return Run(id=run_id, hash="", state=RunState.STOPPED)
