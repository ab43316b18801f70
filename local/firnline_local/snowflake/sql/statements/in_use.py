"""What can't be dropped, because something else relies on it."""

from collections.abc import Iterator

from firnline_local.snowflake.catalog import (
    AuthenticationPolicy,
    CatalogObject,
    ExternalVolume,
    NetworkPolicy,
    NetworkRule,
    Table,
    User,
)
from firnline_local.snowflake.catalog.admission import find_rule, network_policy_of
from firnline_local.snowflake.catalog.errors import InUse
from firnline_local.snowflake.sql.scope import Context

RULE_LISTS = ("ALLOWED_NETWORK_RULE_LIST", "BLOCKED_NETWORK_RULE_LIST")


def refuse_in_use(context: Context, found: CatalogObject) -> None:
    """Raises InUse."""
    users = [user.full_name for user in context.account.walk() if _relies(context, user, found)]
    if users:
        raise InUse(found.kind.name, found.full_name, ", ".join(users))


def _relies(context: Context, user: CatalogObject, found: CatalogObject) -> bool:
    match found, user:
        case ExternalVolume(), Table():
            return user.iceberg is not None and user.iceberg.external_volume is found
        case NetworkPolicy(), User():
            return network_policy_of(user, context.catalog.directory) is found
        case AuthenticationPolicy(), User():
            return user.authentication_policy is found
        case NetworkRule(), NetworkPolicy():
            return found in _rules(context, user)
        case _:
            return False


def _rules(context: Context, policy: NetworkPolicy) -> Iterator[NetworkRule | None]:
    return (find_rule(context.catalog.directory, name) for key in RULE_LISTS for name in policy.listed(key))
