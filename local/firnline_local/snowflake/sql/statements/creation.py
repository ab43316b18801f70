"""What every CREATE has in common: OR REPLACE, IF NOT EXISTS, the name, who may, and what is answered."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from firnline_local.snowflake.catalog import CatalogObject
from firnline_local.snowflake.catalog.kinds import ObjectKind
from firnline_local.snowflake.catalog.names import display
from firnline_local.snowflake.sql.result import Result, status
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.token_reader import TokenReader

Made = TypeVar("Made", bound=CatalogObject)


@dataclass(frozen=True, slots=True)
class Modifiers:
    """The words between CREATE and the kind."""

    replace: bool = False
    transient: bool = False


Creator = Callable[[Context, TokenReader, Modifiers], Result]
"""One form of CREATE; the words that name the kind are read already."""


@dataclass(frozen=True, slots=True)
class NewObject:
    """The object that a CREATE names: where it goes, and whether it has to be made."""

    kind: ObjectKind
    container: CatalogObject
    name: str
    exists: bool
    """The statement says IF NOT EXISTS and the object exists, so nothing is made."""
    replace: bool

    def create(self, context: Context, made: type[Made], *, privilege: str | None = None, **fields: Any) -> Made:
        """Makes it. `privilege` is the one that it takes, where that is not called like the kind.

        Raises InsufficientPrivileges, AlreadyExists.
        """
        context.require(privilege or f"CREATE {made.kind.name}", self.container)
        before = self.container.of_kind(made.kind).get(self.name)
        if self.replace and before is not None:
            context.require_ownership(before)
        return context.catalog.directory.create(
            made, self.name, container=self.container, owner=context.role, replace=self.replace, **fields
        )

    def created_status(self) -> Result:
        return status(f"{self.kind.name.capitalize()} {display(self.name)} successfully created.")

    def exists_status(self) -> Result:
        return status(f"{display(self.name)} already exists, statement succeeded.")


def read_new_object(context: Context, reader: TokenReader, kind: ObjectKind, modifiers: Modifiers) -> NewObject:
    """Reads `[IF NOT EXISTS] name`."""
    keep = reader.accept("IF NOT EXISTS")
    names = reader.name()
    container = context.container(kind, names)
    return NewObject(kind, container, names[-1], keep and names[-1] in container.of_kind(kind), modifiers.replace)
