"""What must exist in Snowflake, each object with the statements that make and remove it."""

from firnline_infra.blueprint.snowflake.container import Database, Schema
from firnline_infra.blueprint.snowflake.grant import PrivilegeGrant, RoleGrant, Securable
from firnline_infra.blueprint.snowflake.principal import Role, User
from firnline_infra.blueprint.snowflake.table import Table

__all__ = ["Database", "PrivilegeGrant", "Role", "RoleGrant", "Schema", "Securable", "Table", "User"]
