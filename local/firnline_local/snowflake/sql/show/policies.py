"""SHOW for policies and network rules."""

import json
from collections.abc import Callable
from typing import Any

from firnline_local.snowflake.catalog import kinds
from firnline_local.snowflake.sql.result import NUMBER
from firnline_local.snowflake.sql.show.listings import (
    COMMENT,
    CREATED_ON,
    DATABASE_NAME,
    NAME,
    OWNER,
    OWNER_ROLE_TYPE,
    SCHEMA_NAME,
    Listed,
    Listing,
    Value,
    all_of,
    named,
    setting,
)


def count_of(key: str) -> Value:
    return lambda found, _: len(found.listed(key))


NETWORK_POLICIES = (
    CREATED_ON, NAME, COMMENT, Listed("entries_in_allowed_ip_list", count_of("ALLOWED_IP_LIST"), NUMBER),
    Listed("entries_in_blocked_ip_list", count_of("BLOCKED_IP_LIST"), NUMBER),
    Listed("entries_in_allowed_network_rules", count_of("ALLOWED_NETWORK_RULE_LIST"), NUMBER),
    Listed("entries_in_blocked_network_rules", count_of("BLOCKED_NETWORK_RULE_LIST"), NUMBER),
)  # fmt: skip # a paragraph, not a column
NETWORK_RULES = (
    CREATED_ON, NAME, DATABASE_NAME, SCHEMA_NAME, OWNER, COMMENT, Listed("type", setting("TYPE")),
    Listed("mode", setting("MODE", "INGRESS")), Listed("entries_in_valuelist", count_of("VALUE_LIST"), NUMBER),
    OWNER_ROLE_TYPE,
)  # fmt: skip # a paragraph, not a column
AUTHENTICATION_POLICIES = (
    CREATED_ON, NAME, COMMENT, DATABASE_NAME, SCHEMA_NAME, *named("AUTHENTICATION_POLICY", "kind"), OWNER,
    OWNER_ROLE_TYPE, *named("", "options"),
)  # fmt: skip # a paragraph, not a column

POLICY_LISTINGS = {
    "NETWORK POLICIES": Listing(NETWORK_POLICIES, all_of(kinds.NETWORK_POLICY), whole_account=True),
    "NETWORK RULES": Listing(NETWORK_RULES, all_of(kinds.NETWORK_RULE)),
    "AUTHENTICATION POLICIES": Listing(AUTHENTICATION_POLICIES, all_of(kinds.AUTHENTICATION_POLICY)),
}

DESCRIBED_LISTS: dict[str, Callable[[list[str]], str]] = {
    "ALLOWED_IP_LIST": ",".join,
    "BLOCKED_IP_LIST": ",".join,
    "ALLOWED_NETWORK_RULE_LIST": lambda names: json.dumps([{"fullyQualifiedRuleName": name} for name in names]),
    "BLOCKED_NETWORK_RULE_LIST": lambda names: json.dumps([{"fullyQualifiedRuleName": name} for name in names]),
}
"""How DESCRIBE NETWORK POLICY writes each list; those that are not set are not shown."""

AUTHENTICATION_DEFAULTS: dict[str, Any] = {
    "AUTHENTICATION_METHODS": ["ALL"],
    "CLIENT_TYPES": ["ALL"],
    "SECURITY_INTEGRATIONS": ["ALL"],
    "MFA_ENROLLMENT": "REQUIRED_PASSWORD_ONLY",
}
