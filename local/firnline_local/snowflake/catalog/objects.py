"""The base of all objects of the account: an id, a name, a place, an owner; and the objects without columns.

An object knows its container and a container its objects, so renaming, dropping and undropping one carries along
everything inside it. Grants hang on ids, never on names: an object that replaces another begins without any.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from firnline_local.snowflake.catalog import kinds
from firnline_local.snowflake.catalog.kinds import ObjectKind
from firnline_local.snowflake.catalog.names import display

ACCOUNTADMIN, SECURITYADMIN, USERADMIN, SYSADMIN, PUBLIC = (
    "ACCOUNTADMIN",
    "SECURITYADMIN",
    "USERADMIN",
    "SYSADMIN",
    "PUBLIC",
)
SYSTEM_ROLES = (ACCOUNTADMIN, SECURITYADMIN, USERADMIN, SYSADMIN, PUBLIC)
HIERARCHY = {SYSADMIN: ACCOUNTADMIN, SECURITYADMIN: ACCOUNTADMIN, USERADMIN: SECURITYADMIN}
"""Which system role is granted to which."""
ACCOUNT_PRIVILEGES = {
    SECURITYADMIN: ("MANAGE GRANTS", "CREATE NETWORK POLICY"),
    SYSADMIN: ("CREATE DATABASE", "CREATE WAREHOUSE"),
    USERADMIN: ("CREATE ROLE", "CREATE USER"),
}
"""ACCOUNTADMIN is not listed: it may do everything."""


@dataclass(kw_only=True, eq=False)
class CatalogObject:
    """One object; made, renamed and dropped through the Catalog only."""

    kind: ClassVar[ObjectKind]
    id: int
    """Never used twice: an object that is dropped and made again has another one."""
    name: str
    """As stored: upper-cased unless it was quoted."""
    container: "CatalogObject | None" = field(repr=False)
    owner: "Role | None" = field(repr=False)
    created_on: datetime
    comment: str = ""
    parameters: dict[str, str] = field(default_factory=dict)
    """What was set on this very object, by key; what it inherits is in `sql/parameters.py`."""
    contents: dict[ObjectKind, dict[str, "CatalogObject"]] = field(default_factory=dict, repr=False)
    dropped: list["CatalogObject"] = field(default_factory=list, repr=False)
    """What was dropped from this container and UNDROP can find, oldest first."""

    @property
    def path(self) -> tuple[str, ...]:
        """The stored names from the database (or the account's object) down to this one."""
        above = self.container
        return (*above.path, self.name) if above is not None and above.kind is not kinds.ACCOUNT else (self.name,)

    @property
    def full_name(self) -> str:
        """Dotted, quoted where it has to be: as messages and SHOW GRANTS write it."""
        return display(*self.path)

    @property
    def owner_name(self) -> str:
        return self.owner.name if self.owner is not None else ""

    @property
    def is_live(self) -> bool:
        """True if it can be found: neither it nor anything that contains it was dropped or replaced."""
        if self.container is None:
            return True
        return self.container.of_kind(self.kind).get(self.name) is self and self.container.is_live

    def of_kind(self, kind: ObjectKind) -> dict[str, "CatalogObject"]:
        """The objects of a kind directly inside this one, by stored name."""
        return self.contents.setdefault(kind, {})

    def walk(self) -> Iterator["CatalogObject"]:
        """This object and everything inside it."""
        yield self
        for objects in self.contents.values():
            for found in objects.values():
                yield from found.walk()


class Account(CatalogObject):
    """The container of everything."""

    kind = kinds.ACCOUNT


@dataclass(kw_only=True, eq=False)
class ConfiguredObject(CatalogObject):
    """An object that is little more than what CREATE and ALTER have set."""

    properties: dict[str, str] = field(default_factory=dict)
    """As text, by the word that SQL has for each; lists are JSON."""

    def listed(self, key: str) -> list[str]:
        """A property that is a list; empty where it was not set."""
        found: list[str] = json.loads(self.properties.get(key, "[]"))
        return found


@dataclass(kw_only=True, eq=False)
class Warehouse(ConfiguredObject):
    """A name that a session can use and a role may be granted: the embedded Snowflake computes without one."""

    kind = kinds.WAREHOUSE
    interactive: bool = False
    tables: list[CatalogObject] = field(default_factory=list, repr=False)
    """What is attached to an interactive one."""


@dataclass(kw_only=True, eq=False)
class Role(CatalogObject):
    """An account role. Which roles it holds is in `Grants`."""

    kind = kinds.ROLE


@dataclass(kw_only=True, eq=False)
class Database(CatalogObject):
    kind = kinds.DATABASE
    transient: bool = False

    def schema(self, name: str) -> "Schema | None":
        found = self.of_kind(kinds.SCHEMA).get(name)
        return found if isinstance(found, Schema) else None


@dataclass(kw_only=True, eq=False)
class Schema(CatalogObject):
    kind = kinds.SCHEMA
    transient: bool = False
    managed_access: bool = False

    @property
    def database(self) -> Database:
        assert isinstance(self.container, Database)
        return self.container
