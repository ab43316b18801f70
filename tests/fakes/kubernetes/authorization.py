"""Who may do what: Roles and RoleBindings of a namespace (Kubernetes, "Using RBAC Authorization"), with the rule that nobody
gives a right that he does not have.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.fakes.kubernetes.objects import Objects, Refusal

RBAC = "/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}"
Right = tuple[str, str, str]
"""An API group, a resource (with its subresource) and a verb."""


@dataclass(frozen=True, slots=True)
class User:
    """Of a request. An administrator may do everything."""

    name: str
    groups: Sequence[str] = ()
    is_admin: bool = False

    def is_subject(self, subject: Mapping[str, Any]) -> bool:
        match subject["kind"]:
            case "User":
                return bool(subject["name"] == self.name)
            case "Group":
                return subject["name"] in self.groups
            case _:
                return bool(service_account(subject["namespace"], subject["name"]) == self.name)


def service_account(namespace: str, name: str) -> str:
    """As whom its pods ask the API."""
    return f"system:serviceaccount:{namespace}:{name}"


def authorize(objects: Objects, user: User, right: Right, namespace: str) -> None:
    """Raises Refusal."""
    if user.is_admin or right in set(_rights_of(objects, user, namespace)):
        return
    group, resource, verb = right
    raise Refusal(
        403,
        "Forbidden",
        f'{resource} is forbidden: User "{user.name}" cannot {verb} resource "{resource}" in API group "{group}" in the '
        f'namespace "{namespace}"',
    )


def refuse_escalation(objects: Objects, user: User, document: Mapping[str, Any], namespace: str) -> None:
    """Of a Role, or of a binding to one. Raises Refusal."""
    if user.is_admin or document["kind"] not in ("Role", "RoleBinding"):
        return
    role = document if document["kind"] == "Role" else _role(objects, document, namespace)
    lacking = set(_rights_in(role or {})) - set(_rights_of(objects, user, namespace))
    if lacking or role is None:
        name = document["metadata"]["name"]
        raise Refusal(
            403,
            "Forbidden",
            f'"{name}" is forbidden: user "{user.name}" is attempting to grant RBAC permissions not currently held: '
            f"{sorted(lacking)}",
        )


def _rights_of(objects: Objects, user: User, namespace: str) -> Iterator[Right]:
    for binding in objects.below(f"{RBAC.format(namespace=namespace)}/rolebindings", {}):
        if any(user.is_subject(subject) for subject in binding["subjects"]):
            yield from _rights_in(_role(objects, binding, namespace) or {})


def _role(objects: Objects, binding: Mapping[str, Any], namespace: str) -> Mapping[str, Any] | None:
    return objects.find(f"{RBAC.format(namespace=namespace)}/roles/{binding['roleRef']['name']}")


def _rights_in(role: Mapping[str, Any]) -> Iterator[Right]:
    for rule in role.get("rules", ()):
        yield from ((g, r, v) for g in rule["apiGroups"] for r in rule["resources"] for v in rule["verbs"])
