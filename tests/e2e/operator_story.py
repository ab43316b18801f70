"""`scripts/operator kubeflow | apache`: the engine, a SparkApplication of a cluster in tests/fakes, rolled while records flow.

Not in the suite: it takes two starts of Spark more than the one that is (test_deployed_engine.py).
"""

import base64
import os
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from firnline_infra.artefact import build_cached
from firnline_infra.artefact.of_specification import target_of_specification
from firnline_infra.runtimes.kubeconfig import VARIABLE, Access
from firnline_infra.runtimes.kubernetes_api import HttpKubernetesApi
from firnline_infra.runtimes.spark_operator.kubernetes_prerequisites import deployer_role, path_of
from firnline_infra.runtimes.spark_operator.service import FLAVOURS
from firnline_infra.specification import load_spec
from firnline_infra.specification.runtimes.spark_operator import Operator
from firnline_ingest.config.model import EngineConfig
from firnline_local.demo.deployable import Deployable, deployed_specification
from firnline_local.demo.deployment_story import DeploymentStory
from firnline_local.demo.events import shop_events
from firnline_local.demo.screen import Screen
from firnline_local.demo.story import COMMIT_LAG_MS
from firnline_local.endpoints import control
from firnline_local.environment import LocalEnvironment
from firnline_local.servers import ServerModules

NAME, NAMESPACE, ACCOUNT = "deployed", "ingest", "engine"
IMAGE = "registry.local/firnline:built"
LOCAL = Path(__file__).parents[2] / "stacks" / "environments" / "local.yaml"
RECORDS = 3_000
WITH_CLUSTER = ServerModules(runtimes="tests.fakes.kubernetes", folder=Path(__file__).parents[2])


def specification(operator: Operator, account: str, region: str, image: str = IMAGE) -> dict[str, Any]:
    document = deployed_specification(NAME, account, region, shards=2)
    serverless = document["aws"]["runtime"].pop("emr_serverless")
    document["aws"]["runtime"] |= {
        "trust": "pod-identity",
        "cluster": "local",
        "namespace": NAMESPACE,
        "service_account": ACCOUNT,
        "kubernetes": {"operator": operator.value, "image": image, "architecture": serverless["architecture"]},
    }
    return document


@dataclass
class OnOperator(Deployable):
    operator: Operator = Operator.KUBEFLOW
    cluster: Mapping[str, str] = field(default_factory=dict)
    """Where its API server is, and what it is trusted by."""
    _seen: dict[str, EngineConfig] = field(default_factory=dict)

    def prepare(self) -> None:
        """The keys, the role that deploys, and a cluster with the image, an empty namespace and the deployer's rights in it."""
        self.make_keys()
        endpoints = self.environment.endpoints
        role = f"arn:aws:iam::{endpoints.aws_account}:role/firnline-{self.name}-engine"
        given = {
            "images": {self._kubernetes["image"]: str(self.image_folder())},
            "roles": {f"{NAMESPACE}/{ACCOUNT}": role},
            "namespaces": {NAMESPACE: "restricted"},
            "config_maps": self.config_maps(),
        }
        self.cluster = control(endpoints, "runtimes", "cluster", given)
        os.environ[VARIABLE] = str(kubeconfig(self.folder / "kubeconfig", self.cluster))
        for each in deployer_role(self._spec(), group="deployers"):
            self.admin.apply(path_of(each), each)

    def config_maps(self) -> dict[str, str]:
        """Folders, by the names of config maps that show what is in them."""
        return {}

    @property
    def admin(self) -> HttpKubernetesApi:
        server, authority = self.cluster["server"], self.cluster["ca"].encode()
        return HttpKubernetesApi(lambda: Access(server=server, ca=authority, token="admin"))

    def attempts(self, run: str) -> list[dict[str, Any]]:
        return [{}]

    def configuration(self, run: str) -> EngineConfig:
        """Returns the configuration of the run's object; under the apache operator it goes when the run is stopped."""
        if run not in self._seen:
            self._seen[run] = self._configuration(run)
        return self._seen[run]

    def _configuration(self, run: str) -> EngineConfig:
        group = FLAVOURS[self.operator].group
        found = self.admin.get(f"/apis/{group}/namespaces/{NAMESPACE}/sparkapplications", labelSelector="")
        assert found is not None
        (spec,) = (each["spec"] for each in found["items"] if each["metadata"]["uid"] == run)
        (uri,) = spec.get("arguments") or spec["driverArgs"]
        return self.configuration_at(uri)

    @property
    def _kubernetes(self) -> Any:
        return self.document["aws"]["runtime"]["kubernetes"]

    def image_folder(self) -> Path:
        """Returns what a builder makes of the Containerfile, without its base."""
        built, folder = build_cached(target_of_specification(self._spec())), self.folder / "image"
        (folder / "environment").mkdir(parents=True)
        with tarfile.open(built.archive) as archive:
            archive.extractall(folder / "environment", filter="tar")
        (folder / "entry.py").write_bytes(built.entry.read_bytes())
        return folder.absolute()


def kubeconfig(file: Path, cluster: Mapping[str, str]) -> Path:
    """Returns the deployer's kubeconfig."""
    authority = base64.b64encode(cluster["ca"].encode()).decode()
    document = {
        "current-context": "local",
        "contexts": [{"name": "local", "context": {"cluster": "local", "user": "local"}}],
        "clusters": [
            {"name": "local", "cluster": {"server": cluster["server"], "certificate-authority-data": authority}}
        ],
        "users": [{"name": "local", "user": {"token": "ci"}}],
    }
    file.write_text(yaml.safe_dump(document), encoding="utf-8")
    return file.absolute()


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in list(Operator):
        raise SystemExit(f"usage: scripts/operator {' | '.join(Operator)}")
    operator, screen = Operator(arguments[0]), Screen()
    with (
        tempfile.TemporaryDirectory(prefix="firnline-operator-") as place,
        LocalEnvironment(
            Path(place) / "environment",
            load_spec(LOCAL),
            is_provisioned=False,
            modules=WITH_CLUSTER,
            commit_lag_ms=COMMIT_LAG_MS,
        ) as environment,
    ):
        os.environ.update(environment.variables)
        endpoints = environment.endpoints
        document = specification(operator, endpoints.aws_account, endpoints.region)
        deployable = OnOperator(environment, Path(place), document, screen.say, operator=operator)
        result = DeploymentStory(deployable, list(shop_events(RECORDS)), screen, kills=False).run()
    return result.report.exit_status


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
