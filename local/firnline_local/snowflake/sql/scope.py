"""The scope of a statement, what it may see and touch: completes names from the session, and asks the catalog about its role.

An object that the role may not see is reported as missing; one that it sees and may not use, as refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from firnline_local.snowflake.catalog import (
    DEFINITIONS,
    AuthenticationPolicy,
    Catalog,
    CatalogObject,
    Database,
    ExternalVolume,
    NetworkPolicy,
    NetworkRule,
    Pipe,
    Role,
    Schema,
    Stage,
    Table,
    User,
    Warehouse,
    kinds,
)
from firnline_local.snowflake.catalog.errors import (
    CompilationFault,
    DoesNotExist,
    InsufficientPrivileges,
    NoCurrentDatabase,
    NoWarehouse,
    WrongKind,
)
from firnline_local.snowflake.catalog.kinds import TABLE_VARIETIES, ObjectKind, Scope
from firnline_local.snowflake.catalog.names import display
from firnline_local.snowflake.sql.sessions import Session
from firnline_local.snowflake.sql.token_reader import TokenReader

Found = TypeVar("Found", bound=CatalogObject)

DEPTH = {Scope.ACCOUNT: 1, Scope.DATABASE: 2, Scope.SCHEMA: 3}


@dataclass(frozen=True)
class Context:
    """The context of one statement. Its user holds the catalog's lock, except while rows are read."""

    catalog: Catalog
    session: Session
    now: datetime
    query_id: str

    @property
    def role(self) -> Role:
        return self.session.role

    @property
    def account(self) -> CatalogObject:
        return self.catalog.account

    def path(self, kind: ObjectKind, names: Sequence[str]) -> tuple[str, ...]:
        """The full path of a name, with the session's database and schema in front where they are left out."""
        depth = DEPTH[kind.scope]
        if len(names) > depth:
            raise CompilationFault(f"'{display(*names)}' is not the name of a {kind.name.lower()}.")
        missing = depth - len(names)
        session, operation = self.session, f"this statement on {kind.name} {display(*names)}"
        if missing and session.database is None:
            raise NoCurrentDatabase(operation, missing="database")
        if missing and depth == DEPTH[Scope.SCHEMA] and len(names) == 1 and session.schema is None:
            raise NoCurrentDatabase(operation, missing="schema")
        current = [found.name for found in (session.database, session.schema) if found is not None]
        return (*current[:missing], *names)

    def look_up(self, kind: ObjectKind, names: Sequence[str]) -> CatalogObject | None:
        """The object, if it exists and the role sees it."""
        found = self.catalog.directory.find(kind, self.path(kind, names))
        return found if found is not None and self.catalog.sees(self.role, found) else None

    def find(self, made: type[Found], names: Sequence[str], *, called: str | None = None) -> Found:
        """The object. Raises DoesNotExist, also for what is out of sight; `called` is what the message says it is."""
        found = self.look_up(made.kind, names)
        if not isinstance(found, made):
            raise DoesNotExist(called or made.kind.name, display(*self.path(made.kind, names)))
        return found

    def container(self, kind: ObjectKind, names: Sequence[str]) -> CatalogObject:
        """Returns the container that an object of this name is in, or would be in."""
        path = self.path(kind, names)
        match kind.scope:
            case Scope.SCHEMA:
                self.find(Database, path[:1])
                return self.find(Schema, path[:2])
            case Scope.DATABASE:
                return self.find(Database, path[:1])
            case _:
                return self.account

    def may(self, privilege: str, on: CatalogObject) -> bool:
        return self.catalog.has_privilege(self.role, privilege, on)

    def require(self, privilege: str, on: CatalogObject) -> None:
        """Raises InsufficientPrivileges unless the role has the privilege and may use what contains the object."""
        above = on.container
        while above is not None and above.kind is not kinds.ACCOUNT:
            if not self.may("USAGE", above):
                raise InsufficientPrivileges(above.kind.name, display(above.name))
            above = above.container
        if not self.may(privilege, on):
            raise InsufficientPrivileges(on.kind.name, display(on.name))

    def require_ownership(self, found: CatalogObject) -> None:
        self.require("OWNERSHIP", found)

    def require_warehouse(self) -> None:
        """Queries of tables and DML call this: a real account computes them in a warehouse. Raises NoWarehouse."""
        warehouse = self.session.warehouse
        if warehouse is None or not warehouse.is_live or not self.may("USAGE", warehouse):
            raise NoWarehouse

    def readable_table(self, names: Sequence[str], privilege: str = "SELECT") -> Table:
        """Returns a table for a query or for DML. Raises DoesNotExist also where the role lacks the privilege."""
        table = self.find(Table, names, called="object")
        container = table.schema
        allowed = all(self.may("USAGE", above) for above in (container, container.database))
        if not allowed or not self.may(privilege, table):
            raise DoesNotExist("object", display(*table.path))
        return table


OBJECTS: tuple[type[CatalogObject], ...] = (
    Database, Schema, Table, Pipe, Stage, Role, User, Warehouse, NetworkPolicy, NetworkRule, AuthenticationPolicy,
    ExternalVolume, *DEFINITIONS,
)  # fmt: skip # a paragraph, not a column
NAMED: dict[str, type[CatalogObject]] = {
    **{each.kind.name: each for each in OBJECTS},
    **dict.fromkeys(TABLE_VARIETIES, Table),
}
"""The kinds of object by the words that name them in a statement."""


def find_named(context: Context, phrase: str, names: Sequence[str]) -> CatalogObject:
    """Raises DoesNotExist, and WrongKind where another variety of table was named."""
    return checked_variety(phrase, context.find(NAMED[phrase], names))


def find_securable(context: Context, phrase: str, names: Sequence[str]) -> CatalogObject:
    """Finds an object for GRANT and REVOKE: a role that manages grants also finds objects that it does not see."""
    kind = NAMED[phrase].kind
    found = context.catalog.directory.find(kind, context.path(kind, names))
    if found is None or not context.catalog.grants.manages_grants(context.role, context.account):
        return find_named(context, phrase, names)
    return checked_variety(phrase, found)


def checked_variety(phrase: str, found: CatalogObject) -> CatalogObject:
    """TABLE stands for every variety."""
    if isinstance(found, Table) and phrase not in (found.kind.name, found.variety):
        raise WrongKind(found=found.variety, named=phrase)
    return found


def read_container(context: Context, reader: TokenReader) -> CatalogObject:
    """`IN DATABASE d` or `IN SCHEMA s`"""
    reader.expect("IN")
    match reader.accept_one("DATABASE", "SCHEMA"):
        case "DATABASE":
            return find_securable(context, "DATABASE", reader.name())
        case "SCHEMA":
            return find_securable(context, "SCHEMA", reader.name())
        case _:
            raise CompilationFault("IN DATABASE or IN SCHEMA is expected here")
