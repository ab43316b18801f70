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
class Place:
    """The new object's container and name, and whether it has to be made."""

    container: CatalogObject
    name: str
    kept: bool
    """The statement says IF NOT EXISTS and the object exists, so nothing is made."""
    replace: bool

    def create(self, context: Context, made: type[Made], *, privilege: str | None = None, **fields: Any) -> Made:
        """`privilege` is the one that it takes, where that is not called like the kind.

        Raises InsufficientPrivileges, AlreadyExists.
        """
        context.require(privilege or f"CREATE {made.kind.name}", self.container)
        before = self.container.of_kind(made.kind).get(self.name)
        if self.replace and before is not None:
            context.require_ownership(before)
        return context.catalog.directory.create(
            made, self.name, container=self.container, owner=context.role, replace=self.replace, **fields
        )


def place(context: Context, reader: TokenReader, kind: ObjectKind, modifiers: Modifiers) -> Place:
    """Reads `[IF NOT EXISTS] name`."""
    keep = reader.accept("IF NOT EXISTS")
    names = reader.name()
    container = context.container(kind, names)
    kept = keep and names[-1] in container.of_kind(kind)
    return Place(container, names[-1], kept, modifiers.replace)


def created(kind: ObjectKind, where: Place) -> Result:
    return status(f"{kind.name.capitalize()} {display(where.name)} successfully created.")


def kept(where: Place) -> Result:
    return status(f"{display(where.name)} already exists, statement succeeded.")
