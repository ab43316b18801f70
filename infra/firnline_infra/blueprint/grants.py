"""Grants in Snowflake as data: who may do what with which object."""

from enum import StrEnum

from firnline_infra.specification.definition import Definition, part
from firnline_infra.specification.identifier import Identifier, QualifiedName


class Securable(StrEnum):
    """Kinds of objects that privileges are granted on, as GRANT spells them."""

    DATABASE = "DATABASE"
    SCHEMA = "SCHEMA"
    TABLE = "TABLE"
    ICEBERG_TABLE = "ICEBERG TABLE"
    INTERACTIVE_TABLE = "INTERACTIVE TABLE"
    DYNAMIC_TABLE = "DYNAMIC TABLE"
    PIPE = "PIPE"
    STAGE = "STAGE"
    WAREHOUSE = "WAREHOUSE"
    EXTERNAL_VOLUME = "EXTERNAL VOLUME"
    USER = "USER"


APPLY_AUTHENTICATION_POLICY = "APPLY AUTHENTICATION POLICY"
"""Granted on each user that is made: on the account, it would set and unset the policy of every user, administrators included
(docs.snowflake.com, user-guide/authentication-policies, "Setting an authentication policy", 2026-11-28)."""


@part
class PrivilegeGrant(Definition):
    """Privileges for a role, granted to it directly: Snowpipe Streaming is documented for direct grants only."""

    privileges: tuple[str, ...]
    on: Securable
    name: QualifiedName
    role: Identifier


@part
class RequiredGrant(Definition):
    """A privilege that the owner of an adopted object grants to the deployer's role."""

    privileges: tuple[str, ...]
    on: Securable
    name: QualifiedName
    handed_on: bool
    """With the option to grant it on, because roles that are made here get it."""

    def statement(self, role: Identifier) -> str:
        option = " WITH GRANT OPTION" if self.handed_on else ""
        return f"GRANT {', '.join(self.privileges)} ON {self.on.value} {self.name.sql} TO ROLE {role.sql}{option}"


@part
class OwnershipGrant(Definition):
    """OWNERSHIP for a role. It comes last and keeps the grants that are there; removing it gives the object back to the
    role that deploys.
    """

    on: Securable
    name: QualifiedName
    role: Identifier


@part
class RoleGrant(Definition):
    """A role for a user, or for another role."""

    role: Identifier
    user: Identifier | None = None
    to_role: Identifier | None = None
