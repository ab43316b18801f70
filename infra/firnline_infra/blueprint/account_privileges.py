"""Privileges of the deployer's role in a whole account of Snowflake, each with its reason."""

from collections.abc import Callable
from dataclasses import dataclass

from firnline_infra.blueprint.environment import Blueprint


@dataclass(frozen=True, kw_only=True)
class AccountPrivilege:
    """`needed_for` gives what an environment has of what the privilege is for."""

    privilege: str
    why: str
    when: str = "always"
    needed_for: Callable[[Blueprint], object]


ACCOUNT_PRIVILEGES = (
    AccountPrivilege(
        privilege="CREATE DATABASE",
        why="the pipelines' databases; their schemas and tables follow",
        needed_for=lambda blueprint: blueprint.landing.databases,
    ),
    AccountPrivilege(
        privilege="CREATE ROLE",
        why="the roles of engine and reader",
        needed_for=lambda blueprint: blueprint.landing.roles,
    ),
    AccountPrivilege(
        privilege="CREATE USER",
        why="and their users",
        needed_for=lambda blueprint: blueprint.landing.users,
    ),
    AccountPrivilege(
        privilege="CREATE NETWORK POLICY",
        why="from where the users may connect",
        when="`allowed_networks`",
        needed_for=lambda blueprint: blueprint.landing.network_policy,
    ),
    AccountPrivilege(
        privilege="CREATE EXTERNAL VOLUME",
        why="the places of Iceberg tables",
        when="`external_volumes`",
        needed_for=lambda blueprint: blueprint.environment.made_volumes,
    ),
    AccountPrivilege(
        privilege="CREATE WAREHOUSE",
        why="the interactive warehouse",
        when="`interactive_warehouse`",
        needed_for=lambda blueprint: blueprint.landing.warehouse,
    ),
)
"""docs.snowflake.com/en/user-guide/security-access-control-privileges; `when` names the field of the specification."""


def account_privileges(blueprint: Blueprint) -> dict[str, str]:
    """The privileges that the environment needs, each with the reason."""
    return {each.privilege: each.why for each in ACCOUNT_PRIVILEGES if each.needed_for(blueprint)}
