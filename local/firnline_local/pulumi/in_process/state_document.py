"""The state of a program that was applied in this process, as `pulumi stack import` takes it: deployment schema, version 3.

With it Pulumi itself goes on where the application in this process has ended: nothing is made twice, and nothing differs.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from firnline_local.pulumi.in_process.deployment import Record
from firnline_local.pulumi.properties import decode

if TYPE_CHECKING:
    from pulumi.runtime.proto import resource_pb2

VERSION = 3
NOBODYS = {"time": "0001-01-01T00:00:00Z", "magic": "", "version": ""}
"""The manifest of a state that no CLI has written."""

BY_VARIABLES = {"role"}
"""Options of providers that the programs of commands leave to environment variables (SNOWFLAKE_ROLE)."""


class StateDocument:
    """Keeps what a program registers, in its order: whatever a resource refers to comes before it."""

    def __init__(self) -> None:
        self._resources: dict[str, dict[str, Any]] = {}

    def as_mapping(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "deployment": {"manifest": NOBODYS, "resources": list(self._resources.values()), "metadata": {}},
        }

    def keep_component(self, urn: str, request: "resource_pb2.RegisterResourceRequest") -> None:
        self._resources[urn] = _without_nothing({"urn": urn, "custom": False, **_said(request)})

    def keep_outputs(self, urn: str, outputs: Mapping[str, Any]) -> None:
        if outputs and urn in self._resources:
            self._resources[urn]["outputs"] = dict(outputs)

    def keep_provider(self, urn: str, id_: str, request: "resource_pb2.RegisterResourceRequest") -> None:
        """With its version, by which the engine chooses a plugin. `__internal` is the engine's own note."""
        values = {name: value for name, value in decode(request.object).items() if name not in BY_VARIABLES}
        if request.version:
            values["version"] = request.version
        own = {"urn": urn, "custom": True, "id": id_, "inputs": {"__internal": {}, **values}, "outputs": values}
        self._resources[urn] = _without_nothing({**own, **_said(request)})

    def keep_resource(self, record: Record, request: "resource_pb2.RegisterResourceRequest") -> None:
        own = {
            "urn": record.urn,
            "custom": True,
            "id": record.id,
            "inputs": dict(record.inputs),
            "outputs": dict(record.properties),
            "provider": record.provider,
            "importID": request.importId,
        }
        self._resources[record.urn] = _without_nothing({**own, **_said(request)})


def _said(request: "resource_pb2.RegisterResourceRequest") -> dict[str, Any]:
    """Returns what the program says of any resource."""
    return {
        "type": request.type,
        "parent": request.parent,
        "protect": request.protect,
        "retainOnDelete": request.retainOnDelete,
        "deletedWith": request.deletedWith,
        "dependencies": list(request.dependencies),
        "propertyDependencies": {name: list(each.urns) for name, each in request.propertyDependencies.items()},
        "additionalSecretOutputs": list(request.additionalSecretOutputs),
    }


def _without_nothing(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if value not in ("", [], {}) and (value or name == "custom")}
