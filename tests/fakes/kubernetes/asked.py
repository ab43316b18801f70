"""One request to the API, as far as it can be read without knowing what there is."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tests.fakes.kubernetes.objects import Document, Refusal

APPLY_PATCH = "application/apply-patch+yaml"
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
        selector = self.query.get("labelSelector", "")
        parts = [each.partition("=") for each in selector.split(",") if each]
        if any(not sign or name.endswith("!") or " " in name for name, sign, _ in parts):
            raise Refusal(400, "BadRequest", f"labelSelector {selector!r} is not understood here")
        return {name: value.removeprefix("=") for name, _, value in parts}

    def not_served(self) -> Refusal:
        return Refusal(405, "MethodNotAllowed", f"{self.method} {self.path} is not in the embedded Kubernetes")
