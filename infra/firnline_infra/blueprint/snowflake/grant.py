"""Who may do what: privileges and ownership for roles, roles for users and roles."""

from dataclasses import dataclass
from enum import StrEnum

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

    privileges: tuple[str, ...]
    on: Securable
    name: QualifiedName
    role: Identifier


@dataclass(frozen=True, kw_only=True)
class OwnershipGrant:
    """Comes last, and keeps the grants that are there; its removal gives the object back to the role that deploys."""

    on: Securable
    name: QualifiedName
    role: Identifier


@dataclass(frozen=True, kw_only=True)
class RoleGrant:
    """A role for a user, or for another role."""

    role: Identifier
    user: Identifier | None = None
    to_role: Identifier | None = None
