"""A job as the request that starts it: exactly what the service's client, or the Kubernetes API, is given.

Each runtime's `job.py` has a `Rendering`: what its service is asked for, and what of a specification it would refuse.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from firnline_infra.runtimes.errors import JobRefused
from firnline_infra.runtimes.job import APPLICATION_TAG, ENVIRONMENT_TAG, HASH_TAG, EngineJob
from firnline_infra.runtimes.spark_conf import start_conf

TOKEN_OF_NO_START = "0"  # noqa: S105 (no secret)


@dataclass(frozen=True, slots=True)
class Start:
    """Values of one start of a job, beside the job."""

    token: str
    tags: Mapping[str, str]
    """All of them, the job's own too."""


@dataclass(frozen=True, kw_only=True)
class Rendering:
    """Renders the request with which one runtime's service is asked to run a job. Pure."""

    service: str
    """For a person."""
    driver_variable: str
    """What Spark's setting of a driver's environment variable has before the variable's name."""
    request: Callable[[EngineJob, Start], dict[str, Any]]
    """What starts a job whose `spark_conf` is complete."""
    refusals: Callable[[EngineJob, dict[str, Any]], Iterator[str]]
    """The reason why the service would refuse the request: sentences that name the field of the specification that makes it
    fit."""

    def render(
        self, job: EngineJob, *, token: str, tags: Mapping[str, str] | None = None, stands_by: bool = False
    ) -> dict[str, Any]:
        """Renders what starts the job.

        The same token twice is one start, as far as the service remembers; EMR on EC2 and Kubernetes have none. `tags`
        are put on the run beside the job's own.

        The driver is told the token as well, and tells the ledger, so that its engine is known by it; and whether it `stands_by`
        until it is promoted. Raises JobRefused where the service would refuse it.
        """
        settings = start_conf(self.driver_variable, token, stands_by=stands_by)
        started = replace(job, spark_conf={**job.spark_conf, **settings})
        request = self.request(started, Start(token, {**job.tags, **(tags or {}), **_own(job)}))
        if problems := list(self.refusals(job, request)):
            raise JobRefused(job.application, self.service, problems)
        return request

    def hash_of(self, job: EngineJob) -> str:
        """The hash of the request, without what does not decide what runs: the place, the name, tags, the token. The artefact
        and the configuration are in it by their content, whatever they are called. Raises JobRefused, as `render`.
        """
        plain = replace(job, hash="", place="", tags={})
        self.render(plain, token=TOKEN_OF_NO_START)
        parts = [
            self.request(plain, Start(TOKEN_OF_NO_START, _own(plain))),
            job.artefact.hash,
            job.configuration_hash,
            job.role_arn,
            job.runtime.kind,
        ]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _own(job: EngineJob) -> dict[str, str]:
    return {APPLICATION_TAG: job.application, ENVIRONMENT_TAG: job.environment, HASH_TAG: job.hash}
