"""Policies of users: ALTER USER … AUTHENTICATION POLICY, and who may put a user under a network policy."""

from collections.abc import Mapping

from firnline_local.snowflake.catalog import AuthenticationPolicy, NetworkPolicy, User, kinds
from firnline_local.snowflake.catalog.admission import NETWORK_POLICY
from firnline_local.snowflake.catalog.errors import CompilationFault, InsufficientPrivileges
from firnline_local.snowflake.catalog.kinds import Kind
from firnline_local.snowflake.catalog.names import read_name
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.words import Words

APPLY = "APPLY AUTHENTICATION POLICY"


def alter_policy_of(context: Context, words: Words, user: User) -> bool:
    """Whether the statement was one about the user's authentication policy."""
    match words.accept_one("SET AUTHENTICATION POLICY", "UNSET AUTHENTICATION POLICY"):
        case "SET AUTHENTICATION POLICY":
            policy = context.find(AuthenticationPolicy, words.name())
            force = words.accept("FORCE")
            words.end()
            _require_apply(context, user)
            if user.authentication_policy is not None and not force:
                raise CompilationFault(
                    f"Object {user.full_name} already has an AUTHENTICATION_POLICY. Only one is allowed at a time: "
                    f"unset it, or set the new one with FORCE."
                )
            user.authentication_policy = policy
        case "UNSET AUTHENTICATION POLICY":
            words.end()
            _require_apply(context, user)
            user.authentication_policy = None
        case _:
            return False
    return True


def refuse_foreign_policy(context: Context, kind: Kind, parameters: Mapping[str, str]) -> None:
    """A network policy has to exist, and to belong to the role that puts a user under it (`user-guide/network-policies`)."""
    if kind is not kinds.USER or not parameters.get(NETWORK_POLICY):
        return
    policy = context.find(NetworkPolicy, read_name(parameters[NETWORK_POLICY]))
    if not context.may("OWNERSHIP", policy):
        raise InsufficientPrivileges(policy.kind.name, policy.full_name)


def _require_apply(context: Context, user: User) -> None:
    if not context.may(APPLY, context.account):
        context.require(APPLY, user)
