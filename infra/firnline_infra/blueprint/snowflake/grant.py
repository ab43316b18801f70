"""Who may do what: privileges for roles, roles for users."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from firnline_infra.spec.identifier import Identifier, QualifiedName


class Securable(StrEnum):
    DATABASE = "DATABASE"
    SCHEMA = "SCHEMA"
    TABLE = "TABLE"
    WAREHOUSE = "WAREHOUSE"


@dataclass(frozen=True, kw_only=True)
class PrivilegeGrant:
    """Granted to the role itself, not inherited: Snowpipe Streaming is documented for direct grants only."""

    kind: ClassVar[str] = "Snowflake privilege"

    privileges: tuple[str, ...]
    on: Securable
    name: QualifiedName
    role: Identifier

    @property
    def create(self) -> str:
        return f"GRANT {', '.join(self.privileges)} ON {self.on} {self.name.sql} TO ROLE {self.role.sql}"

    @property
    def drop(self) -> str:
        return f"REVOKE {', '.join(self.privileges)} ON {self.on} {self.name.sql} FROM ROLE {self.role.sql}"


@dataclass(frozen=True, kw_only=True)
class RoleGrant:
    kind: ClassVar[str] = "Snowflake role grant"

    role: Identifier
    user: Identifier

    @property
    def create(self) -> str:
        return f"GRANT ROLE {self.role.sql} TO USER {self.user.sql}"

    @property
    def drop(self) -> str:
        return f"REVOKE ROLE {self.role.sql} FROM USER {self.user.sql}"
