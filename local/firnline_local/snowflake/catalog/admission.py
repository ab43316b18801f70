"""Whether a user who has proven who they are is let in: their network policy, then their authentication policy."""

from firnline_local.snowflake.catalog import kinds
from firnline_local.snowflake.catalog.directory import Directory
from firnline_local.snowflake.catalog.errors import AuthenticationFailed
from firnline_local.snowflake.catalog.names import read_name
from firnline_local.snowflake.catalog.policies import NetworkPolicy, NetworkRule
from firnline_local.snowflake.catalog.users import User

LOOPBACK = "127.0.0.1"
"""Where everybody comes from."""
NETWORK_POLICY = "NETWORK_POLICY"


def check_admission(user: User, directory: Directory) -> None:
    """Raises AuthenticationFailed: 390422 for the address, 390202 for the way to log in."""
    policy = network_policy_of(user, directory)
    if policy is not None and not policy.allows(LOOPBACK, lambda name: find_rule(directory, name)):
        raise AuthenticationFailed(
            f"Incoming request with IP/Token {LOOPBACK} is not allowed to access Snowflake. Contact your account "
            f"administrator.",
            reason=f"the network policy {policy.name} of {user.name} doesn't allow it",
            code="390422",
        )
    authentication = user.authentication_policy
    if authentication is not None and not authentication.allows_key_pairs:
        raise AuthenticationFailed(
            "Authentication attempt rejected by the current authentication policy.",
            reason=f"{authentication.full_name} of {user.name} has no key pairs",
            code="390202",
        )


def network_policy_of(user: User, directory: Directory) -> NetworkPolicy | None:
    name = user.parameters.get(NETWORK_POLICY)
    found = directory.find(kinds.NETWORK_POLICY, read_name(name)) if name else None
    return found if isinstance(found, NetworkPolicy) else None


def find_rule(directory: Directory, name: str) -> NetworkRule | None:
    """By full name."""
    found = directory.find(kinds.NETWORK_RULE, read_name(name))
    return found if isinstance(found, NetworkRule) else None
