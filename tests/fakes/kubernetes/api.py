"""The API's face: as many verbs and resources as a roll-out uses, and a refusal by name for all others.

GET    /apis/GROUP/VERSION                                       discovery
GET    /apis/GROUP/VERSION/namespaces/NS/sparkapplications       list; POST creates (?dryRun=All looks only)
GET    …/sparkapplications/NAME                                  PATCH (merge) and DELETE too
GET    /api/v1/namespaces/NS/pods[/NAME[/log]]                   list by labelSelector
GET    /api/v1/namespaces/NS/serviceaccounts/NAME                POST to …/serviceaccounts creates
"""

import copy
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from tests.fakes.kubernetes.admission import check
from tests.fakes.kubernetes.apache import Apache
from tests.fakes.kubernetes.conductor import Cluster, Conductor
from tests.fakes.kubernetes.kubeflow import Kubeflow
from tests.fakes.kubernetes.objects import Document, Refusal, merged

OPERATORS: Mapping[str, tuple[str, type[Conductor]]] = {
    "sparkoperator.k8s.io/v1beta2": ("kubeflow", Kubeflow),
    "spark.apache.org/v1": ("apache", Apache),
}
GROUP = re.compile(r"/apis/(?P<group>[^/]+/[^/]+)")
APPLICATIONS = re.compile(GROUP.pattern + r"/namespaces/(?P<namespace>[^/]+)/sparkapplications(/(?P<name>[^/]+))?")
CORE = re.compile(
    r"/api/v1/namespaces/(?P<namespace>[^/]+)/(?P<kind>pods|serviceaccounts)(/(?P<name>[^/]+))?(?P<log>/log)?"
)
Answer = tuple[int, Document | str]


class KubernetesApi:
    """Thread-safe."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self._conductors: dict[str, Conductor] = {}

    def answer(self, method: str, path: str, query: str, body: bytes) -> Answer:
        """Status and document, or the text of a log. `path` is without its percent signs."""
        asked = Asked(method, path, {name: found[-1] for name, found in parse_qs(query).items()}, body)
        try:
            with self.cluster.changed:
                return self._answer(asked)
        except Refusal as refusal:
            return refusal.code, refusal.document

    def given(self, document: Mapping[str, Any]) -> None:
        """Images that were pushed, and roles that were associated with service accounts."""
        with self.cluster.changed:
            self.cluster.images |= {name: Path(folder) for name, folder in document.get("images", {}).items()}
            self.cluster.roles |= document.get("roles", {})

    def stop(self) -> None:
        """Ends everything at once."""
        with self.cluster.changed:
            self.cluster.is_stopped = True
            conductors = list(self._conductors.values())
            self.cluster.changed.notify_all()
        for conductor in conductors:
            conductor.kill()

    def _answer(self, asked: "Asked") -> Answer:
        if (found := CORE.fullmatch(asked.path)) is not None:
            return self._core(asked, found)
        found = APPLICATIONS.fullmatch(asked.path) or GROUP.fullmatch(asked.path)
        if found is None or found["group"] not in OPERATORS:
            raise Refusal(404, "NotFound", "the server could not find the requested resource")
        if GROUP.fullmatch(asked.path):
            return 200, {"kind": "APIResourceList", "groupVersion": found["group"], "resources": []}
        if found["name"] is None:
            return self._all(asked, found["group"], found["namespace"])
        return self._one(asked, found["group"], found["namespace"])

    def _core(self, asked: "Asked", found: re.Match[str]) -> Answer:
        objects = self.cluster.objects
        if asked.method == "POST" and found["kind"] == "serviceaccounts" and found["name"] is None:
            document = asked.document()
            return 201, copy.deepcopy(objects.create(f"{asked.path}/{document['metadata']['name']}", document))
        if asked.method != "GET":
            raise asked.not_served()
        if found["log"]:
            pod = asked.path.removesuffix("/log")
            objects.get(pod)
            running = self.cluster.running.get(pod)
            return 200, running.log() if running else ""
        if found["name"] is not None:
            return 200, objects.get(asked.path)
        return 200, {"kind": "List", "apiVersion": "v1", "items": objects.below(asked.path, asked.selected())}

    def _all(self, asked: "Asked", group: str, namespace: str) -> Answer:
        operator, conductor = OPERATORS[group]
        if asked.method == "GET":
            found = self.cluster.objects.below(asked.path, asked.selected())
            return 200, {"kind": "SparkApplicationList", "apiVersion": group, "items": found}
        if asked.method != "POST":
            raise asked.not_served()
        document = asked.document()
        check(operator, document, namespace)
        document["metadata"].setdefault("namespace", namespace)
        place = f"{asked.path}/{document['metadata']['name']}"
        if asked.query.get("dryRun") == "All":
            self.cluster.objects.refuse_if_there(place)
            return 201, document
        made = self.cluster.objects.create(place, document)
        self._conductors[place] = conductor(self.cluster, place, made)
        return 201, copy.deepcopy(made)

    def _one(self, asked: "Asked", group: str, namespace: str) -> Answer:
        found = self.cluster.objects.get(asked.path)
        if asked.method == "GET":
            return 200, found
        conductor = self._conductors[asked.path]
        if asked.method == "PATCH":
            patched = merged(found, asked.document())
            check(OPERATORS[group][0], {name: patched[name] for name in patched if name != "status"}, namespace)
            conductor.document["spec"] = patched["spec"]
            self.cluster.objects.touch(conductor.document)
            conductor.patched(found)
            return 200, self.cluster.objects.get(asked.path)
        if asked.method == "DELETE":
            options = asked.document() if asked.body else {}
            conductor.delete(is_foreground=options.get("propagationPolicy") == "Foreground")
            return 200, found
        raise asked.not_served()


@dataclass(frozen=True, slots=True)
class Asked:
    """One request."""

    method: str
    path: str
    query: Mapping[str, str]
    body: bytes

    def document(self) -> Document:
        """Raises Refusal."""
        try:
            found = json.loads(self.body)
        except ValueError as error:
            raise Refusal(400, "BadRequest", f"the body is no JSON: {error}") from error
        if not isinstance(found, dict):
            raise Refusal(400, "BadRequest", "the body is no object")
        return found

    def selected(self) -> dict[str, str]:
        """Equality alone: `a=b,c=d`. Raises Refusal for another selector."""
        selector = self.query.get("labelSelector", "")
        parts = [each.partition("=") for each in selector.split(",") if each]
        if any(not sign or name.endswith("!") or " " in name for name, sign, _ in parts):
            raise Refusal(400, "BadRequest", f"labelSelector {selector!r} is not understood here")
        return {name: value.removeprefix("=") for name, _, value in parts}

    def not_served(self) -> Refusal:
        return Refusal(405, "MethodNotAllowed", f"{self.method} {self.path} is not in the embedded Kubernetes")
