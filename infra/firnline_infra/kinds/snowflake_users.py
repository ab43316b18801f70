"""Properties of users and policies that no provider compares: what the program leaves out is nothing to it.

Each way to log in as a user beside its recorded keys, a door of the network policy's beside its list of addresses, a user that
somebody disabled.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from firnline_infra.kinds.comparison import Difference, Subject
from firnline_infra.kinds.kind import camel
from firnline_ingest.identifiers import like_pattern

NOTHING, UNSET = "nothing", {"", "null", "[]", "None"}
TYPE, SERVICE = "userType", "SERVICE"
"""The provider takes a user of another type for one that is not there."""
KEYS = {"rsaPublicKey": "RSA_PUBLIC_KEY", "rsaPublicKey2": "RSA_PUBLIC_KEY_2"}
LOGINS = {
    "password": (("PASSWORD", "HAS_PASSWORD"), "UNSET PASSWORD"),
    "programmatic access token": (
        ("HAS_PAT",),
        "REMOVE PROGRAMMATIC ACCESS TOKEN …, for each that SHOW USER PROGRAMMATIC ACCESS TOKENS FOR USER {user} lists",
    ),
    "workload identity": (
        ("HAS_WORKLOAD_IDENTITY", "HAS_FEDERATED_WORKLOAD_AUTHENTICATION"),
        "UNSET WORKLOAD_IDENTITY",
    ),
}
"""Each by the properties that tell of it, one of which is enough, and what closes it. DESCRIBE USER has PASSWORD, obfuscated, and
no HAS_PASSWORD; it shows a user to a role with MONITOR on it, and SHOW USERS nothing but the name without OWNERSHIP or MANAGE
GRANTS: its other columns are NULL then (docs.snowflake.com, `sql-reference/sql/desc-user`, `sql-reference/sql/show-users`,
`user-guide/security-access-control-privileges`, 2026-11-28)."""
AT_DEFAULT = {
    "DAYS_TO_EXPIRY": "null",
    "MINS_TO_UNLOCK": "null",
    "MINS_TO_BYPASS_MFA": "null",
    "MINS_TO_BYPASS_NETWORK_POLICY": "null",
    "EXT_AUTHN_UID": "null",
    "MUST_CHANGE_PASSWORD": "false",
    "SNOWFLAKE_LOCK": "false",
    "EXT_AUTHN_DUO": "false",
}
"""Properties that the stack leaves as they are, by which a user can't log in any more, or can from elsewhere (same pages). An
account whose DESCRIBE USER lacks one of them has no such property."""
BESIDE_THE_ADDRESSES = {
    "allowedNetworkRuleLists": "ALLOWED_NETWORK_RULE_LIST",
    "blockedNetworkRuleLists": "BLOCKED_NETWORK_RULE_LIST",
    "blockedIpLists": "BLOCKED_IP_LIST",
}


def stated_of_user(subject: Subject) -> Iterator[Difference]:
    """Returns what the stack states of a user.

    Its provider compares it too, but not for a role that SHOW USERS hides the user from.
    """
    user, reported = subject.wanted, _described(subject)
    stated = {
        "defaultRole": ("DEFAULT_ROLE", user.default_role.name),
        "defaultWarehouse": ("DEFAULT_WAREHOUSE", user.default_warehouse.name if user.default_warehouse else None),
        "defaultSecondaryRolesOption": ("DEFAULT_SECONDARY_ROLES", None),
        "comment": ("COMMENT", user.comment),
    }
    for path, (key, value) in stated.items():
        expected, found = _text(value), _text(reported.get(key)).strip('"')
        if expected != found:
            step = "find out who set it and why; `firnline up` sets it back"
            yield Difference(path=path, expected=expected, found=found, next_step=step)


def properties_of_user(subject: Subject) -> Iterator[Difference]:
    user = subject.wanted
    reported = _described(subject)
    if hidden := [each for each in ("TYPE", "DISABLED") if reported.get(each) is None]:
        raise subject.out_of_sight(" and ".join(hidden))
    if (name := _text(reported.get("LOGIN_NAME"))) not in (user.name.name.upper(), NOTHING):
        step = f"find out why; then ALTER USER {user.name.sql} SET LOGIN_NAME = '{user.name.name}'"
        yield Difference(path="loginName", expected=user.name.name.upper(), found=name, next_step=step)
    for key, default in AT_DEFAULT.items():
        if (found := str(reported.get(key, default)).lower()) not in (default, "", "none"):
            step = f"find out who set it and why; then ALTER USER {user.name.sql} UNSET {key}"
            yield Difference(path=camel(key.lower()), expected=_text(default), found=found, next_step=step)
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
        step = "`firnline up` sets it back, if the specification has one"
        yield Difference(path="networkPolicy", expected=expected, found=found, next_step=step)


def logins_of_user(subject: Subject) -> Iterator[Difference]:
    """Ways to be the user without one of its keys."""
    user, reported = subject.wanted.name, _described(subject)
    if any(_says(reported, names) is None for names, _ in LOGINS.values()):
        reported = {**_listed(subject), **reported}
    unseen = []
    for path, (names, closes) in LOGINS.items():
        match _says(reported, names):
            case None:
                unseen.append(path)
            case True:
                yield Difference.unwanted(path, "set", f"ALTER USER {user.sql} {closes.format(user=user.sql)}")
    if unseen:
        raise subject.out_of_sight(f"whether there is a {' or '.join(unseen)}")


def _says(reported: Mapping[str, Any], names: tuple[str, ...]) -> bool | None:
    """Returns whether the user has it, by any of the properties; None where none of them is shown."""
    shown = [str(reported[each]).lower() for each in names if reported.get(each) is not None]
    return any(each not in ("false", "null", "") for each in shown) if shown else None


def _listed(subject: Subject) -> dict[str, Any]:
    name = subject.wanted.name.name
    rows = subject.rows(f"SHOW USERS LIKE {like_pattern(name)}")
    return {key.upper(): value for row in rows if row["name"] == name for key, value in row.items()}


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
