"""What an API server keeps: objects by their paths, each with a uid; and what it answers where it refuses."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

Document = dict[str, Any]


class Refusal(Exception):
    """A Status object with its code (Kubernetes API conventions, "Response Status Kind")."""

    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.document: Document = {
            "kind": "Status",
            "apiVersion": "v1",
            "status": "Failure",
            "reason": reason,
            "message": message,
            "code": code,
        }


def now_text() -> str:
    """As metadata has times."""
    return f"{datetime.now(UTC):%FT%TZ}"


@dataclass(slots=True)
class Objects:
    """Whoever uses it holds the cluster's lock."""

    _by_path: dict[str, Document] = field(default_factory=dict)
    _version: int = 0

    def find(self, path: str) -> Document | None:
        """The object itself: what is changed in it is changed here."""
        return self._by_path.get(path)

    def get(self, path: str) -> Document:
        """A copy. Raises Refusal."""
        found = self.find(path)
        if found is None:
            raise Refusal(404, "NotFound", f"{path.rpartition('/')[2]!r} not found")
        return copy.deepcopy(found)

    def below(self, folder: str, labels: Mapping[str, str]) -> list[Document]:
        """Copies of those with the labels, in the order of their names."""
        found = [self._by_path[path] for path in sorted(self._by_path) if path.rpartition("/")[0] == folder]
        return [copy.deepcopy(each) for each in found if labels.items() <= each["metadata"].get("labels", {}).items()]

    def create(self, path: str, document: Mapping[str, Any]) -> Document:
        """Raises Refusal where there is one of that name."""
        self.refuse_if_there(path)
        self._version += 1
        made = copy.deepcopy(dict(document))
        made["metadata"] |= {
            "uid": str(uuid4()),
            "creationTimestamp": now_text(),
            "resourceVersion": str(self._version),
        }
        self._by_path[path] = made
        return made

    def refuse_if_there(self, path: str) -> None:
        """Raises Refusal."""
        if path in self._by_path:
            raise Refusal(409, "AlreadyExists", f"{path.rpartition('/')[2]!r} already exists")

    def touch(self, document: Document) -> None:
        """After a change."""
        self._version += 1
        document["metadata"]["resourceVersion"] = str(self._version)

    def remove(self, path: str) -> None:
        self._by_path.pop(path, None)


def merged(document: Any, patch: Any) -> Any:
    """RFC 7386: null removes, an object is merged, anything else replaces."""
    if not isinstance(patch, Mapping):
        return copy.deepcopy(patch)
    found = dict(document) if isinstance(document, Mapping) else {}
    for name, value in patch.items():
        if value is None:
            found.pop(name, None)
        else:
            found[name] = merged(found.get(name), value)
    return found
