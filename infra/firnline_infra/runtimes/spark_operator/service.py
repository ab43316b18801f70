"""Engines as SparkApplications of a Kubernetes cluster, of either operator.

Each start is an object of its own, named by its token, so that a new engine can stand by beside the old one; the lease in the
ledger decides which one writes. Neither operator waits for executors, so it is the pods of a start that say whether it is gone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from firnline_infra.accounts import Accounts
from firnline_infra.runtimes.errors import EngineRuns, RuntimeRefused
from firnline_infra.runtimes.job import APPLICATION_TAG, HASH_TAG, EngineJob
from firnline_infra.runtimes.kubeconfig import read_kubeconfig
from firnline_infra.runtimes.kubernetes_api import HttpKubernetesApi, KubernetesApi, Pods
from firnline_infra.runtimes.naming import labels, run_name
from firnline_infra.runtimes.service import GENERATION_TAG, Problem, Run, RunState
from firnline_infra.runtimes.spark_conf import token_of
from firnline_infra.runtimes.spark_operator import apache, kubeflow, pod
from firnline_infra.runtimes.spark_operator.flavour import Flavour
from firnline_infra.runtimes.spark_operator.job import JOB
from firnline_infra.runtimes.spark_operator.kubernetes_prerequisites import apply_prerequisites, remove_prerequisites
from firnline_infra.runtimes.waiting import waits_for
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.runtimes.spark_operator import Operator

DRIVER_ROLE = "spark-role=driver"
KEPT = 1
"""Objects of runs that have ended, for their logs; those before are removed when the next one is started."""
DRY_RUN = "?dryRun=All"
NO_RIGHT = 'cannot create resource "pods"'
"""In the API server's words for a call that no Role allows (Kubernetes, "Authorization Overview")."""
FLAVOURS = {Operator.KUBEFLOW: kubeflow.FLAVOUR, Operator.APACHE: apache.FLAVOUR}


@dataclass(frozen=True, slots=True)
class OperatorService:
    """Implements EngineService."""

    api: KubernetesApi
    flavour: Flavour
    namespace: str
    application: str
    service_account: str | None = None

    def check(self, job: EngineJob) -> Sequence[Problem]:
        if self.api.get(f"/apis/{self.flavour.group}") is None:
            return [
                Problem(
                    what=f"The cluster knows no {self.flavour.group}: it has no {self.flavour.name}.",
                    next_step="install the operator, or correct aws.runtime.kubernetes (operator, context).",
                )
            ]
        return [*self._without_account(), *self._not_admitted(job), *self._without_pods(job)]

    def lacks_room(self, job: EngineJob) -> str:
        """Returns nothing: the room on nodes is known when a pod waits for one, or a node has been made."""
        return ""

    def probe(self, job: EngineJob, token: str) -> "PodProbe | None":
        section = job.runtime.kubernetes
        assert section is not None
        wanted = pod.probe(
            section, name=run_name(self.application, f"probe-{token}"), service_account=self.service_account
        )
        probe = PodProbe(self, wanted["metadata"]["name"])
        try:
            probe.close()  # one that a killed deployer has left
            self.api.create(f"/api/v1/namespaces/{self.namespace}/pods", wanted)
        except RuntimeRefused:
            return None
        return probe

    def start(self, job: EngineJob, token: str, *, stands_by: bool = False) -> Run:
        self.forget(but=KEPT)
        wanted = JOB.render(job, token=token, tags={GENERATION_TAG: token}, stands_by=stands_by)
        self.api.create(self._objects, wanted)
        found = self.api.get(f"{self._objects}/{wanted['metadata']['name']}")
        return self._run(found) if found else Run(id="", hash=job.hash, state=RunState.STARTING, start=token)

    def runs(self, application: str) -> Sequence[Run]:
        found = map(self._run, self._all(application))
        return [run for run in found if run.state.is_active]

    def look(self, run: Run) -> Run:
        found = self._object(run)
        return self._run(found) if found else run.forgotten("its object is not there")

    def cancel(self, run: Run, *, grace_s: int) -> None:
        """The grace is the pods' own (`termination_seconds`)."""
        found = self._object(run)
        if found is None:
            return
        if self.flavour.suspends:
            self.api.merge(self._path(found), {"spec": {"suspend": True}})
        else:
            self.api.delete(self._path(found))

    def is_gone(self, run: Run) -> bool:
        return not self.look(run).state.is_active and not self._pods.active(self._selector(run))

    def log_lines(self, run: Run) -> Iterator[str]:
        known = run if run.start else self.look(run)
        for name in self._pods.any(f"{self._selector(known)},{DRIVER_ROLE}"):
            yield from self._pods.log(name).splitlines()

    @property
    def _pods(self) -> Pods:
        return Pods(self.api, self.namespace)

    @property
    def _objects(self) -> str:
        return f"/apis/{self.flavour.group}/namespaces/{self.namespace}/sparkapplications"

    def _path(self, found: Mapping[str, Any]) -> str:
        return f"{self._objects}/{found['metadata']['name']}"

    def _selector(self, run: Run) -> str:
        """The labels of a start's pods, or of all the application's where nothing says which start it is."""
        tags = {APPLICATION_TAG: self.application, **({GENERATION_TAG: run.start} if run.start else {})}
        return ",".join(f"{name}={value}" for name, value in labels(tags).items())

    def _all(self, application: str) -> list[dict[str, Any]]:
        """The application's objects, oldest first."""
        ((label, value),) = labels({APPLICATION_TAG: application}).items()
        found = self.api.get(self._objects, labelSelector=f"{label}={value}") or {"items": ()}
        return sorted(found["items"], key=lambda each: str(each["metadata"].get("creationTimestamp")))

    def _object(self, run: Run) -> dict[str, Any] | None:
        return next((each for each in self._all(self.application) if each["metadata"]["uid"] == run.id), None)

    def forget(self, *, but: int) -> None:
        """Removes the objects of runs that have ended, but for the newest ones."""
        ended = [each for each in self._all(self.application) if not self._run(each).state.is_active]
        for each in ended[: len(ended) - but]:
            self.api.delete(self._path(each))

    def _run(self, found: Mapping[str, Any]) -> Run:
        status, metadata = self.flavour.status(found), found["metadata"]
        ((label, _),) = labels({HASH_TAG: "0"}).items()
        since = metadata.get("creationTimestamp")
        is_leaving = "deletionTimestamp" in metadata or found["spec"].get("suspend")
        state = RunState.STOPPING if is_leaving and status.state.is_active else status.state
        run = Run(
            id=metadata["uid"],
            hash=metadata.get("labels", {}).get(label, ""),
            state=state,
            since=datetime.fromisoformat(since) if since else None,
            attempt=max(1, status.attempt),
            reason=status.reason,
            start=token_of(found["spec"].get("sparkConf", {})),
        )
        if state is not RunState.STARTING:
            return run
        reason = run.reason or self._waits_for(run)
        return replace(run, reason=reason, waits_for=waits_for(reason))

    def _waits_for(self, run: Run) -> str:
        """Returns why a pod does not start: an image that can't be pulled, a node that is not there, a volume that is not
        mounted."""
        path = f"/api/v1/namespaces/{self.namespace}/pods"
        found = self.api.get(path, labelSelector=self._selector(run)) or {"items": ()}
        return "; ".join(filter(None, map(self.why_it_waits, found["items"])))

    def why_it_waits(self, found: Mapping[str, Any]) -> str:
        """A pod's own words, or those of its newest event."""
        return _why_it_waits(found) or self._last_warning(found)

    def _last_warning(self, pod: Mapping[str, Any]) -> str:
        """The newest event of a pod whose status does not say why it waits; a deployer who may list no events is told nothing."""
        name = pod["metadata"]["name"]
        if pod.get("status", {}).get("phase") != "Pending":
            return ""
        path = f"/api/v1/namespaces/{self.namespace}/events"
        try:
            found = self.api.get(path, fieldSelector=f"involvedObject.name={name},type=Warning") or {"items": ()}
        except RuntimeRefused:
            return ""
        events = sorted(found["items"], key=lambda each: str(each.get("lastTimestamp")))
        return "".join(f"pod {name}: {each['reason']}: {each['message']}" for each in events[-1:])

    def _without_account(self) -> Iterator[Problem]:
        account = self.service_account
        path = f"/api/v1/namespaces/{self.namespace}/serviceaccounts/{account}"
        if account is not None and self.api.get(path) is None:
            yield Problem(
                what=f"There is no service account {account} in namespace {self.namespace}, or no such namespace.",
                next_step="create the namespace; firnline deploy creates the account, unless "
                "aws.runtime.kubernetes.origin is adopt.",
            )

    def _not_admitted(self, job: EngineJob) -> Iterator[Problem]:
        """Yields what the API's schema and the operator's webhook say to the object."""
        try:
            self.api.create(self._objects + DRY_RUN, JOB.render(job, token="check"))  # noqa: S106 (no secret)
        except RuntimeRefused as error:
            yield Problem(
                what=f"The cluster does not take the Spark application: {error.what}", next_step=error.next_step
            )

    def _without_pods(self, job: EngineJob) -> Iterator[Problem]:
        """Yields what the namespace's admission (Pod Security, a policy engine, a quota) says to a pod such as the
        operator makes.

        A deployer who may make no pods is not answered that.
        """
        section = job.runtime.kubernetes
        assert section is not None
        wanted = pod.probe(section, name=run_name(self.application, "check"), service_account=self.service_account)
        try:
            self.api.create(f"/api/v1/namespaces/{self.namespace}/pods{DRY_RUN}", wanted)
        except RuntimeRefused as error:
            if NO_RIGHT not in error.what:
                yield Problem(
                    what=f"The namespace {self.namespace} does not take the engine's pods: {error.what}",
                    next_step="correct what it names in aws.runtime.kubernetes, or have the namespace's rule changed.",
                )


@dataclass(frozen=True, slots=True)
class PodProbe:
    """Implements StartProbe: a pod that has begun has its image, its secrets, its volumes and a node."""

    service: OperatorService
    name: str

    @property
    def _path(self) -> str:
        return f"/api/v1/namespaces/{self.service.namespace}/pods/{self.name}"

    def look(self) -> Run:
        found = self.service.api.get(self._path)
        if found is None or _has_begun(found):
            return Run(id=self.name, hash="", state=RunState.RUNNING)
        reason = self.service.why_it_waits(found)
        return Run(id=self.name, hash="", state=RunState.STARTING, reason=reason, waits_for=waits_for(reason))

    def close(self) -> None:
        self.service.api.delete(self._path)


def _has_begun(found: Mapping[str, Any]) -> bool:
    """A command that its image does not have is no reason against the image's own."""
    statuses = found.get("status", {}).get("containerStatuses", ())
    states = [each.get("state", {}) for each in statuses if each.get("name") == pod.CONTAINER]
    return any("running" in state or "terminated" in state for state in states)


def _why_it_waits(pod: Mapping[str, Any]) -> str:
    name, status = pod["metadata"]["name"], pod.get("status", {})
    for container in status.get("containerStatuses", ()):
        waiting = container.get("state", {}).get("waiting", {})
        if waiting.get("message"):
            return f"pod {name}: {waiting.get('reason', '')}: {waiting['message']}"
    for condition in status.get("conditions", ()):
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            return f"pod {name}: {condition.get('message', 'is not scheduled')}"
    return ""


def place_of(_spec: EnvironmentSpec, _accounts: Accounts) -> str:
    """The namespace says it."""
    return ""


def service_of(spec: EnvironmentSpec, _accounts: Accounts, _place: str) -> OperatorService:
    section = spec.aws.runtime.kubernetes
    assert section is not None
    return service_on(HttpKubernetesApi(lambda: read_kubeconfig(section.context)), spec)


def service_on(api: KubernetesApi, spec: EnvironmentSpec) -> OperatorService:
    runtime, section = spec.aws.runtime, spec.aws.runtime.kubernetes
    assert section is not None
    application, namespace = Names.of(spec).application, runtime.namespace or "default"
    return OperatorService(api, FLAVOURS[section.operator], namespace, application, runtime.service_account)


def prepare(spec: EnvironmentSpec) -> None:
    """Makes what the namespace needs around the application. Raises NoCluster, RuntimeRefused and RuntimeUnavailable."""
    section = spec.aws.runtime.kubernetes
    assert section is not None
    apply_prerequisites(spec, HttpKubernetesApi(lambda: read_kubeconfig(section.context)))


def release(spec: EnvironmentSpec) -> None:
    """Removes that again. Raises EngineRuns, and as `prepare`."""
    section = spec.aws.runtime.kubernetes
    assert section is not None
    release_on(HttpKubernetesApi(lambda: read_kubeconfig(section.context)), spec)


def release_on(api: KubernetesApi, spec: EnvironmentSpec) -> None:
    service = service_on(api, spec)
    if runs := service.runs(service.application):
        raise EngineRuns(spec.name, [run.id for run in runs])
    service.forget(but=0)
    remove_prerequisites(spec, api)
