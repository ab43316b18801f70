"""SHOW for each kind of object, as data: the columns that a real account has, and where each value comes from."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from firnline_local.snowflake.catalog import (
    CatalogObject,
    Database,
    DataType,
    Role,
    Schema,
    Table,
    User,
    Warehouse,
    kinds,
)
from firnline_local.snowflake.catalog.tables import TABLE_SWITCHES
from firnline_local.snowflake.sql.parameters import OBJECT_PARAMETERS, effective
from firnline_local.snowflake.sql.properties import WAREHOUSE_SIZES
from firnline_local.snowflake.sql.result import MOMENT, NUMBER, TEXT, Result, listing
from firnline_local.snowflake.sql.scope import Context

Value = Callable[[Any, Context], Any]


@dataclass(frozen=True, slots=True)
class Listed:
    """One column of a listing."""

    name: str
    value: Value
    type: DataType = TEXT


def described(columns: Sequence[Listed], found: Any, context: Context) -> Result:
    """One object as DESCRIBE shows it: in the columns of a listing."""
    values = [column.value(found, context) for column in columns]
    return listing([(column.name, column.type) for column in columns], [values])


def constant(value: Any) -> Value:
    return lambda _found, _: value


def attribute(name: str) -> Value:
    return lambda found, _: getattr(found, name)


def flag(name: str, on: str = "Y", off: str = "N") -> Value:
    return lambda found, _: on if getattr(found, name) else off


def switched(name: str) -> Listed:
    return Listed(name, flag(name, *TABLE_SWITCHES[name.upper()].shown))


def named(text: str, *names: str) -> list[Listed]:
    """Columns that always have the same text."""
    return [Listed(name, constant(text)) for name in names]


def login(name: str) -> Listed:
    """Tells whether a user has that further way to log in."""
    return Listed(name, lambda found, _: found.logins[name])


def unset(*names: str, kind: DataType = TEXT) -> list[Listed]:
    return [Listed(name, constant(None), kind) for name in names]


def is_current(found: CatalogObject, context: Context) -> str:
    session = context.session
    return "Y" if found in (session.database, session.schema, session.warehouse, session.role) else "N"


def is_default(found: CatalogObject, context: Context) -> str:
    properties = context.session.user.properties
    return "Y" if found.name in (properties.get("DEFAULT_ROLE"), properties.get("DEFAULT_WAREHOUSE")) else "N"


def retention(found: CatalogObject, _context: Context) -> str:
    return effective(found, OBJECT_PARAMETERS["DATA_RETENTION_TIME_IN_DAYS"])[0]


def setting(key: str, default: Any = "") -> Value:
    return lambda found, _: found.properties.get(key, default)


def options(found: Database | Schema, _context: Context) -> str:
    parts = ["TRANSIENT"] if found.transient else []
    if isinstance(found, Schema) and found.managed_access:
        parts.append("MANAGED ACCESS")
    return ", ".join(parts)


def cluster_by(found: Table, _context: Context) -> str:
    return f"LINEAR({', '.join(found.cluster_by)})" if found.cluster_by else ""


CREATED_ON = Listed("created_on", attribute("created_on"), MOMENT)
NAME = Listed("name", attribute("name"))
OWNER = Listed("owner", attribute("owner_name"))
COMMENT = Listed("comment", attribute("comment"))
OWNER_ROLE_TYPE = Listed("owner_role_type", lambda found, _: "ROLE" if found.owner else "")
DATABASE_NAME = Listed("database_name", lambda found, _: found.path[0])
SCHEMA_NAME = Listed("schema_name", lambda found, _: found.path[1])
CURRENT = (Listed("is_default", is_default), Listed("is_current", is_current))

DATABASES = (
    CREATED_ON, NAME, *CURRENT, *named("", "origin"), OWNER, COMMENT, Listed("options", options),
    Listed("retention_time", retention), *named("STANDARD", "kind"), *unset("budget"), OWNER_ROLE_TYPE,
    *unset("object_visibility"),
)  # fmt: skip # a paragraph, not a column
SCHEMAS = (
    CREATED_ON, NAME, *CURRENT, DATABASE_NAME, OWNER, COMMENT, Listed("options", options),
    Listed("retention_time", retention), OWNER_ROLE_TYPE,
    *unset("classification_profile_database", "budget", "object_visibility"),
)  # fmt: skip # a paragraph, not a column
TABLES = (
    CREATED_ON, NAME, DATABASE_NAME, SCHEMA_NAME,
    Listed("kind", flag("transient", "TRANSIENT", "TABLE")), COMMENT, Listed("cluster_by", cluster_by),
    Listed("rows", lambda found, context: context.catalog.store.count_rows(found), NUMBER), Listed("bytes", constant(0), NUMBER),
    OWNER, Listed("retention_time", retention), *named("OFF", "automatic_clustering"),
    switched("change_tracking"), *named("OFF", "search_optimization"),
    *unset("search_optimization_progress", "search_optimization_bytes"), *named("N", "is_external"),
    switched("enable_schema_evolution"), OWNER_ROLE_TYPE, *named("N", "is_event"),
    *unset("budget"), *named("N", "is_hybrid"),
    Listed("is_iceberg", flag("iceberg")), Listed("is_dynamic", flag("dynamic")), *named("N", "is_immutable"),
    switched("error_logging"), switched("row_timestamp"),
)  # fmt: skip # a paragraph, not a column
PIPES = (
    CREATED_ON, NAME, DATABASE_NAME, SCHEMA_NAME, Listed("definition", attribute("definition")),
    Listed("owner", lambda found, _: None if found.is_default else found.owner_name),
    *unset("notification_channel"), COMMENT, *unset("integration", "pattern", "error_integration"),
    Listed("owner_role_type", lambda found, _: None if found.is_default else "ROLE"),
    Listed("invalid_reason", lambda found, _: None if found.is_live else "The target table was dropped or replaced."),
    Listed("kind", lambda found, _: "STAGE" if found.source else "STREAMING"),
)  # fmt: skip # a paragraph, not a column
STAGES = (
    CREATED_ON, NAME, DATABASE_NAME, SCHEMA_NAME, *named("", "url"), *named("N", "has_credentials"),
    *named("N", "has_encryption_key"), OWNER, COMMENT, *unset("region"), *named("INTERNAL", "type"), *unset("cloud"),
    *unset("notification_channel", "storage_integration", "endpoint"), OWNER_ROLE_TYPE, *named("N", "directory_enabled"),
)  # fmt: skip # a paragraph, not a column
ROLES = (
    CREATED_ON, NAME, *CURRENT,
    Listed("is_inherited", lambda found, context: "Y" if found in context.catalog.grants.effective(context.role) else "N"),
    Listed("assigned_to_users", lambda found, context: _count_holders(found, context, User), NUMBER),
    Listed("granted_to_roles", lambda found, context: _count_holders(found, context, Role), NUMBER),
    Listed("granted_roles", lambda found, context: len(context.catalog.grants.roles_of(found)), NUMBER), OWNER, COMMENT,
)  # fmt: skip # a paragraph, not a column
USERS = (
    NAME, CREATED_ON, Listed("login_name", attribute("login_name")),
    Listed("display_name", lambda found, _: found.properties.get("DISPLAY_NAME", found.name)),
    Listed("first_name", setting("FIRST_NAME")), Listed("last_name", setting("LAST_NAME")), Listed("email", setting("EMAIL")),
    Listed("mins_to_unlock", setting("MINS_TO_UNLOCK")), Listed("days_to_expiry", setting("DAYS_TO_EXPIRY")), COMMENT,
    Listed("disabled", attribute("disabled")), Listed("must_change_password", setting("MUST_CHANGE_PASSWORD", "false")),
    *named("false", "snowflake_lock"), Listed("default_warehouse", setting("DEFAULT_WAREHOUSE")),
    Listed("default_namespace", setting("DEFAULT_NAMESPACE")), Listed("default_role", setting("DEFAULT_ROLE")),
    Listed("default_secondary_roles", setting("DEFAULT_SECONDARY_ROLES")), *named("false", "ext_authn_duo"),
    *named("", "ext_authn_uid", "mins_to_bypass_mfa"), OWNER,
    *unset("last_success_login", "expires_at_time", "locked_until_time", kind=MOMENT),
    login("has_password"),
    Listed("has_rsa_public_key", lambda found, _: bool(found.public_keys)), Listed("type", attribute("type")),
    *named("false", "has_mfa"),
    login("has_pat"), login("has_workload_identity"),
    *named("false", "is_from_organization_user"),
)  # fmt: skip # a paragraph, not a column
WAREHOUSES = (
    NAME, Listed("state", lambda found, _: "SUSPENDED" if found.properties.get("INITIALLY_SUSPENDED") == "true" else "STARTED"),
    Listed("type", lambda found, _: "INTERACTIVE" if found.interactive else found.properties.get("WAREHOUSE_TYPE", "STANDARD")),
    Listed("size", lambda found, _: _size(found)),
    Listed("min_cluster_count", setting("MIN_CLUSTER_COUNT", "1"), NUMBER),
    Listed("max_cluster_count", setting("MAX_CLUSTER_COUNT", "1"), NUMBER),
    Listed("started_clusters", constant(1), NUMBER), Listed("running", constant(0), NUMBER),
    Listed("queued", constant(0), NUMBER), *CURRENT, Listed("is_interactive", flag("interactive")),
    Listed("auto_suspend", lambda found, _: _suspension(found), NUMBER),
    Listed("auto_resume", setting("AUTO_RESUME", "true")), *named("", "available", "provisioning", "quiescing", "other"),
    CREATED_ON, Listed("resumed_on", attribute("created_on"), MOMENT), Listed("updated_on", attribute("created_on"), MOMENT),
    OWNER, COMMENT, Listed("enable_query_acceleration", setting("ENABLE_QUERY_ACCELERATION", "false")),
    Listed("query_acceleration_max_scale_factor", setting("QUERY_ACCELERATION_MAX_SCALE_FACTOR", "8"), NUMBER),
    Listed("resource_monitor", setting("RESOURCE_MONITOR", "null")),
    *(Listed(name, constant(0), NUMBER) for name in ("actives", "pendings", "failed", "suspended")),
    Listed("uuid", attribute("id")), Listed("scaling_policy", setting("SCALING_POLICY", "STANDARD")), *unset("budget"),
    OWNER_ROLE_TYPE, Listed("resource_constraint", setting("RESOURCE_CONSTRAINT", None)),
    Listed("generation", setting("GENERATION", "1")),
    Listed("tables", lambda found, _: f"[{', '.join(table.full_name for table in found.tables)}]"),
)  # fmt: skip # a paragraph, not a column


def _suspension(found: Warehouse) -> str:
    return found.properties.get("AUTO_SUSPEND", "86400" if found.interactive else "600")


def _size(found: Warehouse) -> str:
    return WAREHOUSE_SIZES[found.properties.get("WAREHOUSE_SIZE", "XSMALL")]


def _count_holders(found: Role, context: Context, kind: type[Role] | type[User]) -> int:
    return sum(isinstance(grant.to, kind) for grant in context.catalog.grants.holders(found))


def count_of(key: str) -> Value:
    return lambda found, _: len(found.listed(key))


NETWORK_POLICIES = (
    CREATED_ON, NAME, COMMENT, Listed("entries_in_allowed_ip_list", count_of("ALLOWED_IP_LIST"), NUMBER),
    Listed("entries_in_blocked_ip_list", count_of("BLOCKED_IP_LIST"), NUMBER),
    Listed("entries_in_allowed_network_rules", count_of("ALLOWED_NETWORK_RULE_LIST"), NUMBER),
    Listed("entries_in_blocked_network_rules", count_of("BLOCKED_NETWORK_RULE_LIST"), NUMBER),
)  # fmt: skip # a paragraph, not a column
NETWORK_RULES = (
    CREATED_ON, NAME, DATABASE_NAME, SCHEMA_NAME, OWNER, COMMENT, Listed("type", setting("TYPE")),
    Listed("mode", setting("MODE", "INGRESS")), Listed("entries_in_valuelist", count_of("VALUE_LIST"), NUMBER),
    OWNER_ROLE_TYPE,
)  # fmt: skip # a paragraph, not a column
AUTHENTICATION_POLICIES = (
    CREATED_ON, NAME, COMMENT, DATABASE_NAME, SCHEMA_NAME, *named("AUTHENTICATION_POLICY", "kind"), OWNER,
    OWNER_ROLE_TYPE, *named("", "options"),
)  # fmt: skip # a paragraph, not a column


DEFINED = (CREATED_ON, NAME, DATABASE_NAME, SCHEMA_NAME, OWNER, COMMENT)
VIEWS = (
    CREATED_ON, NAME, *named("", "reserved"), DATABASE_NAME, SCHEMA_NAME, OWNER, COMMENT,
    Listed("text", attribute("definition")), *named("false", "is_secure"), OWNER_ROLE_TYPE,
)  # fmt: skip # a paragraph, not a column
CALLABLES = (
    CREATED_ON, NAME, Listed("schema_name", lambda found, _: found.path[1]), *named("N", "is_builtin"),
    Listed("arguments", lambda found, _: f"{found.name}{found.definition.partition(')')[0]})"),
    Listed("catalog_name", lambda found, _: found.path[0]),
)  # fmt: skip # a paragraph, not a column


def iceberg(name: str) -> Value:
    return lambda found, _: getattr(found.iceberg, name)


ICEBERG_TABLES = (
    CREATED_ON, NAME, DATABASE_NAME, SCHEMA_NAME, OWNER,
    Listed("external_volume_name", lambda found, _: found.iceberg.volume_name),
    Listed("catalog_name", iceberg("catalog")), *named("MANAGED", "iceberg_table_type"),
    *named("", "catalog_table_name", "catalog_namespace"), Listed("base_location", iceberg("base_location")),
    *named("Y", "can_write_metadata"), COMMENT, OWNER_ROLE_TYPE, *named("", "catalog_sync_name", "auto_refresh_status"),
    Listed("iceberg_table_format_version", iceberg("version"), NUMBER),
    *named('[{"spec-id": 0, "fields": []}]', "partition_specs"), Listed("current_partition_spec_id", constant(0), NUMBER),
    *named("", "name_mapping"),
)  # fmt: skip # a paragraph, not a column


def dynamic(name: str, *, is_hidden: bool = False) -> Value:
    """`is_hidden`: from whoever may only select (`user-guide/dynamic-tables/privileges`, view metadata)."""

    def value(found: Any, context: Context) -> Any:
        may = not is_hidden or context.may("MONITOR", found) or context.may("OWNERSHIP", found)
        return getattr(found.dynamic, name) if may else None

    return value


DYNAMIC_TABLES = (
    CREATED_ON, NAME, DATABASE_NAME, SCHEMA_NAME, Listed("cluster_by", cluster_by),
    Listed("rows", lambda found, context: context.catalog.store.count_rows(found), NUMBER), Listed("bytes", constant(0), NUMBER),
    OWNER, Listed("target_lag", dynamic("target_lag")), Listed("refresh_mode", dynamic("refresh_mode")),
    *unset("refresh_mode_reason"), Listed("warehouse", dynamic("warehouse_name", is_hidden=True)), COMMENT,
    Listed("text", dynamic("text", is_hidden=True)), *named("OFF", "automatic_clustering"),
    Listed("scheduling_state", dynamic("scheduling_state", is_hidden=True)),
    Listed("last_suspended_on", dynamic("suspended_on", is_hidden=True), MOMENT),
    *named("false", "is_clone", "is_replica"), Listed("data_timestamp", dynamic("data_timestamp"), MOMENT), OWNER_ROLE_TYPE,
)  # fmt: skip # a paragraph, not a column
EXTERNAL_VOLUMES = (
    NAME, Listed("allow_writes", attribute("allow_writes")), COMMENT,
)  # fmt: skip # a paragraph, not a column


def all_of(kind: kinds.ObjectKind) -> Callable[[Context, CatalogObject], Iterable[CatalogObject]]:
    return lambda _, inside: (found for found in inside.walk() if found.kind is kind)


def pipes(context: Context, inside: CatalogObject) -> Iterable[CatalogObject]:
    for found in inside.walk():
        if isinstance(found, Schema):
            yield from context.catalog.directory.pipes_in(found)


@dataclass(frozen=True, slots=True)
class Listing:
    """One SHOW."""

    columns: tuple[Listed, ...]
    objects: Callable[[Context, CatalogObject], Iterable[CatalogObject]]
    whole_account: bool = False
    """These objects are in no database, whatever the session's."""
    has_limit: bool = False
    """SHOW takes LIMIT, and refuses without it an answer that is too long; others leave off what is too much."""
    needs: str = ""
    """The privilege that shows an object, where it takes this one and not any."""


def of_variety(variety: str) -> Callable[[Context, CatalogObject], Iterable[CatalogObject]]:
    return lambda _, inside: (found for found in inside.walk() if isinstance(found, Table) and found.variety == variety)


LISTINGS = {
    "DATABASES": Listing(DATABASES, all_of(kinds.DATABASE), whole_account=True),
    "SCHEMAS": Listing(SCHEMAS, all_of(kinds.SCHEMA)),
    "TABLES": Listing(TABLES, all_of(kinds.TABLE), has_limit=True),
    # "a role must have the SELECT privilege on that table" (sql-reference/sql/show-iceberg-tables, 2026-11-28)
    "ICEBERG TABLES": Listing(ICEBERG_TABLES, of_variety("ICEBERG TABLE"), has_limit=True, needs="SELECT"),
    "DYNAMIC TABLES": Listing(DYNAMIC_TABLES, of_variety("DYNAMIC TABLE"), has_limit=True),
    "INTERACTIVE TABLES": Listing(TABLES, of_variety("INTERACTIVE TABLE"), has_limit=True),
    "PIPES": Listing(PIPES, pipes),
    "STAGES": Listing(STAGES, all_of(kinds.STAGE)),
    "ROLES": Listing(ROLES, all_of(kinds.ROLE), whole_account=True),
    "USERS": Listing(USERS, all_of(kinds.USER), whole_account=True),
    "WAREHOUSES": Listing(WAREHOUSES, all_of(kinds.WAREHOUSE), whole_account=True),
    "NETWORK POLICIES": Listing(NETWORK_POLICIES, all_of(kinds.NETWORK_POLICY), whole_account=True),
    "NETWORK RULES": Listing(NETWORK_RULES, all_of(kinds.NETWORK_RULE)),
    "AUTHENTICATION POLICIES": Listing(AUTHENTICATION_POLICIES, all_of(kinds.AUTHENTICATION_POLICY)),
    "VIEWS": Listing(VIEWS, all_of(kinds.VIEW)),
    "MATERIALIZED VIEWS": Listing(VIEWS, all_of(kinds.MATERIALIZED_VIEW)),
    "SEQUENCES": Listing(DEFINED, all_of(kinds.SEQUENCE)),
    "FILE FORMATS": Listing(DEFINED, all_of(kinds.FILE_FORMAT)),
    "USER FUNCTIONS": Listing(CALLABLES, all_of(kinds.FUNCTION)),
    "USER PROCEDURES": Listing(CALLABLES, all_of(kinds.PROCEDURE)),
    "STREAMS": Listing(DEFINED, all_of(kinds.STREAM)),
    "TASKS": Listing(DEFINED, all_of(kinds.TASK)),
    "ALERTS": Listing(DEFINED, all_of(kinds.ALERT)),
    "NOTEBOOKS": Listing(DEFINED, all_of(kinds.NOTEBOOK)),
    "STREAMLITS": Listing(DEFINED, all_of(kinds.STREAMLIT)),
    "MODELS": Listing(DEFINED, all_of(kinds.MODEL)),
    "SERVICES": Listing(DEFINED, all_of(kinds.SERVICE)),
    "IMAGE REPOSITORIES": Listing(DEFINED, all_of(kinds.IMAGE_REPOSITORY)),
    "GIT REPOSITORIES": Listing(DEFINED, all_of(kinds.GIT_REPOSITORY)),
    "SECRETS": Listing(DEFINED, all_of(kinds.SECRET)),
    "EXTERNAL VOLUMES": Listing(EXTERNAL_VOLUMES, all_of(kinds.EXTERNAL_VOLUME), whole_account=True),
}
"""The listings by the plural that SHOW names."""
