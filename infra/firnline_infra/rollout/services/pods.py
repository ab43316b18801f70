"""The pods of an engine in its cluster: they are gone when no container of theirs can run any more."""

from dataclasses import dataclass
from typing import Any

from firnline_infra.rollout.services.kubernetes_api import KubernetesApi

ENDED = ("Succeeded", "Failed")
"""Phases in which no container runs, nor will again (Kubernetes, "Pod Lifecycle"). A pod that terminates keeps its phase until
its containers are gone; one of a node that is out of reach stays Running, and may be."""


@dataclass(frozen=True, slots=True)
class Pods:
    api: KubernetesApi
    namespace: str

    def active(self, selector: str) -> list[str]:
        """The names of those with the labels that may still run."""
        return [each["metadata"]["name"] for each in self._all(selector) if each["status"].get("phase") not in ENDED]

    def any(self, selector: str) -> list[str]:
        """The names of all of them, also those that have ended."""
        return [each["metadata"]["name"] for each in self._all(selector)]

    def log(self, pod: str) -> str:
        return self.api.text(f"/api/v1/namespaces/{self.namespace}/pods/{pod}/log")

    def _all(self, selector: str) -> list[dict[str, Any]]:
        found = self.api.get(f"/api/v1/namespaces/{self.namespace}/pods", labelSelector=selector)
        return list(found["items"]) if found else []
