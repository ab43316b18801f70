"""Names the children of SnowflakeLanding, makes their options, and orders them.

A child that names another takes the name from it, so that it is made after it, goes before it, and is recreated with it.
"""

from enum import Enum, auto
from typing import Any

import pulumi

from firnline_infra.pulumi.options import child_of
from firnline_infra.specification.identifier import Identifier, QualifiedName

Name = Identifier | QualifiedName


class ObjectKind(Enum):
    """Kinds of Snowflake objects with names of their own: two objects of one kind can't share a name."""

    DATABASE = auto()
    SCHEMA = auto()
    TABLE = auto()
    PIPE = auto()
    STAGE = auto()
    ROLE = auto()
    USER = auto()
    POLICY = auto()
    WAREHOUSE = auto()
    VOLUME = auto()


class ChildFactory:
    """Knows the component and the children that were made in it so far."""

    def __init__(self, component: pulumi.Resource, name: str, opts: pulumi.ResourceOptions | None) -> None:
        self._component, self._name = component, name
        self._waits_for = None if opts is None else opts.depends_on
        self._made: dict[tuple[ObjectKind, Name], pulumi.Output[str]] = {}

    def name(self, *suffix: object) -> str:
        """The child's logical name. It is frozen, because it is part of the child's URN."""
        return "-".join([self._name, *map(str, suffix)])

    def options(self, **more: Any) -> pulumi.ResourceOptions:
        return child_of(self._component, **more)

    def waiting_options(self, **more: Any) -> pulumi.ResourceOptions:
        """Options of a child that also waits for what its component depends on, which Pulumi does not do by itself."""
        return child_of(self._component, depends_on=self._waits_for, **more)

    def add(self, kind: ObjectKind, name: Name, told: pulumi.Output[str]) -> None:
        """`told` is an output of the object that is known before it is made, like its name."""
        self._made[kind, name] = told

    def stored(self, kind: ObjectKind, name: Identifier) -> pulumi.Input[str]:
        """The name of an account's object as the provider takes it: unquoted, because it quotes by itself."""
        return self.after(kind, name, name.name)

    def quoted(self, kind: ObjectKind, name: QualifiedName) -> pulumi.Input[str]:
        """The name of a schema, or of an object in one, as the provider takes it."""
        return self.after(kind, name, name.sql)

    def after(self, kind: ObjectKind, name: Name, text: str) -> pulumi.Input[str]:
        """The text, known only after the object was made, or a schema's database where only that is made here; the plain
        text where neither is.
        """
        made = self._made.get((kind, name))
        if made is None and kind is ObjectKind.SCHEMA and isinstance(name, QualifiedName):
            made = self._made.get((ObjectKind.DATABASE, name.parts[0]))
        return text if made is None else made.apply(lambda _: text)
