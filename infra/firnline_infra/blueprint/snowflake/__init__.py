"""What must exist in Snowflake. Defaults are safe ones, so that each definition can be used alone."""

from firnline_infra.blueprint.snowflake.alteration import Alteration
from firnline_infra.blueprint.snowflake.container import Database, Schema
from firnline_infra.blueprint.snowflake.grant import OwnershipGrant, PrivilegeGrant, RoleGrant, Securable
from firnline_infra.blueprint.snowflake.interactive import InteractiveTable, InteractiveWarehouse
from firnline_infra.blueprint.snowflake.landing import Landing
from firnline_infra.blueprint.snowflake.pipe import Pipe
from firnline_infra.blueprint.snowflake.policy import AuthenticationPolicy, NetworkPolicy
from firnline_infra.blueprint.snowflake.principal import Role, User
from firnline_infra.blueprint.snowflake.table import IcebergTable, Table
from firnline_infra.blueprint.snowflake.volume import IcebergVolume

__all__ = [
    "Alteration",
    "AuthenticationPolicy",
    "Database",
    "IcebergTable",
    "IcebergVolume",
    "InteractiveTable",
    "InteractiveWarehouse",
    "Landing",
    "NetworkPolicy",
    "OwnershipGrant",
    "Pipe",
    "PrivilegeGrant",
    "Role",
    "RoleGrant",
    "Schema",
    "Securable",
    "Table",
    "User",
]
