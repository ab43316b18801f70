"""The garbage collector's part of a deletion in the foreground: the object goes once nothing is left that belongs to it.

A controller of Kubernetes' own does that in a cluster (Kubernetes, "Garbage Collection"). Nothing belongs to the objects of these
kinds, so each goes at once; applications of the operators are left to these.
"""

import threading
from typing import Self

from firnline_infra.runtimes.errors import RuntimeUnavailable
from tests.kubernetes.client import ClusterClient, Document, Watch

FOREGROUND = "foregroundDeletion"
KINDS = (
    ("/api/v1", "serviceaccounts"),
    ("/apis/rbac.authorization.k8s.io/v1", "roles"),
    ("/apis/rbac.authorization.k8s.io/v1", "rolebindings"),
    ("/apis/networking.k8s.io/v1", "networkpolicies"),
    ("/apis/policy/v1", "poddisruptionbudgets"),
    ("/apis/secrets-store.csi.x-k8s.io/v1", "secretproviderclasses"),
)
ENDS_S, AGAIN_S = 10.0, 0.2


class Collector:
    """Works while the `with` block lasts."""

    def __init__(self, api: ClusterClient) -> None:
        self._api = api
        self._watches: list[tuple[Watch, threading.Thread]] = []
        self._over = threading.Event()

    def __enter__(self) -> Self:
        for root, kind in KINDS:
            watch = self._api.watch(f"{root}/{kind}")
            arguments = (watch, root, kind)
            thread = threading.Thread(target=self._follow, args=arguments, name=f"collector-{kind}", daemon=True)
            self._watches.append((watch, thread))
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for watch, thread in self._watches:
            watch.close()
            thread.join(ENDS_S)

    def _follow(self, watch: Watch, root: str, kind: str) -> None:
        for happened, document in watch:
            if happened != "DELETED":
                self._collect(document, root, kind)

    def _collect(self, document: Document, root: str, kind: str) -> None:
        metadata = document["metadata"]
        kept = metadata.get("finalizers", [])
        if "deletionTimestamp" in metadata and FOREGROUND in kept:
            path = f"{root}/namespaces/{metadata['namespace']}/{kind}/{metadata['name']}"
            left = [each for each in kept if each != FOREGROUND]
            while not self._tried(path, metadata["uid"], left) and not self._over.wait(AGAIN_S):
                pass  # as controllers do: an API server that is busy resets connections

    def _tried(self, path: str, uid: str, finalizers: list[str]) -> bool:
        try:
            self._api.merge_own(path, uid, {"metadata": {"finalizers": finalizers}})
        except RuntimeUnavailable:
            return False
        return True
