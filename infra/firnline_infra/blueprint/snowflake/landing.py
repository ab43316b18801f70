"""Where records land: everything in Snowflake that an environment's pipelines need."""

from dataclasses import dataclass

from firnline_infra.blueprint.snowflake.container import Database, Schema
from firnline_infra.blueprint.snowflake.grant import OwnershipGrant, PrivilegeGrant, RoleGrant
from firnline_infra.blueprint.snowflake.interactive import InteractiveTable, InteractiveWarehouse
from firnline_infra.blueprint.snowflake.pipe import Pipe
from firnline_infra.blueprint.snowflake.policy import AuthenticationPolicy, NetworkPolicy
from firnline_infra.blueprint.snowflake.principal import Role, User
from firnline_infra.blueprint.snowflake.table import IcebergTable, Table


@dataclass(frozen=True, kw_only=True)
class Landing:
    """In the order in which it can be made."""

    databases: tuple[Database, ...]
    schemas: tuple[Schema, ...]
    tables: tuple[Table | IcebergTable | InteractiveTable, ...]
    pipes: tuple[Pipe, ...] = ()
    network_policy: NetworkPolicy | None = None
    authentication_policy: AuthenticationPolicy | None = None
    roles: tuple[Role, ...] = ()
    users: tuple[User, ...] = ()
    role_grants: tuple[RoleGrant, ...] = ()
    grants: tuple[PrivilegeGrant, ...] = ()
    warehouse: InteractiveWarehouse | None = None
    ownerships: tuple[OwnershipGrant, ...] = ()
