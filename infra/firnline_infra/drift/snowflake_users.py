"""Properties of users and policies that no provider compares: what the program leaves out is nothing to it.

A second key, a door of the network policy's beside its list of addresses, a user that somebody disabled.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from firnline_infra.blueprint.snowflake import NetworkPolicy, SnowflakeUser
from firnline_infra.drift.context import DriftContext, shown
from firnline_infra.observe import NOTHING, Check, Finding
from firnline_infra.specification.identifier import Identifier

USER, POLICY = "snowflake service user", "snowflake network policy"
UNSET = {"", "null", "[]"}
KEYS = {"rsaPublicKey": "RSA_PUBLIC_KEY", "rsaPublicKey2": "RSA_PUBLIC_KEY_2"}
BESIDE_THE_ADDRESSES = {
    "allowedNetworkRuleLists": "ALLOWED_NETWORK_RULE_LIST",
    "blockedNetworkRuleLists": "BLOCKED_NETWORK_RULE_LIST",
    "blockedIpLists": "BLOCKED_IP_LIST",
}


def checks(context: DriftContext) -> Iterator[Check]:
    for user in context.blueprint.landing.users:
        yield Check(
            rule="user", name=f"the properties of {USER} {user.name}", run=partial(of_user, user, context.session)
        )
    if (policy := context.blueprint.landing.network_policy) is not None:
        yield Check(
            rule="user",
            name=f"the properties of {POLICY} {policy.name}",
            run=partial(of_policy, policy, context.session),
        )


def of_user(user: SnowflakeUser, session: Any) -> Iterator[Finding]:
    """Raises SnowflakeRefused."""
    described = shown(session, f"DESCRIBE USER {user.name.sql}", USER, user.name.name)
    reported = {str(row["property"]): row["value"] for row in described}
    if str(reported.get("DISABLED", "false")).lower() == "true":
        enable = f"ALTER USER {user.name.sql} SET DISABLED = FALSE"
        yield _finding(
            USER, user.name, "disabled", expected="false", found="true", next_step=f"find out why; then {enable}"
        )
    wanted: Mapping[str, str | None] = {"rsaPublicKey": user.public_key, "rsaPublicKey2": user.public_key_2}
    for path, key in KEYS.items():
        expected, found = _text(wanted[path]), _text(reported.get(key))
        if expected != found:
            step = "find out who put it there: whoever has its private half is the user. `firnline up` sets it back"
            yield _finding(USER, user.name, path, expected=expected, found=found, next_step=step)
    expected = user.network_policy.name if user.network_policy else NOTHING
    if (found := _network_policy_of(user.name, session)) != expected:
        step = "`firnline up` sets it back, where the specification has one"
        yield _finding(USER, user.name, "networkPolicy", expected=expected, found=found, next_step=step)


def of_policy(policy: NetworkPolicy, session: Any) -> Iterator[Finding]:
    """Raises SnowflakeRefused."""
    described = shown(session, f"DESCRIBE NETWORK POLICY {policy.name.sql}", POLICY, policy.name.name)
    reported = {str(row["name"]): row["value"] for row in described}
    for path, name in BESIDE_THE_ADDRESSES.items():
        if (found := _text(reported.get(name))) != NOTHING:
            unset = f"ALTER NETWORK POLICY {policy.name.sql} UNSET {name}"
            step = f"find out who opened it; then {unset}"
            yield _finding(POLICY, policy.name, path, expected=NOTHING, found=found, next_step=step)


def _network_policy_of(user: Identifier, session: Any) -> str:
    """The user's own, not the account's."""
    reported = shown(session, f"SHOW PARAMETERS LIKE 'NETWORK_POLICY' FOR USER {user.sql}", USER, user.name)
    return next((_text(row["value"]) for row in reported if row["level"] == "USER"), NOTHING)


def _text(value: Any) -> str:
    return NOTHING if value is None or str(value) in UNSET else str(value)


def _finding(kind: str, name: Identifier, path: str, *, expected: str, found: str, next_step: str) -> Finding:
    return Finding(
        kind=kind,
        name=name.name,
        path=path,
        expected=expected,
        found=found,
        next_step=next_step,
    )
