"""The runtimes: a row each, found by the name of its section in `aws.runtime`. A further one is a folder, a row here, and a
field there.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from firnline_infra.accounts import Accounts
from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.runtimes.emr_ec2 import job as emr_ec2_job
from firnline_infra.runtimes.emr_ec2 import rights as emr_ec2_rights
from firnline_infra.runtimes.emr_eks import job as emr_eks_job
from firnline_infra.runtimes.emr_eks import rights as emr_eks_rights
from firnline_infra.runtimes.emr_serverless import job as emr_serverless_job
from firnline_infra.runtimes.emr_serverless import rights as emr_serverless_rights
from firnline_infra.runtimes.errors import StartedByHand
from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.machine_prices import MachinePrices
from firnline_infra.runtimes.render import Rendering
from firnline_infra.runtimes.service import EngineService
from firnline_infra.runtimes.spark_operator import job as spark_operator_job
from firnline_infra.specification.model import EnvironmentSpec


class ServiceModule(Protocol):
    """A runtime's `service.py`. It is imported where it is used: only then its client's libraries have to be there."""

    def place_of(self, spec: EnvironmentSpec, accounts: Accounts, /) -> str:
        """Returns what the service calls the place where the engine runs.

        The id of an adopted one is in the specification; one that was made is found by its name; Kubernetes needs none.
        Raises PlaceMissing.
        """

    def service_of(self, spec: EnvironmentSpec, accounts: Accounts, place: str, /) -> EngineService:
        """Raises NoCluster."""


@dataclass(frozen=True, kw_only=True)
class EngineRuntime:
    """One place where engines run."""

    job: Rendering
    service: Callable[[], ServiceModule]
    rights: Callable[[Blueprint], Iterable[PolicyStatement]] = lambda _: ()
    """What starting, seeing and ending its runs asks of AWS."""
    status_rights: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The actions of these that `firnline status` needs, by Sid."""
    prices: MachinePrices
    prepare: Callable[[EnvironmentSpec], None] = lambda _spec: None
    """Makes what has to be around the job where it runs, and is made by no stack. Raises RuntimeRefused, RuntimeUnavailable and
    NoCluster."""
    release: Callable[[EnvironmentSpec], None] = lambda _spec: None
    """Removes that, before the stack is destroyed. Raises as `prepare`, and EngineRuns."""


def _emr_serverless() -> ServiceModule:
    from firnline_infra.runtimes.emr_serverless import service

    return service


def _emr_eks() -> ServiceModule:
    from firnline_infra.runtimes.emr_eks import service

    return service


def _emr_ec2() -> ServiceModule:
    from firnline_infra.runtimes.emr_ec2 import service

    return service


def _kubernetes() -> ServiceModule:
    from firnline_infra.runtimes.spark_operator import service

    return service


def _prepare_namespace(spec: EnvironmentSpec) -> None:
    from firnline_infra.runtimes.spark_operator import service

    service.prepare(spec)


def _release_namespace(spec: EnvironmentSpec) -> None:
    from firnline_infra.runtimes.spark_operator import service

    service.release(spec)


RUNTIMES = {
    "emr_serverless": EngineRuntime(
        job=emr_serverless_job.JOB,
        prices=emr_serverless_job.PRICES,
        service=_emr_serverless,
        rights=emr_serverless_rights.run_statements,
        status_rights=emr_serverless_rights.STATUS,
    ),
    "emr_eks": EngineRuntime(
        job=emr_eks_job.JOB,
        prices=emr_eks_job.PRICES,
        service=_emr_eks,
        rights=emr_eks_rights.run_statements,
        status_rights=emr_eks_rights.STATUS,
    ),
    "emr_ec2": EngineRuntime(
        job=emr_ec2_job.JOB,
        prices=emr_ec2_job.PRICES,
        service=_emr_ec2,
        rights=emr_ec2_rights.run_statements,
        status_rights=emr_ec2_rights.STATUS,
    ),
    "kubernetes": EngineRuntime(
        job=spark_operator_job.JOB,
        prices=spark_operator_job.PRICES,
        service=_kubernetes,
        rights=spark_operator_job.run_statements,
        prepare=_prepare_namespace,
        release=_release_namespace,
    ),
}


def runtime_of(spec: EnvironmentSpec) -> EngineRuntime:
    """Raises StartedByHand."""
    kind = spec.aws.runtime.kind
    if kind is None:
        raise StartedByHand(spec.name)
    return RUNTIMES[kind]


def rendering_of(job: EngineJob) -> Rendering:
    """Raises StartedByHand."""
    kind = job.runtime.kind
    if kind is None:
        raise StartedByHand(job.environment)
    return RUNTIMES[kind].job


def render(
    job: EngineJob, *, token: str, tags: Mapping[str, str] | None = None, stands_by: bool = False
) -> dict[str, Any]:
    """Renders what starts the job where its specification says, as Rendering.render."""
    return rendering_of(job).render(job, token=token, tags=tags, stands_by=stands_by)
