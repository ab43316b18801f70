"""The API's face: as many verbs and resources as a roll-out uses, and a refusal by name for all others.

GET    /apis/GROUP/VERSION                                       discovery
…/namespaces/NS/RESOURCE        GET lists (labelSelector), POST creates (?dryRun=All looks only)
…/namespaces/NS/RESOURCE/NAME   GET; PATCH: merge, or server-side apply; DELETE; of a pod /log

A namespace has to be there. Each call needs a right (authorization.py), and each object is judged before it is kept
(admission.py).
"""

import copy
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from tests.fakes.kubernetes import admission, secrets_store
from tests.fakes.kubernetes.apache import Apache
from tests.fakes.kubernetes.asked import APPLY_PATCH, Asked
from tests.fakes.kubernetes.authorization import User, authorize, refuse_escalation
from tests.fakes.kubernetes.conductor import Cluster, Conductor
from tests.fakes.kubernetes.kubeflow import Kubeflow
from tests.fakes.kubernetes.objects import Document, Refusal, merged

OPERATORS: Mapping[str, tuple[str, type[Conductor]]] = {
    "sparkoperator.k8s.io/v1beta2": ("kubeflow", Kubeflow),
    "spark.apache.org/v1": ("apache", Apache),
}
KINDS: Mapping[tuple[str, str], str] = {
    **{(group, "sparkapplications"): "SparkApplication" for group in OPERATORS},
    ("v1", "pods"): "Pod",
    ("v1", "events"): "Event",
    ("v1", "serviceaccounts"): "ServiceAccount",
    ("rbac.authorization.k8s.io/v1", "roles"): "Role",
    ("rbac.authorization.k8s.io/v1", "rolebindings"): "RoleBinding",
    ("networking.k8s.io/v1", "networkpolicies"): "NetworkPolicy",
    ("policy/v1", "poddisruptionbudgets"): "PodDisruptionBudget",
    (secrets_store.VERSION, "secretproviderclasses"): secrets_store.KIND,
}
GROUP = re.compile(r"/apis/(?P<group>[^/]+/[^/]+)")
RESOURCE = re.compile(
    r"(/api/(?P<core>v1)|/apis/(?P<group>[^/]+/[^/]+))/namespaces/(?P<namespace>[^/]+)/(?P<resource>[a-z]+)"
    r"(/(?P<name>[^/]+)(?P<log>/log)?)?"
)
Answer = tuple[int, Document | str]


class KubernetesApi:
    """Thread-safe."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self._conductors: dict[str, Conductor] = {}
        self._started: list[Conductor] = []
        """All: one whose object is gone may still end its driver, while another one has its name."""

    def answer(self, method: str, path: str, query: str, body: bytes, *, content: str = "", token: str = "") -> Answer:
        """Status and document, or the text of a log. `path` is without its percent signs."""
        parameters = {name: found[-1] for name, found in parse_qs(query).items()}
        try:
            with self.cluster.changed:
                return self._answer(Asked(method, path, parameters, body, content), self._user(token))
        except Refusal as refusal:
            return refusal.code, refusal.document

    def given(self, document: Mapping[str, Any]) -> None:
        """Images that were pushed, roles that were associated with service accounts, namespaces with the level of Pod Security
        that they enforce, config maps as folders, and users by their tokens, with their groups, of which system:masters may do
        everything."""
        with self.cluster.changed:
            if self.cluster.contained is not None:
                maps = document.get("config_maps", {}).items()
                self.cluster.contained.config_maps.update({name: Path(folder) for name, folder in maps})
            self.cluster.images |= {name: Path(folder) for name, folder in document.get("images", {}).items()}
            self.cluster.roles |= document.get("roles", {})
            self.cluster.namespaces |= document.get("namespaces", {})
            users = document.get("users", {}).items()
            self.cluster.users |= {token: _user(token, groups) for token, groups in users}

    def stop(self) -> None:
        """Ends everything at once."""
        with self.cluster.changed:
            self.cluster.is_stopped = True
            self.cluster.changed.notify_all()
        for conductor in self._started:
            conductor.kill()

    def _user(self, token: str) -> User:
        if token not in self.cluster.users:
            raise Refusal(401, "Unauthorized", "Unauthorized")
        return self.cluster.users[token]

    def _answer(self, asked: Asked, user: User) -> Answer:
        found = RESOURCE.fullmatch(asked.path)
        if found is None and (group := GROUP.fullmatch(asked.path)) and group["group"] in OPERATORS:
            return 200, {"kind": "APIResourceList", "groupVersion": group["group"], "resources": []}
        if found is None or ((found["core"] or found["group"]), found["resource"]) not in KINDS:
            raise Refusal(404, "NotFound", "the server could not find the requested resource")
        version, namespace = found["core"] or found["group"], found["namespace"]
        resource = found["resource"] + ("/log" if found["log"] else "")
        api_group = "" if found["core"] else version.partition("/")[0]
        for verb in asked.verbs(is_named=found["name"] is not None, is_there=self._is_there(asked)):
            authorize(self.cluster.objects, user, (api_group, resource, verb), namespace)
        if namespace not in self.cluster.namespaces:
            raise Refusal(404, "NotFound", f'namespaces "{namespace}" not found')
        if found["log"]:
            return self._log(asked)
        if found["name"] is None:
            return self._all(asked, user, version, namespace)
        return self._one(asked, user, version, namespace)

    def _is_there(self, asked: Asked) -> bool:
        return self.cluster.objects.find(asked.path) is not None

    def _log(self, asked: Asked) -> Answer:
        pod = asked.path.removesuffix("/log")
        self.cluster.objects.get(pod)
        running = self.cluster.running.get(pod)
        return 200, running.log() if running else ""

    def _all(self, asked: Asked, user: User, version: str, namespace: str) -> Answer:
        kind = KINDS[version, asked.path.rpartition("/")[2]]
        if asked.method == "GET":
            found = [
                each for each in self.cluster.objects.below(asked.path, asked.selected()) if asked.has_fields(each)
            ]
            return 200, {"kind": f"{kind}List", "apiVersion": version, "items": found}
        if asked.method != "POST" or kind == "Event" or (kind == "Pod" and not asked.is_dry):
            raise asked.not_served()
        return 201, self._made(asked, user, version, asked.path, namespace)

    def _one(self, asked: Asked, user: User, version: str, namespace: str) -> Answer:
        if asked.method == "PATCH" and asked.content == APPLY_PATCH and version not in OPERATORS:
            return self._applied(asked, user, version, namespace)
        found = self.cluster.objects.get(asked.path)
        if asked.method == "GET":
            return 200, found
        if asked.method == "DELETE" and KINDS[version, asked.path.split("/")[-2]] not in ("Pod", "SparkApplication"):
            self.cluster.objects.remove(asked.path)
            return 200, found
        conductor = self._conductors.get(asked.path)
        if conductor is not None and asked.method == "PATCH":
            patched = merged(found, asked.document())
            self._judge(version, {name: patched[name] for name in patched if name != "status"}, namespace)
            conductor.document["spec"] = patched["spec"]
            self.cluster.objects.touch(conductor.document)
            conductor.patched(found)
            return 200, self.cluster.objects.get(asked.path)
        if conductor is not None and asked.method == "DELETE":
            options = asked.document() if asked.body else {}
            conductor.delete(is_foreground=options.get("propagationPolicy") == "Foreground")
            return 200, found
        raise asked.not_served()

    def _applied(self, asked: Asked, user: User, version: str, namespace: str) -> Answer:
        document, manager = asked.document(), asked.query.get("fieldManager", "")
        if not manager:
            raise Refusal(400, "BadRequest", "fieldManager is required for apply patch")
        if not self._is_there(asked):
            made = self._made(asked, user, version, asked.path.rpartition("/")[0], namespace)
            self.cluster.objects.own(asked.path, manager, document)
            return 201, made
        self._judge(version, document, namespace)
        refuse_escalation(self.cluster.objects, user, document, namespace)
        return 200, self.cluster.objects.apply(asked.path, manager, document)

    def _made(self, asked: Asked, user: User, version: str, folder: str, namespace: str) -> Document:
        document = asked.document()
        self._judge(version, document, namespace)
        refuse_escalation(self.cluster.objects, user, document, namespace)
        document["metadata"].setdefault("namespace", namespace)
        place = f"{folder}/{document['metadata']['name']}"
        if asked.is_dry:
            self.cluster.objects.refuse_if_there(place)
            return document
        made = self.cluster.objects.create(place, document)
        if version in OPERATORS:
            self._conductors[place] = OPERATORS[version][1](self.cluster, place, made)
            self._started.append(self._conductors[place])
        return copy.deepcopy(made)

    def _judge(self, version: str, document: Document, namespace: str) -> None:
        if version in OPERATORS:
            admission.check(OPERATORS[version][0], document, namespace)
        elif document.get("kind") == "Pod":
            admission.check_pod(document["metadata"]["name"], document["spec"], self.cluster.namespaces[namespace])
        else:
            admission.check_kind(document, version, set(KINDS.values()), namespace)


def _user(token: str, groups: list[str]) -> User:
    return User(f"user-of-{token}", groups, is_admin="system:masters" in groups)
