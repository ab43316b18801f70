"""A namespace of the embedded cluster that an administrator has made, with the deployer's rights and no others, under the real
client of a roll-out.
"""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.kubeconfig import Access
from firnline_infra.runtimes.kubernetes_api import HttpKubernetesApi
from firnline_infra.runtimes.naming import run_name
from firnline_infra.runtimes.service import Run, RunState
from firnline_infra.runtimes.spark_operator.kubernetes_prerequisites import (
    apply_prerequisites,
    deployer_role,
    path_of,
)
from firnline_infra.runtimes.spark_operator.options import Operator
from firnline_infra.runtimes.spark_operator.service import FLAVOURS, OperatorService
from firnline_infra.specification import EnvironmentSpec
from firnline_local.wsgi import WsgiServer
from tests.fakes.kubernetes.secrets_store import FOLDER, KIND, VERSION
from tests.fakes.kubernetes.server import ClusterRuntimes
from tests.infra.runtimes.environments import IMAGE, job_of, spec_of
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
    api: HttpKubernetesApi
    """The deployer's, who has the rights of `deployer_role` and no others."""
    admin: HttpKubernetesApi
    application: ClusterRuntimes

    @property
    def folder(self) -> str:
        return f"/apis/{FLAVOURS[self.operator].group}/namespaces/{self.job.runtime.namespace}/sparkapplications"

    @property
    def path(self) -> str:
        """Of the first start's object."""
        return f"{self.folder}/{run_name('firnline-dev', FIRST)}"

    def until(self, condition: Callable[[], bool]) -> None:
        changed = self.application.kubernetes.cluster.changed
        with changed:
            assert changed.wait_for(condition, HANGS_S)

    def until_run(self, run: Run, state: RunState) -> Run:
        pause = threading.Event()
        for _ in range(int(HANGS_S / 0.01)):
            if (found := self.runtime.look(run)).state is state:
                return found
            pause.wait(0.01)
        raise AssertionError(found)

    def state(self) -> str:
        status = (self.api.get(self.path) or {}).get("status", {})
        return str(status.get("applicationState", {}).get("state") or status["currentState"]["currentStateSummary"])

    def has_ended(self) -> bool:
        """Whether its object has: kubeflow says so before the driver has ended, apache forgets it after that."""
        return self.operator is Operator.KUBEFLOW or self.application.kubernetes.cluster.objects.find(self.path) is None

    @property
    def pods_folder(self) -> str:
        return f"/api/v1/namespaces/{self.job.runtime.namespace}/pods"

    def pods(self, role: str) -> list[dict[str, Any]]:
        return list((self.api.get(self.pods_folder, labelSelector=f"{LABEL},spark-role={role}") or {})["items"])

    def patch(self, **spec: Any) -> None:
        assert self.admin.merge(self.path, {"spec": spec})


@pytest.fixture(params=list(Operator), ids=str)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    operator: Operator = request.param
    spec, stage = spec_of("dev", operator.value), Stage()
    job, namespace = job_of(spec), spec.aws.runtime.namespace or ""
    account, image = spec.aws.runtime.service_account or "", IMAGE
    served = ClusterRuntimes(tmp_path, account=ACCOUNT, region=REGION, launch=stage)
    served.kubernetes.cluster.linger_s = served.kubernetes.cluster.hurry = 0.0
    with WsgiServer(served, name="runtimes") as server:
        admin, api = (
            HttpKubernetesApi(partial(Access, server=server.endpoint, token=each)) for each in ("admin", "ci")
        )
        served.kubernetes.given(
            {
                "images": {image: str(tmp_path)},
                "roles": {f"{namespace}/{account}": ROLE} if operator is Operator.APACHE else {},
                "namespaces": {namespace: "restricted"},
                "users": {"admin": ["system:masters"], "ci": ["deployers"]},
            }
        )
        for each in deployer_role(spec, group="deployers"):
            admin.apply(path_of(each), each)
        service = OperatorService(api, FLAVOURS[operator], namespace, "firnline-dev", account)
        place = Place(operator, spec, job, stage, service, api, admin, served)
        apply_prerequisites(spec, api)
        for volume in spec.aws.runtime.kubernetes.volumes if spec.aws.runtime.kubernetes else ():
            if (name := volume.secret_provider_class) is not None:
                document = {"apiVersion": VERSION, "kind": KIND, "metadata": {"name": name}, "spec": CLASS}
                admin.apply(f"{FOLDER.format(namespace=namespace)}/{name}", document)
        yield place
    served.stop()


def started(place: Place, token: str = FIRST) -> Run:
    number = len(place.stage.attempts) + 1
    run = place.runtime.start(place.job, token)
    place.stage.attempt(number)
    return place.until_run(run, RunState.RUNNING)


def cleared(place: Place) -> None:
    """All applications are deleted and have ended. Deleted first: an attempt that is launched meanwhile finds that, and ends."""
    objects = place.application.kubernetes.cluster.objects
    for found in objects.below(place.folder, {}):
        place.admin.delete(f"{place.folder}/{found['metadata']['name']}")
    for attempt in list(place.stage.attempts):
        attempt.end()
    place.until(lambda: not objects.below(place.folder, {}) and not objects.below(place.pods_folder, {}))
