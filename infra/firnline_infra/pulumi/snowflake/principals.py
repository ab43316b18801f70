"""Roles and service users, and from where and with what those may connect."""

import pulumi_snowflake as snowflake

from firnline_infra.blueprint.snowflake import AuthenticationPolicy, NetworkPolicy, Role, User
from firnline_infra.pulumi.snowflake.site import Kind, Site
from firnline_infra.specification.identifier import QualifiedName


def network_policy(site: Site, args: NetworkPolicy) -> None:
    made = snowflake.NetworkPolicy(
        site.child("network-policy"),
        name=args.name.name,
        allowed_ip_lists=list(args.allowed_networks),
        comment=args.comment,
        opts=site.options(),
    )
    site.add(Kind.POLICY, args.name, made.name)


def authentication_policy(site: Site, args: AuthenticationPolicy) -> None:
    database, schema, name = args.name.parts
    made = snowflake.AuthenticationPolicy(
        site.child("authentication-policy"),
        database=site.stored(Kind.DATABASE, database),
        schema=site.after(Kind.SCHEMA, QualifiedName((database, schema)), schema.name),
        name=name.name,
        authentication_methods=list(args.methods),
        comment=args.comment,
        opts=site.options(),
    )
    site.add(Kind.POLICY, args.name, made.name)


def role(site: Site, args: Role) -> None:
    made = snowflake.AccountRole(
        site.child("role", args.name), name=args.name.name, comment=args.comment, opts=site.options()
    )
    site.add(Kind.ROLE, args.name, made.name)


def user(site: Site, args: User) -> None:
    policy, warehouse = args.network_policy, args.default_warehouse
    made = snowflake.ServiceUser(
        site.child("user", args.name),
        name=args.name.name,
        default_role=site.stored(Kind.ROLE, args.default_role),
        default_secondary_roles_option=args.secondary_roles,
        default_warehouse=None if warehouse is None else warehouse.name,
        rsa_public_key=args.public_key,
        rsa_public_key2=args.public_key_2,
        network_policy=None if policy is None else site.stored(Kind.POLICY, policy),
        comment=args.comment,
        opts=site.options(),
    )
    site.add(Kind.USER, args.name, made.name)
    if args.authentication_policy is not None:
        snowflake.UserAuthenticationPolicyAttachment(
            site.child("user", args.name, "authentication-policy"),
            user_name=site.stored(Kind.USER, args.name),
            authentication_policy_name=site.quoted(Kind.POLICY, args.authentication_policy),
            opts=site.options(),
        )
