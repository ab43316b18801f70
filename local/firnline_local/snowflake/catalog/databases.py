"""Databases and schemas: the containers of tables and pipes."""

from dataclasses import dataclass

from firnline_local.snowflake.catalog import kinds
from firnline_local.snowflake.catalog.objects import CatalogObject


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
