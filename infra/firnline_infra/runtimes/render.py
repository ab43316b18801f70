"""A job as the request that starts it: exactly what the service's client, or the Kubernetes API, is given."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from firnline_infra.runtimes import emr_serverless
from firnline_infra.runtimes.job import APPLICATION_TAG, ENVIRONMENT_TAG, HASH_TAG, EngineJob

TOKEN_OF_NO_START = "0"  # noqa: S105 (no secret)


def render(job: EngineJob, *, token: str, tags: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What starts the job. The same token twice is one start, as far as the service remembers. `tags` are put on the run beside
    the job's own.

    emr_serverless: StartJobRun. emr_eks: StartJobRun of emr-containers. emr_ec2: AddJobFlowSteps. kubernetes: a SparkApplication.
    """
    own = {APPLICATION_TAG: job.application, ENVIRONMENT_TAG: job.environment, HASH_TAG: job.hash}
    marks = {**job.tags, **(tags or {}), **own}
    runtime = job.runtime
    if runtime.emr_serverless is not None:
        return emr_serverless.start_job_run(job, runtime.emr_serverless, token=token, tags=marks)
    raise NotImplementedError(job.kind)


def hash_of(job: EngineJob) -> str:
    """Of the request, without what does not decide what runs: the place, the name, tags, the token. The artefact and the
    configuration are in it by their content, whatever they are called.
    """
    from dataclasses import replace

    bare = replace(job, hash="", place="", tags={})
    request = render(bare, token=TOKEN_OF_NO_START)
    parts = [request, job.artefact.hash, job.configuration_hash, job.kind.value]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
