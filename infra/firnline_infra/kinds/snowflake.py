"""Snowflake: what is made under a fixed name, and the grants and statements around it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from firnline_infra.blueprint import Blueprint
from firnline_infra.kinds.kind import Clients, Properties, ResourceType
from firnline_infra.specification.identifier import QualifiedName

IN_SCHEMA, IN_DATABASE, IN_ACCOUNT = '"{database}"."{schema}"."{name}"', '"{database}"."{name}"', '"{name}"'
PIPED = "{database}|{schema}|{name}"


@dataclass(frozen=True, eq=False, kw_only=True)
class SnowflakeKind(ResourceType):
    """A kind of object of Snowflake; its title is the word of SHOW and GRANT."""

    made: Callable[[Blueprint], Iterable[Any]] = lambda _: ()
    """What an `up` makes of it under a fixed name."""

    def name(self, wanted: Any) -> QualifiedName:
        return wanted.name if isinstance(wanted.name, QualifiedName) else QualifiedName((wanted.name,))

    def word(self, wanted: Any) -> str:
        """TABLE, ICEBERG TABLE or INTERACTIVE TABLE of a table."""
        return str(wanted.securable.value) if hasattr(wanted, "securable") else self.title


def _present(*wanted: Any) -> list[Any]:
    return [each for each in wanted if each is not None]


def _authentication_of_user(_: Clients, inputs: Properties) -> list[str]:
    user = inputs["userName"].strip('"')
    return [f'"{user}"|{inputs["authenticationPolicyName"]}']


TABLE = SnowflakeKind(
    "snowflake:index/table:Table", "TABLE", import_id=PIPED, made=lambda blueprint: blueprint.landing.tables
)
"""Of each kind: an Iceberg table has a type of its own, and the state knows either by its name."""
ICEBERG_TABLE = SnowflakeKind("snowflake:index/icebergTable:IcebergTable", "ICEBERG TABLE", import_id=IN_SCHEMA)
STATEMENT = SnowflakeKind("snowflake:index/execute:Execute", "STAGE", made=lambda blueprint: blueprint.landing.stages)
"""Every statement of ours is written so that it can be run again. Stages are made by one."""
SNOWFLAKE_KINDS = (
    SnowflakeKind(
        "snowflake:index/database:Database",
        "DATABASE",
        import_id=IN_ACCOUNT,
        made=lambda blueprint: blueprint.landing.databases,
    ),
    SnowflakeKind(
        "snowflake:index/schema:Schema",
        "SCHEMA",
        import_id=IN_DATABASE,
        made=lambda blueprint: blueprint.landing.schemas,
    ),
    TABLE,
    ICEBERG_TABLE,
    STATEMENT,
    SnowflakeKind("snowflake:index/pipe:Pipe", "PIPE", import_id=PIPED, made=lambda blueprint: blueprint.landing.pipes),
    SnowflakeKind(
        "snowflake:index/accountRole:AccountRole",
        "ROLE",
        import_id=IN_ACCOUNT,
        made=lambda blueprint: blueprint.landing.roles,
    ),
    SnowflakeKind(
        "snowflake:index/serviceUser:ServiceUser",
        "USER",
        import_id=IN_ACCOUNT,
        made=lambda blueprint: blueprint.landing.users,
    ),
    SnowflakeKind(
        "snowflake:index/networkPolicy:NetworkPolicy",
        "NETWORK POLICY",
        import_id=IN_ACCOUNT,
        made=lambda blueprint: _present(blueprint.landing.network_policy),
    ),
    SnowflakeKind(
        "snowflake:index/authenticationPolicy:AuthenticationPolicy",
        "AUTHENTICATION POLICY",
        import_id=IN_SCHEMA,
        made=lambda blueprint: _present(blueprint.landing.authentication_policy),
    ),
    SnowflakeKind(
        "snowflake:index/externalVolume:ExternalVolume",
        "EXTERNAL VOLUME",
        import_id=IN_ACCOUNT,
        made=lambda blueprint: blueprint.volumes,
    ),
    SnowflakeKind(
        "snowflake:index/warehouseInteractive:WarehouseInteractive",
        "WAREHOUSE",
        import_id=IN_ACCOUNT,
        made=lambda blueprint: _present(blueprint.landing.warehouse),
    ),
    SnowflakeKind("snowflake:index/warehouse:Warehouse", "WAREHOUSE", import_id=IN_ACCOUNT),
    SnowflakeKind(
        "snowflake:index/userAuthenticationPolicyAttachment:UserAuthenticationPolicyAttachment",
        "AUTHENTICATION POLICY",
        import_id=_authentication_of_user,
    ),
    # Granting twice is granting once.
    SnowflakeKind("snowflake:index/grantAccountRole:GrantAccountRole", "ROLE"),
    SnowflakeKind("snowflake:index/grantOwnership:GrantOwnership", "OWNERSHIP"),
    SnowflakeKind("snowflake:index/grantPrivilegesToAccountRole:GrantPrivilegesToAccountRole", "PRIVILEGES"),
)
