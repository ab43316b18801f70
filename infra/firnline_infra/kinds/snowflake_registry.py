"""Names the resources of a landing, and orders them.

One that names another waits for it, so that it is made after it, goes before it, and is recreated with it.
"""

from collections.abc import Callable, Mapping
from enum import Enum, auto
from typing import Any

from firnline_infra.kinds.resource import Resource, WaitingValue
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


class LandingRegistry:
    """Knows the resources of one landing that were described so far, and which object each of them makes."""

    def __init__(self, name: str) -> None:
        self.resources: list[Resource] = []
        self._name = name
        self._made: dict[tuple[ObjectKind, Name], Resource] = {}

    def add(self, type_: str, suffix: tuple[object, ...], arguments: Mapping[str, Any], **options: Any) -> Resource:
        """The suffix makes the logical name. `options` are fields of Resource."""
        made = Resource(f"snowflake_{type_}", "-".join([self._name, *map(str, suffix)]), arguments, **options)
        self.resources.append(made)
        return made

    def described(self, describe: Callable[[], object]) -> tuple[Resource, ...]:
        """Returns what `describe` adds."""
        first = len(self.resources)
        describe()
        return tuple(self.resources[first:])

    def makes(self, kind: ObjectKind, name: Name, resource: Resource) -> None:
        self._made[kind, name] = resource

    def stored(self, kind: ObjectKind, name: Identifier) -> Any:
        """The name of an account's object as the provider takes it: unquoted, because it quotes by itself."""
        return self.after(kind, name, name.name)

    def quoted(self, kind: ObjectKind, name: QualifiedName) -> Any:
        """The name of a schema, or of an object in one, as the provider takes it."""
        return self.after(kind, name, name.sql)

    def in_schema(self, name: QualifiedName) -> dict[str, Any]:
        """The arguments that place an object in its schema."""
        database, schema, own = name.parts
        of_schema = QualifiedName((database, schema))
        return {
            "database": self.stored(ObjectKind.DATABASE, database),
            "schema": self.after(ObjectKind.SCHEMA, of_schema, schema.name),
            "name": own.name,
        }

    def after(self, kind: ObjectKind, name: Name, text: str) -> Any:
        """The text, which counts once the object is made, or a schema's database where only that is made here; the plain
        text where neither is.
        """
        made = self._made.get((kind, name))
        if made is None and kind is ObjectKind.SCHEMA and isinstance(name, QualifiedName):
            made = self._made.get((ObjectKind.DATABASE, name.parts[0]))
        return text if made is None else WaitingValue(text, (made,))
