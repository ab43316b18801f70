"""One request to the API, as far as it can be read without knowing what there is."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.fakes.kubernetes.objects import Document, Refusal

APPLY_PATCH = "application/apply-patch+yaml"
EVENT_FIELDS = {
    "involvedObject.kind",
    "involvedObject.name",
    "involvedObject.namespace",
    "involvedObject.uid",
    "reason",
    "type",
}
"""Of those that the API server selects events by (pkg/apis/core/v1/conversion.go)."""
VERBS = {"POST": "create", "PATCH": "patch", "DELETE": "delete"}


@dataclass(frozen=True, slots=True)
class Asked:
    method: str
    path: str
    query: Mapping[str, str]
    body: bytes
    content: str = ""

    @property
    def is_dry(self) -> bool:
        return self.query.get("dryRun") == "All"

    def verbs(self, *, is_named: bool, is_there: bool) -> list[str]:
        """Those that the call needs (Kubernetes, "Authorization Overview"); an apply that makes something is both."""
        if self.method == "GET":
            return ["get" if is_named else "list"]
        is_made = self.method == "PATCH" and self.content == APPLY_PATCH and not is_there
        return [VERBS.get(self.method, self.method.lower()), *(["create"] if is_made else [])]

    def document(self) -> Document:
        """Raises Refusal."""
        try:
            found = json.loads(self.body)
        except ValueError as error:
            raise Refusal(400, "BadRequest", f"the body is no JSON: {error}") from error
        if not isinstance(found, dict):
            raise Refusal(400, "BadRequest", "the body is no object")
        return found

    def selected(self) -> dict[str, str]:
        """Equality alone: `a=b,c=d`. Raises Refusal for another selector."""
        return self._equal("labelSelector")

    def has_fields(self, document: Document) -> bool:
        """Whether the object is one that the field selector asks for. Raises Refusal for a field that none can ask by."""
        wanted = self._equal("fieldSelector")
        if unknown := wanted.keys() - (EVENT_FIELDS if self.path.endswith("/events") else set()):
            raise Refusal(400, "BadRequest", f"field label not supported: {min(unknown)}")
        return all(_field(document, name) == value for name, value in wanted.items())

    def _equal(self, parameter: str) -> dict[str, str]:
        selector = self.query.get(parameter, "")
        parts = [each.partition("=") for each in selector.split(",") if each]
        if any(not sign or name.endswith("!") or " " in name for name, sign, _ in parts):
            raise Refusal(400, "BadRequest", f"{parameter} {selector!r} is not understood here")
        return {name: value.removeprefix("=") for name, _, value in parts}

    def not_served(self) -> Refusal:
        return Refusal(405, "MethodNotAllowed", f"{self.method} {self.path} is not in the embedded Kubernetes")


def _field(document: Document, name: str) -> Any:
    found: Any = document
    for part in name.split("."):
        found = found.get(part, {})
    return found
