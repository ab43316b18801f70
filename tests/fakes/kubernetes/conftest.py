"""A namespace of the embedded cluster that an administrator has made, with the deployer's rights and no others, under the real
client of a roll-out.
"""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.naming import run_name
from firnline_infra.runtimes.service import Run, RunState
from firnline_infra.runtimes.spark_operator.kubernetes_prerequisites import (
    apply_prerequisites,
    deployer_role,
    path_of,
)
from firnline_infra.runtimes.spark_operator.service import FLAVOURS, OperatorService
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.runtimes.spark_operator import Operator
from tests.fakes.kubernetes.conductor import Cluster
from tests.fakes.kubernetes.secrets_store import FOLDER, KIND, VERSION
from tests.fakes.kubernetes.server import ClusterRuntimes
from tests.infra.runtimes.environments import IMAGE, job_of, spec_of
from tests.kubernetes.client import ClusterClient, rights_in, until
from tests.kubernetes.control_plane import ControlPlane
from tests.kubernetes.definitions import name_of_own
from tests.local.runtimes.conftest import ACCOUNT, HANGS_S, REGION, ROLE, Stage

LABEL = "firnline/application=firnline-dev"
FIRST = "00000001-ab"
CLASS = {"provider": "vault", "parameters": {"roleName": "firnline", "objects": "- objectName: ingest.pem"}}


@dataclass
class Place:
    operator: Operator
    spec: EnvironmentSpec
    job: EngineJob
    stage: Stage
    runtime: OperatorService
    api: ClusterClient
    """The deployer's, who has the rights of `deployer_role` and no others."""
    admin: ClusterClient
    application: ClusterRuntimes

    @property
    def folder(self) -> str:
        return f"/apis/{FLAVOURS[self.operator].group}/namespaces/{self.job.runtime.namespace}/sparkapplications"

    @property
    def path(self) -> str:
        """Path of the first start's object."""
        return f"{self.folder}/{run_name('firnline-dev', FIRST)}"

    @property
    def cluster(self) -> Cluster:
        return self.application.cluster

    def until(self, condition: Callable[[], Any]) -> None:
        until(condition, within_s=HANGS_S)

    def until_gone(self, *documents: dict[str, Any]) -> None:
        self.until(lambda: not any(self.admin.get(path_of(each)) for each in documents))

    def until_run(self, run: Run, state: RunState) -> Run:
        pause = threading.Event()
        for _ in range(int(HANGS_S / 0.01)):
            if (found := self.runtime.look(run)).state is state:
                return found
            pause.wait(0.01)
        raise AssertionError(found)

    def state(self) -> str:
        status = (self.api.get(self.path) or {}).get("status", {})
        now = status.get("applicationState", {}).get("state")
        return str(now or status.get("currentState", {}).get("currentStateSummary", ""))

    def until_state(self, state: str) -> None:
        self.until(lambda: self.state() == state)

    def has_ended(self) -> bool:
        """Returns whether its object has: kubeflow says so before the driver has ended, apache forgets it after that."""
        return self.operator is Operator.KUBEFLOW or self.admin.get(self.path) is None

    def applications(self) -> list[dict[str, Any]]:
        return self.admin.items(self.folder)

    @property
    def pods_folder(self) -> str:
        return f"/api/v1/namespaces/{self.job.runtime.namespace}/pods"

    def pods(self, role: str) -> list[dict[str, Any]]:
        return self.admin.items(self.pods_folder, labelSelector=f"{LABEL},spark-role={role}")

    def patch(self, **spec: Any) -> None:
        assert self.admin.merge(self.path, {"spec": spec})


@pytest.fixture(params=list(Operator), ids=str)
def place(request: pytest.FixtureRequest, tmp_path: Path, control_plane: ControlPlane) -> Iterator[Place]:
    operator: Operator = request.param
    namespace, stage = name_of_own("carried"), Stage()
    spec = spec_of("dev", operator.value, namespace=namespace)
    job, account = job_of(spec), spec.aws.runtime.service_account or ""
    served = ClusterRuntimes(tmp_path, account=ACCOUNT, region=REGION, launch=stage, control_plane=control_plane)
    served.cluster.linger_s = served.cluster.hurry = 0.0
    admin, api = control_plane.api("admin"), control_plane.api("ci")
    served.given(
        {
            "images": {IMAGE: str(tmp_path)},
            "roles": {f"{namespace}/{account}": ROLE} if operator is Operator.APACHE else {},
            "namespaces": {namespace: "restricted"},
        }
    )
    service = OperatorService(api, FLAVOURS[operator], namespace, "firnline-dev", account)
    place = Place(operator, spec, job, stage, service, api, admin, served)
    admitted(place)
    apply_prerequisites(spec, api)
    for volume in spec.aws.runtime.kubernetes.volumes if spec.aws.runtime.kubernetes else ():
        if (name := volume.secret_provider_class) is not None:
            document = {"apiVersion": VERSION, "kind": KIND, "metadata": {"name": name}, "spec": CLASS}
            admin.apply(f"{FOLDER.format(namespace=namespace)}/{name}", document)
    yield place
    for attempt in list(stage.attempts):
        attempt.end()
    served.stop()


def admitted(place: Place) -> None:
    """The deployer has its role, from the administrator."""
    role, binding = deployer_role(place.spec, group="deployers")
    for each in (role, binding):
        place.admin.apply(path_of(each), each)
    place.api.until_has(str(place.job.runtime.namespace), rights_in(role))


def started(place: Place, token: str = FIRST) -> Run:
    number = len(place.stage.attempts) + 1
    run = place.runtime.start(place.job, token)
    place.stage.attempt(number)
    return place.until_run(run, RunState.RUNNING)


def cleared(place: Place) -> None:
    """All applications are deleted and have ended. Deleted first: an attempt that is launched meanwhile finds that, and ends."""
    for found in place.applications():
        place.admin.delete(f"{place.folder}/{found['metadata']['name']}")
    for attempt in list(place.stage.attempts):
        attempt.end()
    place.until(lambda: not place.applications() and not place.admin.items(place.pods_folder))
