"""The part of the Kubernetes API that a roll-out needs, over HTTPS.

A cluster is found in a kubeconfig, as kubectl does it (Kubernetes, "Organizing Cluster Access Using kubeconfig Files"): tokens,
client certificates, and commands that give either, which is how the clouds' clusters are entered.
"""

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlencode

import urllib3

from firnline_infra.runtimes.errors import REPORT_REQUEST, RuntimeRefused, RuntimeUnavailable
from firnline_infra.runtimes.kubeconfig import Access

TIMEOUT = urllib3.Timeout(connect=5, read=30)
BAD_REQUEST, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, CONFLICT, INVALID, TOO_MANY, SERVER_ERROR = (
    400,
    401,
    403,
    404,
    409,
    422,
    429,
    500,
)
DELETIONS_WAITED_S = 60
"""How long what is being deleted is waited for: a `destroy` just before removes in the foreground."""
MERGE_PATCH, APPLY_PATCH = "application/merge-patch+json", "application/apply-patch+yaml"
FIELD_MANAGER = "firnline"
STRICT = {"fieldValidation": "Strict"}
"""Refuses a field that the schema does not know. Without it the API server drops such a field, and says so in a header alone
(Kubernetes, "API Concepts", Validation for unrecognized or duplicate fields)."""
UNTYPED = ("failed to create typed patch object", "failed to convert new object")
"""Begins the message of a 500 by which kube-apiserver 1.36 refuses to apply an object with a field that its schema does not have,
or that has another type there; to create it is refused by 400 or 422."""
A_RIGHT = re.compile(r'User ".*" cannot \w+ resource|attempting to grant RBAC permissions not currently held')
"""In a 403 for want of a right; admission says 403 as well: quotas, limits, Pod Security, webhooks, a namespace that ends."""
ENDING = "because it is being terminated"
BY_ADMISSION = {
    ENDING: "wait until the namespace is gone, make it again (kubectl create namespace), then run the same command.",
    "": "no right is missing: the namespace does not admit the object, for the reason that it gives. Correct it there or in the "
    "specification, with whoever administers the namespace.",
}
NEXT_STEPS = {
    BAD_REQUEST: REPORT_REQUEST,
    INVALID: REPORT_REQUEST,
    FORBIDDEN: "give the deployer that right: firnline outputs ENV --kubernetes-deployer prints the Role that it needs, for an "
    "administrator of the namespace.",
    NOT_FOUND: "create the namespace (kubectl create namespace), or correct aws.runtime.namespace and the context.",
    CONFLICT: "another one applies this object: remove the named fields there, or leave the object to it "
    "(aws.runtime.kubernetes.origin: adopt); of another environment's service account, name one of this one's own "
    "(aws.runtime.service_account).",
}


class KubernetesApi(Protocol):
    """Paths are those of the API's reference. Each call raises RuntimeRefused or RuntimeUnavailable."""

    def get(self, path: str, **query: str) -> dict[str, Any] | None:
        """The object or the list at a path; None where there is no such thing."""

    def create(self, path: str, document: Mapping[str, Any]) -> bool:
        """False where there is one of that name."""

    def merge(self, path: str, document: Mapping[str, Any]) -> bool:
        """Changes the fields that the document has; False where there is no such thing."""

    def apply(self, path: str, document: Mapping[str, Any], *, manager: str = FIELD_MANAGER) -> None:
        """Makes the object, or sets the fields that the document has (Kubernetes, "Server-Side Apply"). Refused where another
        manager applies one of them with another value."""

    def delete(self, path: str) -> None:
        """Deletes the object, what belongs to it first; does nothing if there is none."""

    def text(self, path: str) -> str:
        """A log; empty where there is no such thing."""


@dataclass(slots=True)
class HttpKubernetesApi:
    """Implements KubernetesApi. Credentials that have expired are asked for anew: those of clouds last minutes."""

    enter: Callable[[], Access]
    pause: Callable[[float], object] = time.sleep
    _access: Access = field(init=False)
    _pool: urllib3.PoolManager = field(init=False)

    def __post_init__(self) -> None:
        self._enter()

    def _enter(self) -> None:
        self._access = self.enter()
        self._pool = self._access.pool(TIMEOUT)

    def get(self, path: str, **query: str) -> dict[str, Any] | None:
        return self._call("GET", _asking(path, query), ignored=NOT_FOUND)

    def create(self, path: str, document: Mapping[str, Any]) -> bool:
        return self._call("POST", _asking(path, STRICT), document, ignored=CONFLICT) is not None

    def merge(self, path: str, document: Mapping[str, Any]) -> bool:
        asked = _asking(path, STRICT)
        return self._call("PATCH", asked, document, ignored=NOT_FOUND, content=MERGE_PATCH) is not None

    def apply(self, path: str, document: Mapping[str, Any], *, manager: str = FIELD_MANAGER) -> None:
        """An object that is being deleted takes what is applied to it and goes all the same (Kubernetes, "Finalizers"), so it is
        applied again once that one is gone. Raises RuntimeUnavailable where something keeps it.
        """
        asked = _asking(path, {"fieldManager": manager, **STRICT})
        for _ in range(DELETIONS_WAITED_S):
            answer = self._call("PATCH", asked, document, content=APPLY_PATCH) or {}
            metadata = answer.get("metadata") or {}
            if not metadata.get("deletionTimestamp"):
                return
            self.pause(1)
        kept = ", ".join(metadata.get("finalizers") or ()) or "its finalizers"
        words = f"it is being deleted since {metadata['deletionTimestamp']}, and {kept} keep it"
        raise RuntimeUnavailable(f"PATCH {path}", f"the cluster at {self._access.server}", words)

    def delete(self, path: str) -> None:
        options = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Foreground"}
        self._call("DELETE", path, options, ignored=NOT_FOUND)

    def text(self, path: str) -> str:
        response = self._request("GET", path, None, "application/json")
        return (
            "" if response.status == NOT_FOUND else self._checked("GET", path, response).data.decode(errors="replace")
        )

    def _call(
        self,
        method: str,
        path: str,
        document: Mapping[str, Any] | None = None,
        *,
        ignored: int | None = None,
        content: str = "application/json",
    ) -> dict[str, Any] | None:
        response = self._request(method, path, document, content)
        if response.status == ignored:
            return None
        answer: dict[str, Any] = json.loads(self._checked(method, path, response).data)
        return answer

    def _request(
        self, method: str, path: str, document: Mapping[str, Any] | None, content: str
    ) -> urllib3.BaseHTTPResponse:
        body = None if document is None else json.dumps(document).encode()
        response = self._sent(method, path, body, content)
        if response.status == UNAUTHORIZED:
            self._enter()
            response = self._sent(method, path, body, content)
        return response

    def _sent(self, method: str, path: str, body: bytes | None, content: str) -> urllib3.BaseHTTPResponse:
        headers = {"Accept": "application/json", "Content-Type": content, **self._access.headers()}
        try:
            return self._pool.request(method, self._access.server + path, body=body, headers=headers)
        except urllib3.exceptions.HTTPError as error:
            raise RuntimeUnavailable(f"{method} {path}", f"the cluster at {self._access.server}", str(error)) from error

    def _checked(self, method: str, path: str, response: urllib3.BaseHTTPResponse) -> urllib3.BaseHTTPResponse:
        if response.status < 400:
            return response
        action, on = f"{method} {path}", f"the cluster at {self._access.server}"
        message = _message(response.data)
        words = f"{response.status}: {message}"
        is_untyped = response.status == SERVER_ERROR and message.startswith(UNTYPED)
        if not is_untyped and (response.status == TOO_MANY or response.status >= SERVER_ERROR):
            raise RuntimeUnavailable(action, on, words)
        status = BAD_REQUEST if is_untyped else response.status
        next_step = NEXT_STEPS.get(status, "fix the reported error, and run the same command again.")
        if status == FORBIDDEN and A_RIGHT.search(message) is None:
            next_step = BY_ADMISSION[ENDING if ENDING in message else ""]
        refused = RuntimeRefused(action, on, words, next_step=next_step)
        refused.is_unauthorized = response.status == UNAUTHORIZED
        raise refused


def _asking(path: str, query: Mapping[str, str]) -> str:
    """The path, which may have a query already, with more of it."""
    return f"{path}{'&' if '?' in path else '?'}{urlencode(query)}" if query else path


def _message(body: bytes) -> str:
    """The text of a Status object, with which the API answers errors."""
    try:
        found = json.loads(body)
    except ValueError:
        return body[:200].decode(errors="replace")
    return str(found.get("message", found)) if isinstance(found, dict) else str(found)


ENDED = ("Succeeded", "Failed")
"""Phases in which no container runs, nor will again (Kubernetes, "Pod Lifecycle"). A pod that terminates keeps its phase until
its containers are gone; one of a node that is out of reach stays Running, and may be."""


@dataclass(frozen=True, slots=True)
class Pods:
    """The pods of an engine: they are gone when no container of theirs can run any more."""

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
