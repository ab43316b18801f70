"""What an API server keeps: objects by their paths, each with a uid; and what it answers where it refuses."""

import copy
from collections.abc import Iterator, Mapping
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
    _applied: dict[tuple[str, str], Document] = field(default_factory=dict)
    """By path and field manager: the document that each has applied last."""

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

    def own(self, path: str, manager: str, document: Mapping[str, Any]) -> None:
        """The manager's fields are those of the document now."""
        self._applied[path, manager] = copy.deepcopy(dict(document))

    def apply(self, path: str, manager: str, document: Document) -> Document:
        """Sets the fields, and removes those that the same manager had and leaves out; a copy. Raises Refusal where another one
        has a field with another value (Kubernetes, "Server-Side Apply", Conflicts)."""
        for (where, other), theirs in self._applied.items():
            if where == path and other != manager and (fields := list(_differing(theirs, document))):
                message = f'Apply failed with 1 conflict: conflict with "{other}": {", ".join(fields)}'
                raise Refusal(409, "Conflict", message)
        found, before = self._by_path[path], self._applied.get((path, manager), {})
        now = merged(merged(found, _removed(before, document)), document)
        is_other = {**now, "metadata": None} != {**found, "metadata": None} or now["metadata"] != found["metadata"]
        found.clear()
        found |= now
        if is_other:
            self.touch(found)
        self.own(path, manager, document)
        return copy.deepcopy(found)

    def remove(self, path: str) -> None:
        self._by_path.pop(path, None)
        self._applied = {owned: found for owned, found in self._applied.items() if owned[0] != path}


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


def _differing(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """The paths of fields that both have, with other values."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for name in one.keys() & other.keys():
            yield from _differing(one[name], other[name], f"{path}.{name}")
    elif one != other:
        yield path


def _removed(before: Any, now: Any) -> dict[str, Any]:
    """As a merge patch: null for each field that was there, and is not."""
    found: dict[str, Any] = {}
    for name, value in before.items():
        if name not in now:
            found[name] = None
        elif isinstance(value, Mapping) and isinstance(now[name], Mapping):
            found[name] = _removed(value, now[name])
    return found
