"""Roles and service users, and from where and with what those may connect."""

import pulumi_snowflake as snowflake

from firnline_infra.blueprint.snowflake import AuthenticationPolicy, NetworkPolicy, SnowflakeRole, SnowflakeUser
from firnline_infra.pulumi.snowflake.child_factory import ChildFactory, ObjectKind
from firnline_infra.specification.identifier import QualifiedName


def network_policy(children: ChildFactory, args: NetworkPolicy) -> None:
    made = snowflake.NetworkPolicy(
        children.name("network-policy"),
        name=args.name.name,
        allowed_ip_lists=list(args.allowed_networks),
        comment=args.comment,
        opts=children.options(),
    )
    children.add(ObjectKind.POLICY, args.name, made.name)


def authentication_policy(children: ChildFactory, args: AuthenticationPolicy) -> None:
    database, schema, name = args.name.parts
    made = snowflake.AuthenticationPolicy(
        children.name("authentication-policy"),
        database=children.stored(ObjectKind.DATABASE, database),
        schema=children.after(ObjectKind.SCHEMA, QualifiedName((database, schema)), schema.name),
        name=name.name,
        authentication_methods=list(args.methods),
        comment=args.comment,
        opts=children.options(),
    )
    children.add(ObjectKind.POLICY, args.name, made.name)


def role(children: ChildFactory, args: SnowflakeRole) -> None:
    made = snowflake.AccountRole(
        children.name("role", args.name), name=args.name.name, comment=args.comment, opts=children.options()
    )
    children.add(ObjectKind.ROLE, args.name, made.name)


def user(children: ChildFactory, args: SnowflakeUser) -> None:
    policy, warehouse = args.network_policy, args.default_warehouse
    made = snowflake.ServiceUser(
        children.name("user", args.name),
        name=args.name.name,
        default_role=children.stored(ObjectKind.ROLE, args.default_role),
        default_secondary_roles_option=args.secondary_roles,
        default_warehouse=None if warehouse is None else warehouse.name,
        disabled="false",  # its default, written out: unwritten, Pulumi overlooks a user that somebody disabled
        rsa_public_key=args.public_key,
        rsa_public_key2=args.public_key_2,
        network_policy=None if policy is None else children.stored(ObjectKind.POLICY, policy),
        comment=args.comment,
        opts=children.options(ignore_changes=[] if args.adopted_network_policy is None else ["networkPolicy"]),
    )
    children.add(ObjectKind.USER, args.name, made.name)
    if args.authentication_policy is not None:
        snowflake.UserAuthenticationPolicyAttachment(
            children.name("user", args.name, "authentication-policy"),
            user_name=children.stored(ObjectKind.USER, args.name),
            authentication_policy_name=children.quoted(ObjectKind.POLICY, args.authentication_policy),
            opts=children.options(),
        )
