"""The types of pulumi-snowflake that there are."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from firnline_local.providers.kind import Rules
from firnline_local.providers.snowflake import (
    account_role,
    authentication_policy,
    database,
    execute,
    external_volume,
    grant_account_role,
    grant_ownership,
    grant_privileges_to_account_role,
    iceberg_table,
    network_policy,
    pipe,
    schema,
    service_user,
    table,
    user_authentication_policy_attachment,
    warehouse,
    warehouse_interactive,
)

FILES: tuple[Any, ...] = (
    account_role,
    authentication_policy,
    database,
    execute,
    external_volume,
    grant_account_role,
    grant_ownership,
    grant_privileges_to_account_role,
    iceberg_table,
    network_policy,
    pipe,
    schema,
    service_user,
    table,
    user_authentication_policy_attachment,
    warehouse,
    warehouse_interactive,
)


@dataclass(frozen=True)
class OfFile:
    type: str
    rules: Rules
    create: Callable[..., Any]
    read: Callable[..., Any]
    update: Callable[..., Any]
    delete: Callable[..., Any]


KINDS = tuple(OfFile(each.TYPE, each.RULES, each.create, each.read, each.update, each.delete) for each in FILES)
