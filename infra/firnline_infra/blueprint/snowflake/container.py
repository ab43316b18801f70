"""What holds tables: databases and schemas."""

from dataclasses import dataclass
from typing import ClassVar

from firnline_infra.spec.identifier import Identifier, QualifiedName


@dataclass(frozen=True, kw_only=True)
class Database:
    kind: ClassVar[str] = "Snowflake database"

    name: Identifier

    @property
    def create(self) -> str:
        return f"CREATE DATABASE IF NOT EXISTS {self.name.sql}"

    @property
    def drop(self) -> str:
        return f"DROP DATABASE IF EXISTS {self.name.sql}"


@dataclass(frozen=True, kw_only=True)
class Schema:
    kind: ClassVar[str] = "Snowflake schema"

    name: QualifiedName

    @property
    def create(self) -> str:
        return f"CREATE SCHEMA IF NOT EXISTS {self.name.sql}"

    @property
    def drop(self) -> str:
        return f"DROP SCHEMA IF EXISTS {self.name.sql}"
