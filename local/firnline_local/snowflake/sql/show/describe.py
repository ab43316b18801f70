"""DESCRIBE for each kind of object, in the columns that a real account has."""

import json
from collections.abc import Callable
from typing import Any

from firnline_local.snowflake.catalog import (
    AuthenticationPolicy,
    Column,
    ExternalVolume,
    NetworkPolicy,
    NetworkRule,
    Schema,
    StorageLocation,
    Table,
    User,
    kinds,
)
from firnline_local.snowflake.catalog.errors import InsufficientPrivileges
from firnline_local.snowflake.catalog.storage import storage_user_arn
from firnline_local.snowflake.catalog.users import KEY_SLOTS
from firnline_local.snowflake.sql.result import MOMENT, Result, listing
from firnline_local.snowflake.sql.scope import Context, find_named
from firnline_local.snowflake.sql.show.listings import (
    NETWORK_RULES,
    PIPES,
    Listed,
    described,
    setting,
)
from firnline_local.snowflake.sql.token_reader import TokenReader

PROPERTY_COLUMNS = ("property", "value", "default", "description")
VOLUME_COLUMNS = ("parent_property", "property", "property_type", "property_value", "property_default")
TABLE_COLUMNS = (
    "name", "type", "kind", "null?", "default", "primary key", "unique key", "check", "expression", "comment", "policy name",
    "privacy domain",
)  # fmt: skip # a paragraph, not a column
EVOLUTION = "schema evolution record"
ICEBERG_COLUMNS = ("name mapping", "source iceberg type", "write default")
UNSET = "null"
"""DESCRIBE USER writes this for a property without a value."""
OBFUSCATED = "********"
"""A password, as DESCRIBE USER shows it (`sql-reference/sql/desc-user`, 2026-11-28). It has no HAS_PASSWORD."""
BOOLEANS = (
    "DISABLED", "MUST_CHANGE_PASSWORD", "EXT_AUTHN_DUO", "HAS_MFA", "SNOWFLAKE_LOCK", "HAS_PAT",
    "HAS_WORKLOAD_IDENTITY",
)  # fmt: skip # a paragraph, not a column
USER_TEXTS = (
    "NAME", "COMMENT", "DISPLAY_NAME", "TYPE", "LOGIN_NAME", "FIRST_NAME", "LAST_NAME", "EMAIL", "PASSWORD", "DAYS_TO_EXPIRY",
    "MINS_TO_UNLOCK", "MINS_TO_BYPASS_MFA", "MINS_TO_BYPASS_NETWORK_POLICY", "EXT_AUTHN_UID", "DEFAULT_WAREHOUSE",
    "DEFAULT_NAMESPACE", "DEFAULT_ROLE", "DEFAULT_SECONDARY_ROLES",
)  # fmt: skip # a paragraph, not a column


DESCRIBED_LISTS: dict[str, Callable[[list[str]], str]] = {
    "ALLOWED_IP_LIST": ",".join,
    "BLOCKED_IP_LIST": ",".join,
    "ALLOWED_NETWORK_RULE_LIST": lambda names: json.dumps([{"fullyQualifiedRuleName": name} for name in names]),
    "BLOCKED_NETWORK_RULE_LIST": lambda names: json.dumps([{"fullyQualifiedRuleName": name} for name in names]),
}
"""How DESCRIBE NETWORK POLICY writes each list; it leaves out those that are not set."""

AUTHENTICATION_DEFAULTS: dict[str, Any] = {
    "AUTHENTICATION_METHODS": ["ALL"],
    "CLIENT_TYPES": ["ALL"],
    "SECURITY_INTEGRATIONS": ["ALL"],
    "MFA_ENROLLMENT": "REQUIRED_PASSWORD_ONLY",
}


def _network_policy(_context: Context, policy: NetworkPolicy) -> Result:
    rows = [(key, write(policy.listed(key))) for key, write in DESCRIBED_LISTS.items() if policy.listed(key)]
    return listing(("name", "value"), rows)


def _network_rule(context: Context, rule: NetworkRule) -> Result:
    columns = [column for column in NETWORK_RULES if column.name not in ("entries_in_valuelist", "owner_role_type")]
    columns.append(Listed("value_list", lambda found, _: ",".join(found.listed("VALUE_LIST"))))
    return described(columns, rule, context)


def _authentication_policy(context: Context, policy: AuthenticationPolicy) -> Result:
    rows = [["NAME", policy.name, "null", ""], ["OWNER", policy.owner_name, "null", ""]]
    rows += [["COMMENT", policy.comment or "null", "null", ""]]
    for key, default in AUTHENTICATION_DEFAULTS.items():
        value = setting(key, None)(policy, context)
        found = json.loads(value) if value is not None and isinstance(default, list) else value
        rows.append([key, _shown(default if found is None else found), _shown(default), ""])
    return listing(PROPERTY_COLUMNS, rows)


def _external_volume(context: Context, volume: ExternalVolume) -> Result:
    user = storage_user_arn(context.account.name)
    rows: list[tuple[Any, ...]] = [("", "ALLOW_WRITES", "Boolean", volume.allow_writes, True)]
    for number, location in enumerate(volume.locations, start=1):
        described = json.dumps(_location(location, user))
        rows.append(("STORAGE_LOCATIONS", f"STORAGE_LOCATION_{number}", "String", described, ""))
    rows.append(("STORAGE_LOCATIONS", "ACTIVE", "String", volume.locations[0].name, ""))
    rows.append(("", "COMMENT", "String", volume.comment, ""))
    return listing(VOLUME_COLUMNS, rows)


def _location(location: StorageLocation, user: str) -> dict[str, Any]:
    return {
        "NAME": location.name,
        "STORAGE_PROVIDER": location.provider,
        "STORAGE_BASE_URL": location.base_url,
        "STORAGE_ALLOWED_LOCATIONS": [f"{location.base_url}*"],
        "STORAGE_AWS_ROLE_ARN": location.role_arn,
        "STORAGE_AWS_IAM_USER_ARN": user,
        "STORAGE_AWS_EXTERNAL_ID": location.external_id,
        "ENCRYPTION_TYPE": location.encryption,
        "ENCRYPTION_KMS_KEY_ID": location.kms_key_id,
    }


def _shown(value: Any) -> str:
    return f"[{', '.join(value)}]" if isinstance(value, list) else str(value)


SHOWS_STRUCTURE = ("REFERENCES", "SELECT")
"""REFERENCES by the page of privileges, for every variety of table; SELECT by that of DESCRIBE ICEBERG TABLE, which calls the
statement interchangeable with DESCRIBE TABLE (2026-11-28). No page lets INSERT describe a table."""


def describe(context: Context, reader: TokenReader) -> Result:
    kind = reader.choose(DESCRIBED, after="DESCRIBE")
    found = find_named(context, kind, reader.name())
    if isinstance(found, Table) and not any(context.may(privilege, found) for privilege in SHOWS_STRUCTURE):
        raise InsufficientPrivileges("table", found.name)
    if kind == kinds.TABLE.name:
        reader.accept("TYPE = COLUMNS")
    reader.end()
    return DESCRIBED[kind](context, found)


def _table(_context: Context, table: Table) -> Result:
    is_evolving = table.enable_schema_evolution
    rows = [[*_column(column), *([column.evolution] if is_evolving else [])] for column in table.columns]
    return listing((*TABLE_COLUMNS, *([EVOLUTION] if is_evolving else [])), rows)


def _table_variety(_context: Context, table: Table) -> Result:
    more = ICEBERG_COLUMNS if table.iceberg else ()
    rows = [[*_column(column), *(None for _ in more)] for column in table.columns]
    return listing((*TABLE_COLUMNS, *more), rows)


def _column(column: Column) -> list[str | None]:
    return [
        column.name,
        str(column.type),
        "COLUMN",
        "Y" if column.nullable else "N",
        column.default.text if column.default else None,
        "Y" if column.primary_key else "N",
        "N",
        None,
        None,
        column.comment or None,
        None,
        None,
    ]


DESCRIBES_USER = ("OWNERSHIP", "MONITOR", "MODIFY PROGRAMMATIC AUTHENTICATION METHODS")
"""Its page names OWNERSHIP, that of privileges MONITOR; the third is believed."""


def _user(context: Context, user: User) -> Result:
    manages = context.catalog.grants.manages_grants(context.role, user)
    if not manages and not any(context.may(privilege, user) for privilege in DESCRIBES_USER):
        raise InsufficientPrivileges("user", user.name)
    known = {**user.properties, "NAME": user.name, "COMMENT": user.comment, "LOGIN_NAME": user.login_name}
    known.setdefault("DISPLAY_NAME", user.name)
    if "PASSWORD" in known:
        known["PASSWORD"] = OBFUSCATED
    rows = [[name, known.get(name) or UNSET, UNSET, ""] for name in USER_TEXTS]
    known |= {name.upper(): "true" for name, has in user.logins.items() if has}
    rows += [[name, known.get(name, "false"), "false", ""] for name in BOOLEANS]
    for slot in KEY_SLOTS:
        key = user.public_keys.get(slot)
        rows.append([slot, key.text if key else UNSET, UNSET, ""])
        rows.append([f"{slot}_FP", key.fingerprint if key else UNSET, UNSET, ""])
    return listing(PROPERTY_COLUMNS, rows)


def _schema(context: Context, schema: Schema) -> Result:
    inside = [inner for objects in schema.contents.values() for inner in objects.values()]
    seen = [inner for inner in inside if context.catalog.sees(context.role, inner)]
    columns = (("created_on", MOMENT), "name", "kind")
    return listing(columns, [[found.created_on, found.name, found.kind.name] for found in seen])


DESCRIBED: dict[str, Callable[[Context, Any], Result]] = {
    "TABLE": _table,
    **dict.fromkeys(kinds.TABLE_VARIETIES, _table_variety),
    "PIPE": lambda context, pipe: described(PIPES, pipe, context),
    "NETWORK POLICY": _network_policy,
    "NETWORK RULE": _network_rule,
    "AUTHENTICATION POLICY": _authentication_policy,
    "EXTERNAL VOLUME": _external_volume,
    "USER": _user,
    "SCHEMA": _schema,
}
