"""The operations that a state says were begun and not ended (deployment schema, version 3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from firnline_infra.pulumi_cli.imports import ImportedResource
from firnline_infra.pulumi_cli.urn import STACK, Urn

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
        _pending_create(operation["resource"]) for operation in _operations(state) if operation["type"] == "creating"
    )


def has_pending(state: Mapping[str, Any]) -> bool:
    return bool(_operations(state))


def outputs_of(state: Mapping[str, Any], urn: Urn) -> Properties | None:
    """What the state knows of a resource; None where it does not have it, or only to delete it."""
    for resource in state["deployment"].get("resources") or ():
        if resource["urn"] == urn.text and not resource.get("delete"):
            found: Properties = {**resource.get("inputs", {}), **resource.get("outputs", {})}
            return found
    return None


def ids_of(state: Mapping[str, Any], type_: str) -> frozenset[str]:
    """Of the resources of that type that the state has."""
    resources = state["deployment"].get("resources") or ()
    return frozenset(resource["id"] for resource in resources if resource["type"] == type_ and resource.get("id"))


def _operations(state: Mapping[str, Any]) -> list[dict[str, Any]]:
    return state["deployment"].get("pending_operations") or []


def _pending_create(resource: Mapping[str, Any]) -> PendingCreate:
    parent = Urn(resource["parent"]) if resource.get("parent") else None
    return PendingCreate(
        urn=Urn(resource["urn"]),
        inputs=resource.get("inputs", {}),
        parent=None if parent is None or parent.type == STACK else parent,
        provider=Urn.of_provider(resource["provider"]) if resource.get("provider") else None,
    )
