"""Everything in Snowflake that an environment's pipelines need: places, principals, grants, and last of all ownership."""

from typing import Any

from firnline_infra.blueprint.grants import OwnershipGrant, PrivilegeGrant, RoleGrant, Securable
from firnline_infra.blueprint.snowflake import AuthenticationPolicy, NetworkPolicy, SnowflakeObjects, SnowflakeUser
from firnline_infra.kinds import snowflake_tables as tables
from firnline_infra.kinds.resource import Component, Resource
from firnline_infra.kinds.snowflake_registry import LandingRegistry, ObjectKind

KINDS = {
    Securable.DATABASE: ObjectKind.DATABASE,
    Securable.SCHEMA: ObjectKind.SCHEMA,
    Securable.TABLE: ObjectKind.TABLE,
    Securable.ICEBERG_TABLE: ObjectKind.TABLE,
    Securable.INTERACTIVE_TABLE: ObjectKind.TABLE,
    Securable.DYNAMIC_TABLE: ObjectKind.TABLE,
    Securable.PIPE: ObjectKind.PIPE,
    Securable.STAGE: ObjectKind.STAGE,
    Securable.WAREHOUSE: ObjectKind.WAREHOUSE,
    Securable.EXTERNAL_VOLUME: ObjectKind.VOLUME,
    Securable.USER: ObjectKind.USER,
}


def snowflake_landing(name: str, args: SnowflakeObjects, *, after: tuple[Component, ...] = ()) -> Component:
    """The objects that records land in. Only Iceberg tables and grants on volumes wait for `after`, the volumes. Ownership
    is granted after everything else, and taken back before it goes, so that the role that deploys owns what it changes."""
    registry = LandingRegistry(name)
    for database in args.databases:
        tables.database(registry, database)
    for schema in args.schemas:
        tables.schema(registry, schema)
    objects = registry.described(lambda: _objects(registry, args))
    _principals(registry, args)
    grants = registry.described(lambda: _grants(registry, args))
    for user in args.users:
        _attachment(registry, user, grants)
    for ownership in args.ownerships:
        _ownership_grant(registry, ownership, (*objects, *grants))
    return Component("SnowflakeLanding", name, tuple(registry.resources), after=after)


def _objects(registry: LandingRegistry, args: SnowflakeObjects) -> None:
    for table in args.tables:
        tables.table(registry, table)
    for stage in args.stages:
        tables.stage(registry, stage)
    for pipe in args.pipes:
        tables.pipe(registry, pipe)
    for latest in args.latest:
        tables.latest(registry, latest)
    if args.warehouse is not None:
        tables.warehouse(registry, args.warehouse)


def _principals(registry: LandingRegistry, args: SnowflakeObjects) -> None:
    if args.network_policy is not None:
        _network_policy(registry, args.network_policy)
    if args.authentication_policy is not None:
        _authentication_policy(registry, args.authentication_policy)
    for role in args.roles:
        said = {"name": role.name.name, "comment": role.comment}
        registry.makes(ObjectKind.ROLE, role.name, registry.add("account_role", ("role", role.name), said))
    for user in args.users:
        _user(registry, user)


def _network_policy(registry: LandingRegistry, args: NetworkPolicy) -> None:
    said = {"name": args.name.name, "allowed_ip_list": list(args.allowed_networks), "comment": args.comment}
    registry.makes(ObjectKind.POLICY, args.name, registry.add("network_policy", ("network-policy",), said))


def _authentication_policy(registry: LandingRegistry, args: AuthenticationPolicy) -> None:
    said = {
        **registry.in_schema(args.name),
        "authentication_methods": list(args.methods),
        "comment": args.comment,
    }
    made = registry.add("authentication_policy", ("authentication-policy",), said)
    registry.makes(ObjectKind.POLICY, args.name, made)


def _user(registry: LandingRegistry, args: SnowflakeUser) -> None:
    policy, warehouse = args.network_policy, args.default_warehouse
    said = {
        "name": args.name.name,
        "default_role": registry.stored(ObjectKind.ROLE, args.default_role),
        "default_secondary_roles_option": args.secondary_roles,
        "default_warehouse": None if warehouse is None else warehouse.name,
        "disabled": "false",  # its default, written out: unwritten, Pulumi overlooks a user that somebody disabled
        "rsa_public_key": args.public_key,
        "rsa_public_key_2": args.public_key_2,
        "network_policy": None if policy is None else registry.stored(ObjectKind.POLICY, policy),
        "comment": args.comment,
    }
    ignored = () if args.adopted_network_policy is None else ("network_policy",)
    made = registry.add("service_user", ("user", args.name), said, ignore_changes=ignored)
    registry.makes(ObjectKind.USER, args.name, made)


def _attachment(registry: LandingRegistry, args: SnowflakeUser, after: tuple[Resource, ...]) -> None:
    """The user's authentication policy, after the grants: one of them lets the role that deploys apply it to this user."""
    if args.authentication_policy is None:
        return
    attached = {
        "user_name": registry.stored(ObjectKind.USER, args.name),
        "authentication_policy_name": registry.quoted(ObjectKind.POLICY, args.authentication_policy),
    }
    suffix = ("user", args.name, "authentication-policy")
    registry.add("user_authentication_policy_attachment", suffix, attached, after=after)


def _grants(registry: LandingRegistry, args: SnowflakeObjects) -> None:
    for role in args.role_grants:
        _role_grant(registry, role)
    for grant in args.grants:
        _privilege_grant(registry, grant)


def _role_grant(registry: LandingRegistry, args: RoleGrant) -> None:
    said = {"role_name": registry.stored(ObjectKind.ROLE, args.role)}
    if args.user is not None:
        said["user_name"] = registry.stored(ObjectKind.USER, args.user)
        registry.add("grant_account_role", ("grant", args.role, "to-user", args.user), said)
        return
    if args.to_role is None:
        raise TypeError(f"a grant of {args.role} to nobody")
    said["parent_role_name"] = registry.stored(ObjectKind.ROLE, args.to_role)
    registry.add("grant_account_role", ("grant", args.role, "to-role", args.to_role), said)


def _privilege_grant(registry: LandingRegistry, args: PrivilegeGrant) -> None:
    said = {
        "account_role_name": registry.stored(ObjectKind.ROLE, args.role),
        "privileges": list(args.privileges),
        **_target(registry, args),
    }
    suffix = ("grant", args.role, _words(args.on), args.name)
    waits = args.on is Securable.EXTERNAL_VOLUME
    registry.add("grant_privileges_to_account_role", suffix, said, waits_with_component=waits)


def _target(registry: LandingRegistry, args: PrivilegeGrant) -> dict[str, Any]:
    kind = KINDS[args.on]
    if args.on is Securable.SCHEMA:
        return {"on_schema": {"schema_name": registry.quoted(kind, args.name)}}
    if len(args.name.parts) == 1:
        (name,) = args.name.parts
        return {"on_account_object": {"object_type": args.on.value, "object_name": registry.stored(kind, name)}}
    return {"on_schema_object": {"object_type": args.on.value, "object_name": registry.quoted(kind, args.name)}}


def _ownership_grant(registry: LandingRegistry, args: OwnershipGrant, after: tuple[Resource, ...]) -> None:
    said = {
        "account_role_name": registry.stored(ObjectKind.ROLE, args.role),
        "outbound_privileges": "COPY",
        "on": {"object_type": args.on.value, "object_name": registry.quoted(KINDS[args.on], args.name)},
    }
    registry.add("grant_ownership", ("ownership", _words(args.on), args.name), said, after=after)


def _words(securable: Securable) -> str:
    return securable.value.lower().replace(" ", "-")
