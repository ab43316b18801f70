"""The operations that a state says were begun and not ended, and whether what exists is what a create was making.

The state is read as the deployment schema, version 3, has it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from firnline_infra.pulumi_cli.resource import STACK, ImportedResource, Urn

Properties = Mapping[str, Any]


@dataclass(frozen=True)
class PendingCreate:
    urn: Urn
    inputs: Properties
    parent: Urn | None
    provider: Urn | None

    def imported_as(self, import_id: str) -> ImportedResource:
        return ImportedResource(urn=self.urn, import_id=import_id, parent=self.parent, provider=self.provider)


def pending_creates(state: Mapping[str, Any]) -> tuple[PendingCreate, ...]:
    return tuple(
        pending_create(operation["resource"]) for operation in _operations(state) if operation["type"] == "creating"
    )


def has_pending(state: Mapping[str, Any]) -> bool:
    return bool(_operations(state))


def outputs_of(state: Mapping[str, Any], urn: Urn) -> Properties | None:
    """The inputs and outputs of a resource in the state; None if it is not there, or is about to be deleted."""
    for resource in state["deployment"].get("resources") or ():
        if resource["urn"] == urn.text and not resource.get("delete"):
            found: Properties = {**resource.get("inputs", {}), **resource.get("outputs", {})}
            return found
    return None


def ids_of(state: Mapping[str, Any], type_: str) -> frozenset[str]:
    """The ids of the state's resources of that type."""
    resources = state["deployment"].get("resources") or ()
    return frozenset(resource["id"] for resource in resources if resource["type"] == type_ and resource.get("id"))


def _operations(state: Mapping[str, Any]) -> list[dict[str, Any]]:
    return state["deployment"].get("pending_operations") or []


def pending_create(resource: Mapping[str, Any]) -> PendingCreate:
    """Reads a resource as a state or a plan has it."""
    parent = Urn(resource["parent"]) if resource.get("parent") else None
    return PendingCreate(
        urn=Urn(resource["urn"]),
        inputs=resource.get("inputs", {}),
        parent=None if parent is None or parent.type == STACK else parent,
        provider=Urn.of_provider(resource["provider"]) if resource.get("provider") else None,
    )


def why_foreign(wanted: Properties, found: Properties) -> str | None:
    """Returns why the object that exists is not the one that the create was making, or None if it is.

    It is, if it carries the tags or the comment of the create. An object that can carry neither (an alias, a policy's
    attachment) has to equal what would have been made. `wanted` are the create's inputs, `found` the object's properties.
    """
    if tags := wanted.get("tags"):
        carried = found.get("tagsAll") or found.get("tags") or {}
        missing = [f"{key}={value}" for key, value in sorted(tags.items()) if carried.get(key) != value]
        return f"it lacks the tag {', '.join(missing)}" if missing else None
    if comment := wanted.get("comment"):
        has = found.get("comment") or ""
        return None if has == comment else f"its comment is {has!r}, and not {comment!r}"
    for name, value in sorted(wanted.items()):
        if not name.startswith("__") and not _same(value, found.get(name)):
            return f"its {name} is {found.get(name)!r}, and not {value!r}"
    return None


def _same(wanted: Any, found: Any) -> bool:
    """JSON in strings is compared as JSON, an ARN also by its id, a Snowflake name with or without its quotes; absent and
    empty are equal.
    """
    if wanted == found or (not wanted and not found):
        return True
    if isinstance(wanted, str) and isinstance(found, str):
        if wanted.startswith("arn:") and wanted.rpartition("/")[2] == found:
            return True
        if wanted.replace('"', "") == found.replace('"', ""):
            return True
        try:
            return bool(json.loads(wanted) == json.loads(found))
        except ValueError:
            return False
    return False
