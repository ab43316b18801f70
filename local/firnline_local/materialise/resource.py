"""What each file of `aws/` and `snowflake/` offers for one type of resource, in the words of its Pulumi provider.

Properties have the names and shapes that the Pulumi SDK sends: camelCase, plain JSON values, no secrets wrapped.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from firnline_local.materialise.clients import Clients

Properties = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Made:
    """A resource that now exists."""

    id: str
    """As the stock provider writes it, so that `pulumi import` takes the same."""
    properties: Properties
    """Inputs and outputs, as read back from the service."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What the stock provider knows of a type beyond the shapes of its schema; each file cites where that is written."""

    replaced_by: frozenset[str]
    """Inputs that can't be changed: a new value means a new resource."""
    replaced_where: Mapping[str, Callable[[Any, Any], bool]] = field(default_factory=dict)
    """Inputs of which only some changes mean a new resource: (as given before, as given now), None where it is absent."""
    defaults: Properties = field(default_factory=dict)
    """What an absent input means; a read that finds another value is drift."""
    values: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The values that an input may have."""
    conflicts: tuple[frozenset[str], ...] = ()
    """Inputs of which at most one may be given."""
    preview_feature: str | None = None
    """What the provider's previewFeaturesEnabled has to list."""


class Materialiser(Protocol):
    """A module. Errors of the service are raised as its client raises them."""

    TYPE: str
    """The type's token: aws:kinesis/stream:Stream."""
    RULES: Rules

    def create(self, inputs: Properties, clients: Clients, /) -> Made:
        """Refuses what exists already, as the service does."""

    def read(self, id_: str, properties: Properties, clients: Clients, /) -> Properties | None:
        """None where it does not exist. `properties` are the last known ones; they are empty while it is imported."""

    def update(self, id_: str, old: Properties, new: Properties, clients: Clients, /) -> Properties:
        """`old` and `new` are inputs. Only what differs is changed."""

    def delete(self, id_: str, properties: Properties, clients: Clients, /) -> None:
        """No error where it does not exist any more."""
