"""The embedded runtimes with a Kubernetes cluster among them: /api and /apis are its API server's.

POST /__firnline__/cluster  what was pushed, associated and set up beside it, as KubernetesApi.given takes it
"""

import json
from collections.abc import Iterable
from pathlib import Path
from wsgiref.types import StartResponse, WSGIEnvironment

from firnline_local.faults import CONTROL_PREFIX, FaultPlan
from firnline_local.runtimes.jobs.spark import SparkLauncher
from firnline_local.runtimes.jobs.submission import Launcher
from firnline_local.runtimes.server import CLUSTER, RuntimesApplication
from firnline_local.wsgi import Answer, body_of
from tests.fakes.kubernetes.api import KubernetesApi
from tests.fakes.kubernetes.conductor import Cluster
from tests.fakes.kubernetes.contained import PodLauncher


class ClusterRuntimes(RuntimesApplication):
    """What is created in the cluster runs as jobs of EMR Serverless do."""

    def __init__(self, folder: Path, *, account: str, region: str, launch: Launcher | None = None) -> None:
        super().__init__(folder, account=account, region=region, faults=FaultPlan(), launch=launch)
        arn = f"arn:aws:eks:{region}:{account}:cluster/{CLUSTER}"
        contained = PodLauncher(self.launch) if isinstance(self.launch, SparkLauncher) else None
        cluster = Cluster(self.launch, lambda: arn, associated=self.associations.roles, contained=contained)
        self.kubernetes = KubernetesApi(cluster)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path, method = environ["PATH_INFO"], environ["REQUEST_METHOD"]
        is_given = (method, path) == ("POST", f"{CONTROL_PREFIX}cluster")
        if not is_given and not path.startswith(("/api/", "/apis/")):
            return super().__call__(environ, start_response)
        body = body_of(environ)
        if is_given:
            self.kubernetes.given(json.loads(body))
            return Answer(200, "application/json", b"{}").send(start_response)
        path = path.encode("latin-1").decode(errors="replace")
        status, found = self.kubernetes.answer(
            method,
            path,
            environ.get("QUERY_STRING", ""),
            body,
            content=environ.get("CONTENT_TYPE", ""),
            token=environ.get("HTTP_AUTHORIZATION", "").removeprefix("Bearer "),
        )
        if isinstance(found, str):
            return Answer(status, "text/plain", found.encode()).send(start_response)
        return Answer(status, "application/json", json.dumps(found).encode()).send(start_response)

    def stop(self) -> None:
        super().stop()
        self.kubernetes.stop()
