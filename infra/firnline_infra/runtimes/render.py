"""A job as the request that starts it: exactly what the service's client, or the Kubernetes API, is given."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from firnline_infra.runtimes import apache, emr_ec2, emr_eks, emr_serverless, kubeflow
from firnline_infra.runtimes.errors import JobRefused, StartedByHand
from firnline_infra.runtimes.job import APPLICATION_TAG, ENVIRONMENT_TAG, HASH_TAG, EngineJob
from firnline_infra.runtimes.limits import refusals
from firnline_infra.runtimes.spark_conf import start_conf
from firnline_infra.specification.emr import EmrEc2, EmrEks, EmrServerless
from firnline_infra.specification.runtime import Kubernetes, Operator

TOKEN_OF_NO_START = "0"  # noqa: S105 (no secret)
SERVICES = {
    "emr_serverless": "EMR Serverless",
    "emr_eks": "EMR on EKS",
    "emr_ec2": "EMR",
    "kubernetes": "Kubernetes",
}


def render(
    job: EngineJob, *, token: str, tags: Mapping[str, str] | None = None, stands_by: bool = False
) -> dict[str, Any]:
    """What starts the job. The same token twice is one start, as far as the service remembers; EMR on EC2 and Kubernetes have
    none. `tags` are put on the run beside the job's own.

    The driver is told the token as well, and tells the ledger, so that its engine is known by it; and whether it `stands_by`
    until it is let in.

    emr_serverless: StartJobRun. emr_eks: StartJobRun of emr-containers. emr_ec2: AddJobFlowSteps. kubernetes: a SparkApplication.
    Raises JobRefused where the service would refuse it.
    """
    settings = start_conf(job.kind.value, token, stands_by=stands_by)
    started = replace(job, spark_conf={**job.spark_conf, **settings})
    request = _request(started, token, {**job.tags, **(tags or {}), **_own(job)})
    if problems := list(refusals(job, request)):
        raise JobRefused(job.application, SERVICES[job.kind.value], problems)
    return request


def _own(job: EngineJob) -> dict[str, str]:
    return {APPLICATION_TAG: job.application, ENVIRONMENT_TAG: job.environment, HASH_TAG: job.hash}


def _request(job: EngineJob, token: str, tags: Mapping[str, str]) -> dict[str, Any]:
    match job.runtime.job:
        case EmrServerless() as section:
            return emr_serverless.start_job_run(job, section, token=token, tags=tags)
        case EmrEks() as section:
            return emr_eks.start_job_run(job, section, token=token, tags=tags)
        case EmrEc2() as section:
            return emr_ec2.add_job_flow_steps(job, section)
        case Kubernetes(operator=Operator.KUBEFLOW) as section:
            return kubeflow.spark_application(job, section, tags=tags)
        case Kubernetes() as section:
            return apache.spark_application(job, section, tags=tags)
        case None:
            raise StartedByHand(job.environment)


def hash_of(job: EngineJob) -> str:
    """Of the request, without what does not decide what runs: the place, the name, tags, the token. The artefact and the
    configuration are in it by their content, whatever they are called. Raises JobRefused, as `render`.
    """
    plain = replace(job, hash="", place="", tags={})
    render(plain, token=TOKEN_OF_NO_START)
    parts = [
        _request(plain, TOKEN_OF_NO_START, _own(plain)),
        job.artefact.hash,
        job.configuration_hash,
        job.role_arn,
        job.kind.value,
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
