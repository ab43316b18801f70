"""The pods of an application: its driver and its executors, as whoever lists them sees them.

A pod is there until its containers are gone. Executors belong to the driver's pod, and are collected some time after it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.fakes.kubernetes.objects import Objects, now_text

FOLDER = "/api/v1/namespaces/{namespace}/pods"


@dataclass(frozen=True, slots=True)
class Pods:
    """Of one application. Whoever uses it holds the cluster's lock."""

    objects: Objects
    namespace: str
    application: str
    labels: Mapping[str, str]

    @property
    def folder(self) -> str:
        return FOLDER.format(namespace=self.namespace)

    def is_there(self, name: str) -> bool:
        return self.objects.find(f"{self.folder}/{name}") is not None

    def add(self, name: str, role: str, phase: str) -> None:
        metadata = {
            "name": name,
            "namespace": self.namespace,
            "labels": {**self.labels, "spark-role": role, "spark-app-name": self.application},
        }
        document = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {}, "status": {"phase": phase}}
        self.objects.create(f"{self.folder}/{name}", document)

    def enter(self, name: str, phase: str, **status: Any) -> None:
        found = self.objects.find(f"{self.folder}/{name}")
        if found is not None:
            found["status"] = {"phase": phase, **status}
            self.objects.touch(found)

    def wait_for(self, name: str, reason: str, message: str) -> None:
        """The pod's container waits: its image can't be pulled, for one."""
        waiting = {"name": "spark-kubernetes-driver", "state": {"waiting": {"reason": reason, "message": message}}}
        self.enter(name, "Pending", containerStatuses=[waiting])

    def warn(self, name: str, reason: str, message: str) -> None:
        """An event of the pod, in place of the one before with this reason."""
        event = f"{name}.{reason.lower()}"
        document = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": event, "namespace": self.namespace},
            "involvedObject": {"kind": "Pod", "name": name, "namespace": self.namespace},
            "type": "Warning",
            "reason": reason,
            "message": message,
            "lastTimestamp": now_text(),
        }
        path = f"{self.folder.removesuffix('pods')}events/{event}"
        if self.objects.find(path) is not None:
            self.objects.remove(path)
        self.objects.create(path, document)

    def leave(self, name: str) -> None:
        """It was deleted, and its containers have their grace."""
        found = self.objects.find(f"{self.folder}/{name}")
        if found is not None:
            found["metadata"].setdefault("deletionTimestamp", now_text())
            self.objects.touch(found)

    def remove(self, name: str) -> None:
        self.objects.remove(f"{self.folder}/{name}")

    def names(self, role: str) -> list[str]:
        wanted = {**self.labels, "spark-role": role, "spark-app-name": self.application}
        return [each["metadata"]["name"] for each in self.objects.below(self.folder, wanted)]
