"""Resources as the engine names them, and as `pulumi import` takes them.

A URN is written `urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

STACK = "pulumi:pulumi:Stack"


@dataclass(frozen=True)
class Urn:
    text: str

    @classmethod
    def of_provider(cls, reference: str) -> Self:
        """A provider is referred to by its URN and its id: `URN::ID`."""
        return cls(reference.rpartition("::")[0])

    @property
    def type(self) -> str:
        """The type of the resource itself, without the types of its parents."""
        return self.text.split("::", 3)[2].rpartition("$")[2]

    @property
    def name(self) -> str:
        return self.text.split("::", 3)[3]

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, kw_only=True)
class ImportedResource:
    urn: Urn
    import_id: str
    parent: Urn | None = None
    """The parent, which is in the state already; the stack itself by default."""
    provider: Urn | None = None
    """The provider, which is in the state already; the default provider of `version` by default."""
    version: str | None = None


def import_document(resources: Iterable[ImportedResource]) -> dict[str, Any]:
    """The file of `pulumi import --file`: parents and providers are named by a table in front."""
    names: dict[Urn, str] = {}
    entries = []
    for resource in resources:
        entry = {"type": resource.urn.type, "name": resource.urn.name, "id": resource.import_id}
        for role, urn in (("parent", resource.parent), ("provider", resource.provider)):
            if urn is not None:
                entry[role] = names.setdefault(urn, f"name{len(names)}")
        if resource.version is not None:
            entry["version"] = resource.version
        entries.append(entry)
    return {"nameTable": {name: str(urn) for urn, name in names.items()}, "resources": entries}
