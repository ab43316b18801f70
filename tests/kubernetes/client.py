"""The product's client, with what an operator, a kubelet and a test ask beside it."""

import json
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from http.client import HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from firnline_infra.runtimes.errors import RuntimeRefused
from firnline_infra.runtimes.kubernetes_api import CONFLICT, MERGE_PATCH, NOT_FOUND, HttpKubernetesApi

Document = dict[str, Any]
REVIEW = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview"}
REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
INVALID = 422
HANGS_S, LOOK_EVERY_S = 20.0, 0.01
Right = tuple[str, str, str]
"""An API group, a resource (with its subresource) and a verb."""


class ClusterClient(HttpKubernetesApi):
    """Raises as HttpKubernetesApi."""

    def post(self, path: str, document: Mapping[str, Any]) -> Document:
        """Returns what the API server answers to a creation."""
        response = self._checked("POST", path, self._request("POST", path, document, "application/json"))
        found: Document = json.loads(response.data)
        return found

    def merge_own(self, path: str, uid: str, document: Mapping[str, Any]) -> bool:
        """Changes the object that has the uid; False where there is none, or another one has its name."""
        metadata = {**document.get("metadata", {}), "uid": uid}
        asked = f"{path}?fieldValidation=Strict"
        response = self._request("PATCH", asked, {**document, "metadata": metadata}, MERGE_PATCH)
        is_other = b"metadata.uid" in response.data  # of a custom resource a 422: the uid can't be changed
        if response.status in (NOT_FOUND, CONFLICT) or (response.status == INVALID and is_other):
            return False
        self._checked("PATCH", path, response)
        return True

    def keep_own(self, path: str, uid: str, finalizer: str) -> bool:
        """Gives the object that has the uid a finalizer; False where it is gone, or being deleted: then it takes none."""
        try:
            return self.merge_own(path, uid, {"metadata": {"finalizers": [finalizer]}})
        except RuntimeRefused:
            found = self.get(path)
            if found is None or found["metadata"]["uid"] != uid or "deletionTimestamp" in found["metadata"]:
                return False
            raise

    def delete_own(self, path: str, uid: str, *, grace_s: int | None = None) -> None:
        """Deletes the object that has the uid, with its own grace where none is given."""
        options: Document = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": uid}}
        options |= {} if grace_s is None else {"gracePeriodSeconds": grace_s}
        response = self._request("DELETE", path, options, "application/json")
        if response.status not in (NOT_FOUND, CONFLICT):
            self._checked("DELETE", path, response)

    def items(self, path: str, **query: str) -> list[Document]:
        """Returns the items of a list, in the order of their names."""
        return list((self.get(path, **query) or {"items": ()})["items"])

    def rights(self, namespace: str) -> set[Right]:
        """This user's, as roles and bindings say them, without what a wildcard comes to."""
        found = self.post(REVIEWS, {**REVIEW, "spec": {"namespace": namespace}})["status"]["resourceRules"]
        return set(rights_in({"rules": found}))

    def until_has(self, namespace: str, rights: Iterable[Right]) -> None:
        """Returns once the API server knows of roles and bindings that were changed: it learns of them by a watch of its own."""
        wanted = set(rights)
        until(lambda: wanted <= self.rights(namespace))

    def until_lacks(self, namespace: str, right: Right) -> None:
        until(lambda: right not in self.rights(namespace))

    def watch(self, path: str) -> "Watch":
        return Watch(self, path)


class Watch:
    """Events of the objects of a folder: first those that are there, as ADDED; then each change, until it is closed."""

    def __init__(self, client: ClusterClient, path: str) -> None:
        access = client.enter()
        place = urlsplit(access.server)
        self._connection = HTTPSConnection(
            str(place.hostname), place.port, context=access.tls()["ssl_context"], timeout=HANGS_S
        )
        self._connection.request("GET", f"{path}?watch=true", headers=access.headers())
        self._socket = self._connection.sock
        self._socket.settimeout(None)
        self._response = self._connection.getresponse()
        assert self._response.status == 200, self._response.read()

    def __iter__(self) -> Iterator[tuple[str, Document]]:
        try:
            with suppress(OSError, ValueError, HTTPException):  # closed here, or the server has ended
                while line := self._response.readline():
                    event = json.loads(line)
                    yield event["type"], event["object"]
        finally:
            self._response.close()
            self._connection.close()
            self._socket.close()

    def close(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)


def rights_in(role: Mapping[str, Any]) -> Iterator[Right]:
    for rule in role["rules"]:
        groups, resources = rule.get("apiGroups", ()), rule.get("resources", ())
        yield from ((g, r, v) for g in groups for r in resources for v in rule["verbs"])


def until(condition: Callable[[], Any], *, within_s: float = HANGS_S) -> None:
    """Looks again and again: the API server has nothing that tells of a condition."""
    pause = threading.Event()
    for _ in range(int(within_s / LOOK_EVERY_S)):
        if condition():
            return
        pause.wait(LOOK_EVERY_S)
    raise AssertionError(condition)
