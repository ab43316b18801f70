"""Both operators, as controllers of the API server: each watches the applications of the namespaces that it was given.

It finds what happened in the order in which it happened, and has a conductor for each object.
"""

import threading
from collections.abc import Mapping

from tests.fakes.kubernetes.apache import Apache
from tests.fakes.kubernetes.conductor import Cluster, Conductor
from tests.fakes.kubernetes.kubeflow import Kubeflow
from tests.kubernetes.client import Document, Watch

OPERATORS: Mapping[str, type[Conductor]] = {
    "sparkoperator.k8s.io/v1beta2": Kubeflow,
    "spark.apache.org/v1": Apache,
}
ENDS_S = 20.0


class Operators:
    """Thread-safe."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self._conductors: dict[str, Conductor] = {}
        """By the uids of their objects: one whose object is gone may still end its driver, while another one has its name."""
        self._watches: dict[str, tuple[Watch, threading.Thread]] = {}

    def look_after(self, namespace: str) -> None:
        """Carries what is in the namespace already, and what comes."""
        for group, operator in OPERATORS.items():
            folder = f"/apis/{group}/namespaces/{namespace}/sparkapplications"
            with self.cluster.changed:
                if folder in self._watches:
                    continue
                watch = self.cluster.api.watch(folder)
                thread = threading.Thread(
                    target=self._follow, args=(watch, folder, operator), name=f"watch-{folder}", daemon=True
                )
                self._watches[folder] = watch, thread
                thread.start()

    def stop(self) -> None:
        """Ends everything at once; nothing of it runs afterwards."""
        with self.cluster.changed:
            self.cluster.is_stopped = True
            conductors, watches = list(self._conductors.values()), list(self._watches.values())
            self.cluster.changed.notify_all()
        for watch, thread in watches:
            watch.close()
            thread.join(ENDS_S)
        for conductor in conductors:
            conductor.kill()
            conductor.thread.join(ENDS_S)

    def _follow(self, watch: Watch, folder: str, operator: type[Conductor]) -> None:
        for kind, document in watch:
            with self.cluster.changed:
                self._see(kind, document, folder, operator)

    def _see(self, kind: str, document: Document, folder: str, operator: type[Conductor]) -> None:
        uid = document["metadata"]["uid"]
        conductor = self._conductors.get(uid)
        if conductor is None and kind != "DELETED":
            path = f"{folder}/{document['metadata']['name']}"
            self._conductors[uid] = operator(self.cluster, path, document)
        elif conductor is not None and kind == "DELETED" and not conductor.is_deleted:
            conductor.delete()
        elif conductor is not None:
            conductor.see(document)
