"""The jobs of an environment: the one that specification, stack and artefact say, and those that records of deployments hold."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from firnline_infra.accounts import Accounts
from firnline_infra.artefact import BuiltArtefact
from firnline_infra.blueprint.bucket_layout import ARTEFACT_FOLDER, CONFIGURATION_FOLDER, folder, log_folder, s3_url
from firnline_infra.blueprint.engine_config import document_hash, document_text
from firnline_infra.environment import Environment
from firnline_infra.rollout.retry import RetryBudget
from firnline_infra.rollout.startable import refused_at_start
from firnline_infra.rollout.uploads import in_image, put_once, uploaded, with_image
from firnline_infra.runtimes.aws import bucket_and_key, call
from firnline_infra.runtimes.engine_job import engine_job
from firnline_infra.runtimes.job import Artefact, EngineJob
from firnline_infra.runtimes.service import Problem
from firnline_infra.specification import EnvironmentSpec
from firnline_ingest.config.load import parse_config
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import ConfigError

JOB = TypeAdapter(EngineJob)


@dataclass(frozen=True, slots=True)
class EngineJobs:
    """Makes and reads jobs, with their objects in the environment's bucket."""

    spec: EnvironmentSpec
    s3: Any
    budget: RetryBudget
    image_of: Callable[[BuiltArtefact], str]
    """Gives the artefact's image in the environment's own repository, where it has one."""

    def wanted(
        self,
        build: Callable[[], BuiltArtefact],
        document: dict[str, Any],
        *,
        outputs: Mapping[str, Any],
        place: str,
    ) -> EngineJob:
        """The job, with artefact and configuration uploaded where they are not there yet. `document` is the configuration's."""
        environment, digest = Environment.of(self.spec), document_hash(document)
        bucket = environment.names.bucket
        spec, artefact = self._what_runs(build, bucket)
        logs, configurations = log_folder(environment), folder(environment, CONFIGURATION_FOLDER)
        return engine_job(
            spec,
            artefact=artefact,
            configuration=self.budget.ask(
                lambda: put_once(self.s3, bucket, f"{configurations}{digest}.json", document_text(document))
            ),
            configuration_hash=digest,
            role_arn=outputs.get("engine_role_arn"),
            logs=s3_url(environment, logs) if logs else None,
            place=place,
        )

    def _what_runs(self, build: Callable[[], BuiltArtefact], bucket: str) -> tuple[EnvironmentSpec, Artefact]:
        """The artefact, and the specification with its image where it runs in one."""
        section = self.spec.aws.runtime.kubernetes
        if section is None:
            return self.spec, uploaded(self.s3, bucket, folder(Environment.of(self.spec), ARTEFACT_FOLDER), build())
        image = section.image or self.image_of(build())
        spec = with_image(self.spec, image)
        return spec, in_image(spec, image)

    def config_of(self, job: EngineJob) -> EngineConfig:
        """The job's own: that of a rollback may have other streams than the specification."""
        bucket, key = bucket_and_key(job.configuration)

        def content() -> bytes:
            with call("s3:GetObject", job.configuration):
                body: bytes = self.s3.get_object(Bucket=bucket, Key=key)["Body"].read()
                return body

        return parse_config(self.budget.ask(content), job.configuration)

    def refused(self, job: EngineJob, accounts: Accounts, say: Callable[[str], None]) -> list[Problem]:
        """Returns what the job's engine would be refused at its start.

        A configuration that is wrong names nothing to look for.
        """
        return self.unfit(job) or refused_at_start(self.config_of(job), self.spec, accounts, say)

    def unfit(self, job: EngineJob) -> list[Problem]:
        """Returns what the engine's code of this installation finds wrong with the configuration, while nothing was
        stopped yet.
        """
        from firnline_ingest.validate import found_on_paper

        try:
            found = found_on_paper(self.config_of(job))
        except ConfigError as error:
            return [Problem(what=error.what, next_step=error.next_step)]
        return [Problem(what=f"{each.name}: {each.found}", next_step=each.next_step) for each in found]


def config_in(document: Mapping[str, Any], source: str) -> EngineConfig:
    """`source` is what errors call the document. Raises ConfigError."""
    return parse_config(document_text(document).encode(), source)


def job_document(job: EngineJob) -> dict[str, Any]:
    """The job for a deployment's record, without defaults: a default that was written down may contradict what was chosen."""
    document: dict[str, Any] = JOB.dump_python(job, mode="json", exclude_unset=True)
    return document


def recorded_job(document: dict[str, Any]) -> EngineJob:
    """The job of a deployment's record: what `job_document` has written."""
    return JOB.validate_json(json.dumps(document))
