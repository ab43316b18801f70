"""Environments whose stack made their KMS key, as earlier releases did: the key goes out of the state, and stays as it is."""

from collections.abc import Iterator, Mapping
from typing import Any

KEY_COMPONENT = "firnline:index:EncryptionKey"
NAME = "key"
State = Mapping[str, Any]


def holds_former_key(state: State) -> bool:
    return bool(_urns(state))


def without_former_key(state: State) -> dict[str, Any]:
    """Nothing that depended on it depends on it any more; it is in no list of what is to be deleted."""
    gone = _urns(state)
    kept = [_without(each, gone) for each in _resources(state) if each["urn"] not in gone]
    return {**state, "deployment": {**state["deployment"], "resources": kept}}


def _urns(state: State) -> frozenset[str]:
    """Of the component that the program had, and of what is in it; not of a component that somebody made himself."""
    component = [
        each["urn"]
        for each in _resources(state)
        if each["type"] == KEY_COMPONENT and each["urn"].rpartition("::")[2] == NAME
    ]
    children = [each["urn"] for each in _resources(state) if each.get("parent") in component]
    return frozenset([*component, *children])


def _resources(state: State) -> Iterator[dict[str, Any]]:
    yield from state.get("deployment", {}).get("resources") or ()


def _without(resource: dict[str, Any], gone: frozenset[str]) -> dict[str, Any]:
    changed = dict(resource)
    if "dependencies" in resource:
        changed["dependencies"] = [urn for urn in resource["dependencies"] or () if urn not in gone]
    if "propertyDependencies" in resource:
        changed["propertyDependencies"] = {
            name: [urn for urn in urns or () if urn not in gone]
            for name, urns in (resource["propertyDependencies"] or {}).items()
        }
    return changed
