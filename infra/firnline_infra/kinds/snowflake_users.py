"""Properties of users and policies that no provider compares: what the program leaves out is nothing to it.

Each way to log in as a user beside its recorded keys, a door of the network policy's beside its list of addresses, a user that
somebody disabled.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from firnline_infra.kinds.comparison import Difference, Subject
from firnline_ingest.identifiers import like_pattern

NOTHING, UNSET = "nothing", {"", "null", "[]", "None"}
TYPE, SERVICE = "userType", "SERVICE"
"""The provider takes a user of another type for one that is not there."""
KEYS = {"rsaPublicKey": "RSA_PUBLIC_KEY", "rsaPublicKey2": "RSA_PUBLIC_KEY_2"}
LOGINS = {
    "password": (("HAS_PASSWORD",), "UNSET PASSWORD"),
    "programmatic access token": (("HAS_PAT",), "REMOVE PROGRAMMATIC ACCESS TOKEN …"),
    "workload identity": (
        ("HAS_WORKLOAD_IDENTITY", "HAS_FEDERATED_WORKLOAD_AUTHENTICATION"),
        "UNSET WORKLOAD_IDENTITY",
    ),
}
"""Each by the properties that tell of it (docs.snowflake.com: SHOW USERS, DESCRIBE USER, behaviour change 1951) and what
closes it."""
BESIDE_THE_ADDRESSES = {
    "allowedNetworkRuleLists": "ALLOWED_NETWORK_RULE_LIST",
    "blockedNetworkRuleLists": "BLOCKED_NETWORK_RULE_LIST",
    "blockedIpLists": "BLOCKED_IP_LIST",
}


def properties_of_user(subject: Subject) -> Iterator[Difference]:
    user = subject.wanted
    reported = _described(subject)
    if str(reported.get("DISABLED", "false")).lower() == "true":
        enable = f"find out why; then ALTER USER {user.name.sql} SET DISABLED = FALSE"
        yield Difference(path="disabled", expected="false", found="true", next_step=enable)
    wanted: Mapping[str, str | None] = {"rsaPublicKey": user.public_key, "rsaPublicKey2": user.public_key_2}
    if (kind := _text(reported.get("TYPE"))) not in (SERVICE, NOTHING):
        step = f"find out who did it and why: it may have a password now; then ALTER USER {user.name.sql} SET TYPE = SERVICE"
        yield Difference(path=TYPE, expected=SERVICE, found=kind, next_step=step)
    for path, key in KEYS.items():
        expected, found = _text(wanted[path]), _text(reported.get(key))
        if expected != found:
            step = "find out who put it there: whoever has its private half is the user. `firnline up` sets it back"
            yield Difference(path=path, expected=expected, found=found, next_step=step)
    expected = user.network_policy.name if user.network_policy else NOTHING
    if user.adopted_network_policy is None and (found := _network_policy(subject)) != expected:
        step = "`firnline up` sets it back, where the specification has one"
        yield Difference(path="networkPolicy", expected=expected, found=found, next_step=step)


def logins_of_user(subject: Subject) -> Iterator[Difference]:
    """Ways to be the user without one of its keys."""
    user = subject.wanted.name
    listed = {
        key.upper(): value
        for row in subject.rows(f"SHOW USERS LIKE {like_pattern(user.name)}")
        if row["name"] == user.name
        for key, value in row.items()
    }
    reported = {**listed, **_described(subject)}
    for path, (names, closes) in LOGINS.items():
        if any(str(reported.get(each)).lower() == "true" for each in names):
            yield Difference.unwanted(path, "set", f"ALTER USER {user.sql} {closes}")


def doors_of_network_policy(subject: Subject) -> Iterator[Difference]:
    policy = subject.wanted.name
    reported = {str(row["name"]): row["value"] for row in subject.rows(f"DESCRIBE NETWORK POLICY {policy.sql}")}
    for path, name in BESIDE_THE_ADDRESSES.items():
        if (found := _text(reported.get(name))) != NOTHING:
            yield Difference.unwanted(path, found, f"ALTER NETWORK POLICY {policy.sql} UNSET {name}")


def _described(subject: Subject) -> dict[str, Any]:
    rows = subject.rows(f"DESCRIBE USER {subject.wanted.name.sql}")
    return {str(row["property"]): row["value"] for row in rows}


def _network_policy(subject: Subject) -> str:
    """The user's own, not the account's."""
    rows = subject.rows(f"SHOW PARAMETERS LIKE 'NETWORK_POLICY' FOR USER {subject.wanted.name.sql}")
    return next((_text(row["value"]) for row in rows if row["level"] == "USER"), NOTHING)


def _text(value: Any) -> str:
    return NOTHING if value is None or str(value) in UNSET else str(value)
