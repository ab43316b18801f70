"""Roles for users and roles, privileges for roles, and last of all ownership."""

from typing import TypedDict

import pulumi
import pulumi_snowflake as snowflake

from firnline_infra.blueprint.snowflake import OwnershipGrant, PrivilegeGrant, RoleGrant, Securable
from firnline_infra.pulumi.snowflake.site import Kind, Site

KINDS = {
    Securable.DATABASE: Kind.DATABASE,
    Securable.SCHEMA: Kind.SCHEMA,
    Securable.TABLE: Kind.TABLE,
    Securable.ICEBERG_TABLE: Kind.TABLE,
    Securable.INTERACTIVE_TABLE: Kind.TABLE,
    Securable.PIPE: Kind.PIPE,
    Securable.WAREHOUSE: Kind.WAREHOUSE,
    Securable.EXTERNAL_VOLUME: Kind.VOLUME,
}


class Target(TypedDict, total=False):
    on_account_object: snowflake.GrantPrivilegesToAccountRoleOnAccountObjectArgsDict
    on_schema: snowflake.GrantPrivilegesToAccountRoleOnSchemaArgsDict
    on_schema_object: snowflake.GrantPrivilegesToAccountRoleOnSchemaObjectArgsDict


def role_grant(site: Site, args: RoleGrant) -> pulumi.Resource:
    if args.user is not None:
        return snowflake.GrantAccountRole(
            site.child("grant", args.role, "to-user", args.user),
            role_name=site.stored(Kind.ROLE, args.role),
            user_name=site.stored(Kind.USER, args.user),
            opts=site.options(),
        )
    if args.to_role is None:
        raise TypeError(f"a grant of {args.role} to nobody")
    return snowflake.GrantAccountRole(
        site.child("grant", args.role, "to-role", args.to_role),
        role_name=site.stored(Kind.ROLE, args.role),
        parent_role_name=site.stored(Kind.ROLE, args.to_role),
        opts=site.options(),
    )


def privilege_grant(site: Site, args: PrivilegeGrant) -> pulumi.Resource:
    return snowflake.GrantPrivilegesToAccountRole(
        site.child("grant", args.role, _words(args.on), args.name),
        account_role_name=site.stored(Kind.ROLE, args.role),
        privileges=list(args.privileges),
        **_target(site, args),
        opts=site.waiting_options() if args.on is Securable.EXTERNAL_VOLUME else site.options(),
    )


def ownership_grant(site: Site, args: OwnershipGrant, *, after: list[pulumi.Resource]) -> pulumi.Resource:
    """After everything else, and removed before it, so that the role that deploys owns what it changes."""
    return snowflake.GrantOwnership(
        site.child("ownership", _words(args.on), args.name),
        account_role_name=site.stored(Kind.ROLE, args.role),
        outbound_privileges="COPY",
        on={"object_type": args.on.value, "object_name": site.quoted(KINDS[args.on], args.name)},
        opts=site.options(depends_on=after),
    )


def _target(site: Site, args: PrivilegeGrant) -> Target:
    kind = KINDS[args.on]
    if args.on is Securable.SCHEMA:
        return {"on_schema": {"schema_name": site.quoted(kind, args.name)}}
    if len(args.name.parts) == 1:
        (name,) = args.name.parts
        return {"on_account_object": {"object_type": args.on.value, "object_name": site.stored(kind, name)}}
    return {"on_schema_object": {"object_type": args.on.value, "object_name": site.quoted(kind, args.name)}}


def _words(securable: Securable) -> str:
    return securable.value.lower().replace(" ", "-")
