"""Roles for users and roles, privileges for roles, and last of all ownership."""

from typing import TypedDict

import pulumi
import pulumi_snowflake as snowflake

from firnline_infra.blueprint.grants import OwnershipGrant, PrivilegeGrant, RoleGrant, Securable
from firnline_infra.pulumi.snowflake.child_factory import ChildFactory, ObjectKind

KINDS = {
    Securable.DATABASE: ObjectKind.DATABASE,
    Securable.SCHEMA: ObjectKind.SCHEMA,
    Securable.TABLE: ObjectKind.TABLE,
    Securable.ICEBERG_TABLE: ObjectKind.TABLE,
    Securable.INTERACTIVE_TABLE: ObjectKind.TABLE,
    Securable.PIPE: ObjectKind.PIPE,
    Securable.STAGE: ObjectKind.STAGE,
    Securable.WAREHOUSE: ObjectKind.WAREHOUSE,
    Securable.EXTERNAL_VOLUME: ObjectKind.VOLUME,
    Securable.USER: ObjectKind.USER,
}


class GrantTarget(TypedDict, total=False):
    on_account_object: snowflake.GrantPrivilegesToAccountRoleOnAccountObjectArgsDict
    on_schema: snowflake.GrantPrivilegesToAccountRoleOnSchemaArgsDict
    on_schema_object: snowflake.GrantPrivilegesToAccountRoleOnSchemaObjectArgsDict


def role_grant(children: ChildFactory, args: RoleGrant) -> pulumi.Resource:
    if args.user is not None:
        return snowflake.GrantAccountRole(
            children.name("grant", args.role, "to-user", args.user),
            role_name=children.stored(ObjectKind.ROLE, args.role),
            user_name=children.stored(ObjectKind.USER, args.user),
            opts=children.options(),
        )
    if args.to_role is None:
        raise TypeError(f"a grant of {args.role} to nobody")
    return snowflake.GrantAccountRole(
        children.name("grant", args.role, "to-role", args.to_role),
        role_name=children.stored(ObjectKind.ROLE, args.role),
        parent_role_name=children.stored(ObjectKind.ROLE, args.to_role),
        opts=children.options(),
    )


def privilege_grant(children: ChildFactory, args: PrivilegeGrant) -> pulumi.Resource:
    return snowflake.GrantPrivilegesToAccountRole(
        children.name("grant", args.role, _words(args.on), args.name),
        account_role_name=children.stored(ObjectKind.ROLE, args.role),
        privileges=list(args.privileges),
        **_target(children, args),
        opts=children.waiting_options() if args.on is Securable.EXTERNAL_VOLUME else children.options(),
    )


def ownership_grant(children: ChildFactory, args: OwnershipGrant, *, after: list[pulumi.Resource]) -> pulumi.Resource:
    """After everything else, and removed before it, so that the role that deploys owns what it changes."""
    return snowflake.GrantOwnership(
        children.name("ownership", _words(args.on), args.name),
        account_role_name=children.stored(ObjectKind.ROLE, args.role),
        outbound_privileges="COPY",
        on={"object_type": args.on.value, "object_name": children.quoted(KINDS[args.on], args.name)},
        opts=children.options(depends_on=after),
    )


def _target(children: ChildFactory, args: PrivilegeGrant) -> GrantTarget:
    kind = KINDS[args.on]
    if args.on is Securable.SCHEMA:
        return {"on_schema": {"schema_name": children.quoted(kind, args.name)}}
    if len(args.name.parts) == 1:
        (name,) = args.name.parts
        return {"on_account_object": {"object_type": args.on.value, "object_name": children.stored(kind, name)}}
    return {"on_schema_object": {"object_type": args.on.value, "object_name": children.quoted(kind, args.name)}}


def _words(securable: Securable) -> str:
    return securable.value.lower().replace(" ", "-")
