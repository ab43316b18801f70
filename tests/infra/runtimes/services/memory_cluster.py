"""A Kubernetes API in memory: objects by path, pods by label, and answers as the API's reference has them."""

from collections.abc import Mapping
from typing import Any

from firnline_infra.runtimes.errors import RuntimeRefused


class MemoryCluster:
    """Implements KubernetesApi."""

    def __init__(self) -> None:
        self.objects: dict[str, dict[str, Any]] = {}
        self.logs: dict[str, str] = {}
        self.calls: list[tuple[str, str]] = []
        self.refusal: str = ""
        """What admission says to every object."""
        self._uids = 0

    def get(self, path: str, **query: str) -> dict[str, Any] | None:
        self.calls.append(("GET", path))
        if "labelSelector" not in query:
            return self.objects.get(path)
        wanted = dict(each.split("=") for each in query["labelSelector"].split(","))
        below = [each for name, each in self.objects.items() if name.startswith(f"{path}/")]
        return {"items": [each for each in below if wanted.items() <= each["metadata"]["labels"].items()]}

    def create(self, path: str, document: Mapping[str, Any]) -> bool:
        path, _, query = path.partition("?")
        self.calls.append(("POST", path))
        if self.refusal:
            raise RuntimeRefused("POST", path, self.refusal)
        name = f"{path}/{document['metadata']['name']}"
        if name in self.objects:
            return False
        if "dryRun=All" not in query:
            self._uids += 1
            metadata = {
                **document["metadata"],
                "uid": f"uid-{self._uids}",
                "creationTimestamp": f"2026-11-22T11:00:{self._uids:02}Z",
            }
            self.objects[name] = {**document, "metadata": metadata}
        return True

    def merge(self, path: str, document: Mapping[str, Any]) -> bool:
        self.calls.append(("PATCH", path))
        found = self.objects.get(path)
        if found is None:
            return False
        for part, fields in document.items():
            found[part] = {**found.get(part, {}), **fields}
        return True

    def apply(self, path: str, document: Mapping[str, Any], *, manager: str = "") -> None:
        self.calls.append(("APPLY", path))
        self.objects[path] = dict(document)

    def delete(self, path: str) -> None:
        self.calls.append(("DELETE", path))
        self.objects.pop(path, None)

    def text(self, path: str) -> str:
        return self.logs.get(path, "")

    def add_pod(self, namespace: str, name: str, labels: Mapping[str, str], *, phase: str, **status: Any) -> None:
        path = f"/api/v1/namespaces/{namespace}/pods/{name}"
        metadata = {"name": name, "labels": dict(labels)}
        self.objects[path] = {"metadata": metadata, "status": {"phase": phase, **status}}

    def end_pods(self, label: str, value: str, *, phase: str = "Succeeded") -> None:
        for found in self.objects.values():
            if found["metadata"].get("labels", {}).get(label) == value and "phase" in found.get("status", {}):
                found["status"]["phase"] = phase

    def remove_pods(self) -> None:
        self.objects = {path: each for path, each in self.objects.items() if "/pods/" not in path}
