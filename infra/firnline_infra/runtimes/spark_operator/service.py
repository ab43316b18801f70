"""Engines as SparkApplications of a Kubernetes cluster, of either operator.

An application has one object, of a fixed name, so that there is one engine; which run it is, its uid says. Neither operator
waits for executors, so it is the pods that say whether a run is gone. A new run is a new object: an edit of the old one would
be a roll-out of the operator's own.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from firnline_infra.accounts import Accounts
from firnline_infra.runtimes.errors import RuntimeRefused
from firnline_infra.runtimes.job import APPLICATION_TAG, HASH_TAG, EngineJob
from firnline_infra.runtimes.kubeconfig import read_kubeconfig
from firnline_infra.runtimes.kubernetes_api import HttpKubernetesApi, KubernetesApi, Pods
from firnline_infra.runtimes.naming import labels, object_name
from firnline_infra.runtimes.service import GENERATION_TAG, Problem, Run, RunState
from firnline_infra.runtimes.spark_conf import token_of
from firnline_infra.runtimes.spark_operator import apache, kubeflow
from firnline_infra.runtimes.spark_operator.flavour import Flavour
from firnline_infra.runtimes.spark_operator.job import JOB
from firnline_infra.runtimes.spark_operator.options import Operator
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names

DRIVER_ROLE = "spark-role=driver"
CLEARED_S, LOOK_S = 120.0, 2.0
DRY_RUN = "?dryRun=All"
FLAVOURS = {Operator.KUBEFLOW: kubeflow.FLAVOUR, Operator.APACHE: apache.FLAVOUR}


@dataclass(frozen=True, slots=True)
class OperatorService:
    """Implements EngineService."""

    api: KubernetesApi
    flavour: Flavour
    namespace: str
    application: str
    service_account: str | None = None
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def check(self, job: EngineJob) -> Sequence[Problem]:
        if self.api.get(f"/apis/{self.flavour.group}") is None:
            return [
                Problem(
                    what=f"The cluster knows no {self.flavour.group}: it has no {self.flavour.name}.",
                    next_step="install the operator, or correct aws.runtime.kubernetes (operator, context).",
                )
            ]
        return [*self._without_account(), *self._not_admitted(job)]

    def lacks_room(self, job: EngineJob) -> str:
        return f"The {self._described} bears the application's name, and there is one of a name: the old one makes way first."

    def start(self, job: EngineJob, token: str, *, stands_by: bool = False) -> Run:
        """One that is to stand by is started like any other: `lacks_room` says so before."""
        wanted = self._rendered(job, token)
        found = self._object()
        if found is not None and not _is_of(found, wanted):
            self._clear()
        if (found is None or not _is_of(found, wanted)) and not self.api.create(self._objects, wanted):
            found = self._object()
            if found is None or not _is_of(found, wanted):
                raise RuntimeRefused(
                    "create", self._described, "it was made by somebody else at this moment", next_step="deploy again."
                )
        made = self._object()
        return self._run(made) if made else Run(id="", hash=job.hash, state=RunState.STARTING, start=token)

    def runs(self, application: str) -> Sequence[Run]:
        found = self._object()
        run = self._run(found) if found and application == self.application else None
        return [run] if run and run.state.is_active else []

    def look(self, run: Run) -> Run:
        found = self._object()
        if found is None or (run.id and found["metadata"]["uid"] != run.id):
            return Run(
                id=run.id, hash=run.hash, state=RunState.UNKNOWN, reason="its object is not there", start=run.start
            )
        return self._run(found)

    def cancel(self, run: Run, *, grace_s: int) -> None:
        """The grace is the pods' own (`termination_seconds`)."""
        found = self._object()
        if found is None or (run.id and found["metadata"]["uid"] != run.id):
            return
        if self.flavour.suspends:
            self.api.merge(self._path, {"spec": {"suspend": True}})
        else:
            self.api.delete(self._path)

    def is_gone(self, run: Run) -> bool:
        return not self.look(run).state.is_active and not self._pods.active(self._selector)

    def log_lines(self, run: Run) -> Iterator[str]:
        for pod in self._pods.any(f"{self._selector},{DRIVER_ROLE}"):
            yield from self._pods.log(pod).splitlines()

    @property
    def _pods(self) -> Pods:
        return Pods(self.api, self.namespace)

    @property
    def _objects(self) -> str:
        return f"/apis/{self.flavour.group}/namespaces/{self.namespace}/sparkapplications"

    @property
    def _path(self) -> str:
        return f"{self._objects}/{object_name(self.application)}"

    @property
    def _described(self) -> str:
        return f"SparkApplication {self.namespace}/{object_name(self.application)}"

    @property
    def _selector(self) -> str:
        ((label, value),) = labels({APPLICATION_TAG: self.application}).items()
        return f"{label}={value}"

    def _object(self) -> dict[str, Any] | None:
        return self.api.get(self._path)

    def _rendered(self, job: EngineJob, token: str) -> dict[str, Any]:
        return JOB.render(job, token=token, tags={GENERATION_TAG: token})

    def _run(self, found: Mapping[str, Any]) -> Run:
        status, metadata = self.flavour.status(found), found["metadata"]
        ((label, _),) = labels({HASH_TAG: "0"}).items()
        since = metadata.get("creationTimestamp")
        is_leaving = "deletionTimestamp" in metadata or found["spec"].get("suspend")
        state = RunState.STOPPING if is_leaving and status.state.is_active else status.state
        return Run(
            id=metadata["uid"],
            hash=metadata.get("labels", {}).get(label, ""),
            state=state,
            since=datetime.fromisoformat(since) if since else None,
            attempt=max(1, status.attempt),
            reason=status.reason or self._waits_for(state),
            start=token_of(found["spec"].get("sparkConf", {})),
        )

    def _waits_for(self, state: RunState) -> str:
        """Why a pod does not start: an image that can't be pulled, a node that is not there."""
        if state is not RunState.STARTING:
            return ""
        found = self.api.get(f"/api/v1/namespaces/{self.namespace}/pods", labelSelector=self._selector) or {"items": ()}
        return "; ".join(filter(None, map(_why_it_waits, found["items"])))

    def _clear(self) -> None:
        """Removes the object of a run that is over, and waits for its pods, whose names the next one may use."""
        self.api.delete(self._path)
        until_s = self.clock() + CLEARED_S
        while self._object() is not None or self._pods.any(self._selector):
            if self.clock() > until_s:
                raise RuntimeRefused(
                    "delete",
                    self._described,
                    f"it or its pods are still there after {CLEARED_S:.0f} s",
                    next_step="see what holds them (kubectl describe); then deploy again.",
                )
            self.sleep(LOOK_S)

    def _without_account(self) -> Iterator[Problem]:
        account = self.service_account
        path = f"/api/v1/namespaces/{self.namespace}/serviceaccounts/{account}"
        if account is not None and self.api.get(path) is None:
            yield Problem(
                what=f"There is no service account {account} in namespace {self.namespace}, or no such namespace.",
                next_step="make both, with the operator's rights for drivers; docs/runtimes says which.",
            )

    def _not_admitted(self, job: EngineJob) -> Iterator[Problem]:
        """What the API's schema and the operator's webhook say to the object, under a name that is free."""
        wanted = self._rendered(job, "check")
        wanted["metadata"]["name"] += "-check"
        try:
            self.api.create(self._objects + DRY_RUN, wanted)
        except RuntimeRefused as error:
            yield Problem(
                what=f"The cluster does not take the {self._described}: {error.what}", next_step=error.next_step
            )


def _is_of(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether the object is the one that this very deployment has made."""
    ((label, _),) = labels({GENERATION_TAG: "0"}).items()
    return bool(found["metadata"].get("labels", {}).get(label) == wanted["metadata"]["labels"][label])


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
    runtime, section = spec.aws.runtime, spec.aws.runtime.kubernetes
    assert section is not None
    api = HttpKubernetesApi(lambda: read_kubeconfig(section.context))
    application, namespace = Names.of(spec).application, runtime.namespace or "default"
    return OperatorService(api, FLAVOURS[section.operator], namespace, application, runtime.service_account)
