"""The embedded runtimes with a Kubernetes cluster among them: an API server, and what carries the applications in it.

POST /__firnline__/cluster  what was pushed, associated and set up beside it, as ClusterRuntimes.given takes it; answers with
                            where the API server is, and with its certificate authority
"""

import json
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from firnline_local.faults import CONTROL_PREFIX, FaultPlan
from firnline_local.runtimes.jobs.spark import SparkLauncher
from firnline_local.runtimes.jobs.submission import Launcher
from firnline_local.runtimes.server import CLUSTER, RuntimesApplication
from firnline_local.wsgi import Answer, body_of
from tests.fakes.kubernetes.conductor import Cluster
from tests.fakes.kubernetes.contained import PodLauncher
from tests.fakes.kubernetes.kubelet import Kubelet
from tests.fakes.kubernetes.operators import Operators
from tests.kubernetes.collector import Collector
from tests.kubernetes.control_plane import ControlPlane, provided
from tests.kubernetes.definitions import define, make_namespace, name_of_own


class ClusterRuntimes(RuntimesApplication):
    """A cluster whose objects run as jobs of EMR Serverless do. Starts an API server if it is given none."""

    def __init__(
        self,
        folder: Path,
        *,
        account: str,
        region: str,
        launch: Launcher | None = None,
        control_plane: ControlPlane | None = None,
    ) -> None:
        super().__init__(folder, account=account, region=region, faults=FaultPlan(), launch=launch)
        self._resources = ExitStack()
        if control_plane is None:
            control_plane = self._resources.enter_context(ControlPlane(provided(), folder / "control-plane", define))
            self._resources.enter_context(Collector(control_plane.api("admin")))
        self.control_plane = control_plane
        admin = control_plane.api("admin")
        arn = f"arn:aws:eks:{region}:{account}:cluster/{CLUSTER}"
        contained = PodLauncher(self.launch) if isinstance(self.launch, SparkLauncher) else None
        self.cluster = Cluster(
            admin,
            self.launch,
            name_of_own("node"),
            lambda: arn,
            associated=self.associations.roles,
            contained=contained,
        )
        self.operators = Operators(self.cluster)
        kubelet = self._resources.enter_context(Kubelet(folder / "kubelet", self.cluster.log))
        kubelet.register(admin, self.cluster.node)

    def given(self, document: Mapping[str, Any]) -> None:
        """Images that were pushed, roles that were associated with service accounts, namespaces with the level of Pod Security
        that they enforce, and config maps as folders. The operators look after the namespaces."""
        with self.cluster.changed:
            if self.cluster.contained is not None:
                maps = document.get("config_maps", {}).items()
                self.cluster.contained.config_maps.update({name: Path(folder) for name, folder in maps})
            self.cluster.images |= {name: Path(folder) for name, folder in document.get("images", {}).items()}
            self.cluster.roles |= document.get("roles", {})
        for namespace, level in document.get("namespaces", {}).items():
            make_namespace(self.cluster.api, namespace, level)
            self.operators.look_after(namespace)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if (environ["REQUEST_METHOD"], environ["PATH_INFO"]) != ("POST", f"{CONTROL_PREFIX}cluster"):
            return super().__call__(environ, start_response)
        self.given(json.loads(body_of(environ)))
        access = self.control_plane.access("admin")
        said = {"server": access.server, "ca": (access.ca or b"").decode()}
        return Answer(200, "application/json", json.dumps(said).encode()).send(start_response)

    def stop(self) -> None:
        super().stop()
        self.operators.stop()
        self._resources.close()
