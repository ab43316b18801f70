"""Snowflake: what is made under a fixed name, and the grants and statements around it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from firnline_infra.blueprint import Blueprint
from firnline_infra.kinds import snowflake_objects as objects
from firnline_infra.kinds import snowflake_roles as roles
from firnline_infra.kinds import snowflake_users as users
from firnline_infra.kinds.comparison import Clients, Comparison
from firnline_infra.kinds.kind import Properties, ResourceType, noun_of, present
from firnline_infra.kinds.storage import external_volumes
from firnline_infra.specification.identifier import QualifiedName

IN_SCHEMA, IN_DATABASE, IN_ACCOUNT = '"{database}"."{schema}"."{name}"', '"{database}"."{name}"', '"{name}"'
PIPED = "{database}|{schema}|{name}"


@dataclass(frozen=True, eq=False, kw_only=True)
class SnowflakeKind(ResourceType):
    """A kind of object of Snowflake; its title is the word of SHOW and GRANT."""

    instances: Callable[[Blueprint], Iterable[Any]] = lambda _: ()
    """What an `up` makes of it under a fixed name."""
    comparisons: tuple[Comparison, ...] = ()
    """What `firnline drift` looks at beside the provider."""
    drift_instances: Callable[[Blueprint], Iterable[Any]] | None = None
    """The objects that the comparisons look at; what `instances` yields if absent."""

    def subjects(self, blueprint: Blueprint) -> Iterable[Any]:
        """Yields what `comparisons` are run on."""
        return self.instances(blueprint) if self.drift_instances is None else self.drift_instances(blueprint)

    def noun(self, wanted: Any) -> str:
        """Returns what a finding calls the kind."""
        has_own_word = hasattr(wanted, "securable") or self.token == STATEMENT.token
        return f"snowflake {self.word(wanted).lower()}" if has_own_word else noun_of(self.token)

    def name(self, wanted: Any) -> QualifiedName:
        return objects.name_of(wanted)

    def word(self, wanted: Any) -> str:
        """TABLE, ICEBERG TABLE or INTERACTIVE TABLE of a table."""
        return str(wanted.securable.value) if hasattr(wanted, "securable") else self.title


def _authentication_of_user(_: Clients, inputs: Properties) -> list[str]:
    user = inputs["userName"].strip('"')
    return [f'"{user}"|{inputs["authenticationPolicyName"]}']


TABLE = SnowflakeKind(
    "snowflake:index/table:Table",
    "TABLE",
    import_id=PIPED,
    instances=lambda blueprint: blueprint.landing.tables,
    comparisons=(
        objects.grants_on("TABLE"),
        objects.parameters_of("TABLE", but=objects.SET_BY_CREATE),
        Comparison(what="SELECT", find=objects.selected, rule="table"),
        Comparison(what="pipe beside", find=objects.pipe_beside, rule="table"),
        Comparison(what="policies", find=objects.policies_of_table, rule="table"),
    ),
)
"""Tables of all kinds: an Iceberg table has a type of its own, and the state knows either by its name."""
ICEBERG_TABLE = SnowflakeKind("snowflake:index/icebergTable:IcebergTable", "ICEBERG TABLE", import_id=IN_SCHEMA)
STATEMENT = SnowflakeKind(
    "snowflake:index/execute:Execute",
    "STAGE",
    instances=lambda blueprint: blueprint.landing.stages,
    comparisons=(objects.grants_on("STAGE"),),
)
"""Every statement of ours is written so that it can be run again. Stages are made by one."""
SNOWFLAKE_KINDS = (
    SnowflakeKind(
        "snowflake:index/database:Database",
        "DATABASE",
        import_id=IN_ACCOUNT,
        instances=lambda blueprint: blueprint.landing.databases,
        comparisons=(
            objects.grants_on("DATABASE"),
            objects.future_grants_in("DATABASE"),
            objects.parameters_of("DATABASE"),
        ),
    ),
    SnowflakeKind(
        "snowflake:index/schema:Schema",
        "SCHEMA",
        import_id=IN_DATABASE,
        instances=lambda blueprint: blueprint.landing.schemas,
        comparisons=(
            objects.grants_on("SCHEMA"),
            objects.future_grants_in("SCHEMA"),
            objects.parameters_of("SCHEMA"),
        ),
    ),
    TABLE,
    ICEBERG_TABLE,
    STATEMENT,
    SnowflakeKind(
        "snowflake:index/dynamicTable:DynamicTable",
        "DYNAMIC TABLE",
        import_id=PIPED,
        instances=lambda blueprint: blueprint.landing.latest,
        comparisons=(
            objects.grants_on("DYNAMIC TABLE"),
            Comparison(what="schedule", find=objects.refreshes, rule="table"),
        ),
    ),
    SnowflakeKind(
        "snowflake:index/pipe:Pipe",
        "PIPE",
        import_id=PIPED,
        instances=lambda blueprint: blueprint.landing.pipes,
        comparisons=(
            objects.grants_on("PIPE"),
            Comparison(what="state", find=objects.paused, rule="table"),
        ),
    ),
    SnowflakeKind(
        "snowflake:index/accountRole:AccountRole",
        "ROLE",
        import_id=IN_ACCOUNT,
        instances=lambda blueprint: blueprint.landing.roles,
        comparisons=(
            Comparison(what="grants", find=roles.given_to_role),
            Comparison(what="holders", find=roles.holders_of_role),
            Comparison(what="owner", find=roles.owner_of_role),
        ),
        drift_instances=roles.all_roles,
    ),
    SnowflakeKind(
        "snowflake:index/serviceUser:ServiceUser",
        "USER",
        import_id=IN_ACCOUNT,
        instances=lambda blueprint: blueprint.landing.users,
        comparisons=(
            Comparison(what="properties", find=users.properties_of_user, rule="user"),
            Comparison(what="definition", find=users.stated_of_user, rule="user"),
            Comparison(what="logins", find=users.logins_of_user, rule="user"),
            Comparison(what="roles", find=roles.roles_of_user),
            objects.grants_on("USER"),
            objects.parameters_of("USER", but=frozenset({"NETWORK_POLICY"})),
        ),
    ),
    SnowflakeKind(
        "snowflake:index/networkPolicy:NetworkPolicy",
        "NETWORK POLICY",
        import_id=IN_ACCOUNT,
        instances=lambda blueprint: present(blueprint.landing.network_policy),
        comparisons=(Comparison(what="properties", find=users.doors_of_network_policy, rule="user"),),
    ),
    SnowflakeKind(
        "snowflake:index/authenticationPolicy:AuthenticationPolicy",
        "AUTHENTICATION POLICY",
        import_id=IN_SCHEMA,
        instances=lambda blueprint: present(blueprint.landing.authentication_policy),
    ),
    SnowflakeKind(
        "snowflake:index/externalVolume:ExternalVolume",
        "EXTERNAL VOLUME",
        import_id=IN_ACCOUNT,
        instances=lambda blueprint: external_volumes(blueprint.environment),
        comparisons=(objects.grants_on("EXTERNAL VOLUME"),),
    ),
    SnowflakeKind(
        "snowflake:index/warehouseInteractive:WarehouseInteractive",
        "WAREHOUSE",
        import_id=IN_ACCOUNT,
        instances=lambda blueprint: present(blueprint.landing.warehouse),
        comparisons=(objects.grants_on("WAREHOUSE"),),
    ),
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
