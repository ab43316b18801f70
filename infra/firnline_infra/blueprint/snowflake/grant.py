"""Who may do what: privileges and ownership for roles, roles for users and roles."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from firnline_infra.specification.identifier import Identifier, QualifiedName


class Securable(StrEnum):
    DATABASE = "DATABASE"
    SCHEMA = "SCHEMA"
    TABLE = "TABLE"
    ICEBERG_TABLE = "ICEBERG TABLE"
    INTERACTIVE_TABLE = "INTERACTIVE TABLE"
    PIPE = "PIPE"
    WAREHOUSE = "WAREHOUSE"
    EXTERNAL_VOLUME = "EXTERNAL VOLUME"


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
class OwnershipGrant:
    """Comes last, and keeps the grants that are there; its removal gives the object back to the role that deploys."""

    kind: ClassVar[str] = "Snowflake ownership"

    on: Securable
    name: QualifiedName
    role: Identifier


@dataclass(frozen=True, kw_only=True)
class RoleGrant:
    """A role for a user, or for another role."""

    kind: ClassVar[str] = "Snowflake role grant"

    role: Identifier
    user: Identifier | None = None
    to_role: Identifier | None = None

    @property
    def create(self) -> str:
        return f"GRANT ROLE {self.role.sql} TO {self._whom}"

    @property
    def drop(self) -> str:
        return f"REVOKE ROLE {self.role.sql} FROM {self._whom}"

    @property
    def _whom(self) -> str:
        return f"USER {self.user.sql}" if self.user else f"ROLE {self.to_role.sql if self.to_role else ''}"
