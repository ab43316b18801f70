"""The pods of an application: its driver and its executors, made at the API server, which judges each.

All are bound to a node from the start, so that the API server leaves a deleted one its grace: whoever is the kubelet ends it.
Executors belong to the driver's pod, and are collected some time after it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tests.kubernetes.client import ClusterClient

FOLDER = "/api/v1/namespaces/{namespace}/pods"
NOW = "%FT%TZ"


@dataclass(slots=True)
class Pods:
    """Pods of one application. `api` is the operator's and the kubelet's."""

    api: ClusterClient
    namespace: str
    application: str
    labels: Mapping[str, str]
    node: str
    _uids: dict[str, str] = field(default_factory=dict)
    """Of those that were made here: others may have their names later."""

    @property
    def folder(self) -> str:
        return FOLDER.format(namespace=self.namespace)

    def is_there(self, name: str) -> bool:
        return self.api.get(f"{self.folder}/{name}") is not None

    def add(self, name: str, role: str, spec: Mapping[str, Any], *, by: ClusterClient | None = None) -> None:
        """Made by the operator, or by the client given. Raises RuntimeRefused."""
        metadata = {
            "name": name,
            "labels": {**self.labels, "spark-role": role, "spark-app-name": self.application},
        }
        document = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {**spec, "nodeName": self.node}}
        found = (by or self.api).post(f"{self.folder}?fieldValidation=Strict", document)
        self._uids[name] = found["metadata"]["uid"]

    def enter(self, name: str, phase: str, **status: Any) -> None:
        changed = {"status": {"phase": phase, "containerStatuses": None, **status}}
        if name in self._uids:
            self.api.merge_own(f"{self.folder}/{name}/status", self._uids[name], changed)

    def wait_for(self, name: str, container: Mapping[str, Any], reason: str, message: str) -> None:
        """The pod's container waits: its image can't be pulled, for one."""
        waiting = {
            "name": container["name"],
            "image": container["image"],
            "imageID": "",
            "ready": False,
            "restartCount": 0,
            "state": {"waiting": {"reason": reason, "message": message}},
        }
        self.enter(name, "Pending", containerStatuses=[waiting])

    def warn(self, name: str, reason: str, message: str) -> None:
        """An event of the pod, in place of the one before with this reason."""
        event = f"{name}.{reason.lower()}"
        document = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": event, "namespace": self.namespace},
            "involvedObject": {"apiVersion": "v1", "kind": "Pod", "name": name, "namespace": self.namespace},
            "type": "Warning",
            "reason": reason,
            "message": message,
            "lastTimestamp": f"{datetime.now(UTC):{NOW}}",
        }
        self.api.apply(f"{self.folder.removesuffix('pods')}events/{event}", document, manager="kubelet")

    def leave(self, name: str) -> None:
        """The pod is deleted, and its containers have their grace."""
        if name in self._uids:
            self.api.delete_own(f"{self.folder}/{name}", self._uids[name])

    def remove(self, name: str) -> None:
        """Nothing of it runs any more, if it was made here."""
        if name in self._uids:
            self.api.delete_own(f"{self.folder}/{name}", self._uids.pop(name), grace_s=0)

    def executors(self) -> list[str]:
        """The names of those that were made here."""
        return [name for name in self._uids if "-exec-" in name]
