"""Where the children of a landing are made: what they are called, and which of them come after which.

A child that names another takes the name from it, so that it is made after it, goes before it, and is made again with it.
"""

from enum import Enum, auto
from typing import Any

import pulumi

from firnline_infra.pulumi.options import child_of
from firnline_infra.specification.identifier import Identifier, QualifiedName

Name = Identifier | QualifiedName


class Kind(Enum):
    DATABASE = auto()
    SCHEMA = auto()
    TABLE = auto()
    PIPE = auto()
    ROLE = auto()
    USER = auto()
    POLICY = auto()
    WAREHOUSE = auto()
    VOLUME = auto()


class Site:
    """The component, and what was made in it so far."""

    def __init__(self, component: pulumi.Resource, name: str, opts: pulumi.ResourceOptions | None) -> None:
        self._component, self._name = component, name
        self._waits_for = None if opts is None else opts.depends_on
        self._made: dict[tuple[Kind, Name], pulumi.Output[str]] = {}

    def child(self, *suffix: object) -> str:
        """Frozen: it is part of what Pulumi knows the child by."""
        return "-".join([self._name, *map(str, suffix)])

    def options(self, **more: Any) -> pulumi.ResourceOptions:
        return child_of(self._component, **more)

    def waiting_options(self, **more: Any) -> pulumi.ResourceOptions:
        """For a child that also waits for what its component depends on: Pulumi does not see to that."""
        return child_of(self._component, depends_on=self._waits_for, **more)

    def add(self, kind: Kind, name: Name, told: pulumi.Output[str]) -> None:
        """`told` is an output of the object that is known before it is made, like its name."""
        self._made[kind, name] = told

    def stored(self, kind: Kind, name: Identifier) -> pulumi.Input[str]:
        """As the provider takes the name of an account's object: it quotes by itself."""
        return self.after(kind, name, name.name)

    def quoted(self, kind: Kind, name: QualifiedName) -> pulumi.Input[str]:
        """As the provider takes the name of a schema, or of an object in one."""
        return self.after(kind, name, name.sql)

    def after(self, kind: Kind, name: Name, text: str) -> pulumi.Input[str]:
        """The text alone, where the object is not made here."""
        made = self._made.get((kind, name))
        return text if made is None else made.apply(lambda _: text)
