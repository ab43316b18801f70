"""Engines as jobs of a virtual cluster of EMR on EKS (botocore's emr-containers, 2020-10-01).

A cancel has no grace here, so an engine that did not hear the ledger is cut off; no row is lost by that. A run's state says
nothing of its pods: those are asked for in the cluster, where it can be reached.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firnline_infra.accounts import Accounts
from firnline_infra.runtimes.aws import call, is_missing, pages
from firnline_infra.runtimes.emr_eks.cluster import pods_of, principal_of_pods
from firnline_infra.runtimes.emr_eks.job import JOB
from firnline_infra.runtimes.errors import RuntimeRefused
from firnline_infra.runtimes.job import APPLICATION_TAG, HASH_TAG, EngineJob
from firnline_infra.runtimes.job_runs import described, lines_below, log_uri, only_place, start_token
from firnline_infra.runtimes.kubernetes_api import Pods
from firnline_infra.runtimes.preflight import distrust, missing_objects
from firnline_infra.runtimes.service import GENERATION_TAG, Problem, Run, RunState
from firnline_infra.runtimes.waiting import WaitsFor, waits_for
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names

STATES = {
    "PENDING": RunState.STARTING,
    "SUBMITTED": RunState.STARTING,
    "RUNNING": RunState.RUNNING,
    "CANCEL_PENDING": RunState.STOPPING,
    "CANCELLED": RunState.STOPPED,
    "COMPLETED": RunState.SUCCEEDED,
    "FAILED": RunState.FAILED,
}
MAKE_ONE = "make one: `firnline up` does with origin: create"
ACTIVE = [name for name, state in STATES.items() if state.is_active]
POD_LABEL = "emr-containers.amazonaws.com/job.id"
DRIVER = "spark-kubernetes-driver"
"""The name of the driver's container, which EMR protects (Development Guide, "Pod templates")."""


@dataclass(frozen=True, slots=True)
class EmrEksService:
    """Implements EngineService."""

    emr: Any
    s3: Any
    iam: Any
    virtual_cluster_id: str
    principal: str
    """What the role has to trust: the cluster's OpenID Connect provider, or the principal of Pod Identity."""
    pods: Pods | None = None
    """None: the cluster can't be asked, and a run counts as gone when its state is final."""

    def check(self, job: EngineJob) -> Sequence[Problem]:
        return [
            *self._unfit(),
            *missing_objects(self.s3, (job.artefact.entry, job.artefact.archive, job.configuration)),
            *distrust(self.iam, job.role_arn, self.principal),
        ]

    def lacks_room(self, job: EngineJob) -> str:
        """Returns nothing: what nodes the cluster has, or makes, can't be known beforehand; pods that find none wait."""
        return ""

    def probe(self, _job: EngineJob, _token: str) -> None:
        """Returns nothing: the service starts whole jobs alone, and `check` has looked at what they name."""

    def start(self, job: EngineJob, token: str, *, stands_by: bool = False) -> Run:
        request = JOB.render(job, token=token, tags={GENERATION_TAG: token.partition("-")[0]}, stands_by=stands_by)
        with call("emr-containers:StartJobRun", self._cluster):
            answer = self.emr.start_job_run(**request)
        return Run(id=answer["id"], hash=job.hash, state=RunState.STARTING, start=token)

    def runs(self, application: str) -> Sequence[Run]:
        with call("emr-containers:ListJobRuns", self._cluster):
            request = {"virtualClusterId": self.virtual_cluster_id, "states": ACTIVE}
            listed = list(pages(self.emr, "list_job_runs", "jobRuns", **request))
        ids = [each["id"] for each in sorted(listed, key=lambda each: each["createdAt"])]
        found = [described(self._described(each), "emr-containers:DescribeJobRun", each) for each in ids]
        ours = [_run(each) for each in found if each.get("tags", {}).get(APPLICATION_TAG) == application]
        return [run for run in ours if run.state.is_active]  # one may have ended since it was listed

    def look(self, run: Run) -> Run:
        found = self._described(run.id)
        return _run(found) if found else run.forgotten("its service knows no such run")

    def cancel(self, run: Run, *, grace_s: int) -> None:
        try:
            with call("emr-containers:CancelJobRun", run.id):
                self.emr.cancel_job_run(id=run.id, virtualClusterId=self.virtual_cluster_id)
        except RuntimeRefused:
            if self.look(run).state in (RunState.STARTING, RunState.RUNNING):
                raise

    def is_gone(self, run: Run) -> bool:
        if self.look(run).state.is_active:
            return False
        return self.pods is None or not self.pods.active(f"{POD_LABEL}={run.id}")

    def log_lines(self, run: Run) -> Iterator[str]:
        if uri := log_uri(self._described(run.id)):
            folder = f"{uri}/{self.virtual_cluster_id}/jobs/{run.id}/containers/"
            yield from lines_below(self.s3, folder, _of_the_driver)

    @property
    def _cluster(self) -> str:
        return f"virtual cluster {self.virtual_cluster_id}"

    def _unfit(self) -> Iterator[Problem]:
        try:
            with call("emr-containers:DescribeVirtualCluster", self._cluster):
                found = self.emr.describe_virtual_cluster(id=self.virtual_cluster_id)["virtualCluster"]
        except RuntimeRefused as error:
            if not is_missing(error):
                raise
            yield Problem(what=f"There is no {self._cluster}: {error.what}", next_step=MAKE_ONE)
            return
        if found["state"] != "RUNNING":
            yield Problem(
                what=f"The {self._cluster} is {found['state']}.",
                next_step=f"if it is terminated, {MAKE_ONE}; ARRESTED means that its EKS cluster or namespace is out "
                "of EMR's reach: see whether the cluster still lets EMR in.",
            )

    def _described(self, run_id: str) -> dict[str, Any] | None:
        try:
            with call("emr-containers:DescribeJobRun", run_id):
                request = {"id": run_id, "virtualClusterId": self.virtual_cluster_id}
                found: dict[str, Any] = self.emr.describe_job_run(**request)["jobRun"]
                return found
        except RuntimeRefused as error:
            if is_missing(error):
                return None
            raise


def place_of(spec: EnvironmentSpec, accounts: Accounts) -> str:
    section = spec.aws.runtime.emr_eks
    adopted = section.virtual_cluster_id if section else None
    return adopted or virtual_cluster_id(accounts.aws("emr-containers"), Names.of(spec).application, spec.name)


def service_of(spec: EnvironmentSpec, accounts: Accounts, place: str) -> EmrEksService:
    emr, s3, iam = (accounts.aws(name) for name in ("emr-containers", "s3", "iam"))
    return EmrEksService(emr, s3, iam, place, principal_of_pods(spec), pods_of(spec, accounts))


def virtual_cluster_id(emr: Any, name: str, environment: str) -> str:
    """The id of the virtual cluster that the stack made. Raises PlaceMissing."""
    with call("emr-containers:ListVirtualClusters", name):
        listed = pages(emr, "list_virtual_clusters", "virtualClusters", states=["RUNNING", "ARRESTED"])
        found = [each["id"] for each in listed if each["name"] == name]
    return only_place(f"virtual cluster of EMR on EKS named {name}", found, environment)


def _run(found: Mapping[str, Any]) -> Run:
    reason = " ".join(filter(None, (found.get("failureReason", ""), found.get("stateDetails", ""))))
    return Run(
        id=found["id"],
        hash=found.get("tags", {}).get(HASH_TAG, ""),
        state=STATES[found["state"]],
        since=found["createdAt"],
        attempt=found.get("retryPolicyExecution", {}).get("currentAttemptCount", 0) + 1,
        reason=reason,
        waits_for=waits_for(reason) if STATES[found["state"]] is RunState.STARTING else WaitsFor.UNKNOWN,
        start=start_token(found),
    )


def _of_the_driver(keys: list[str]) -> list[str]:
    """containers/<spark application>/<pod>/stderr.gz; the driver's pod is the one whose name ends so."""
    return [key for key in keys if key.rpartition("/")[0].endswith("-driver") or f"/{DRIVER}/" in key]
