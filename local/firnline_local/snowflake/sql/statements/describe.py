"""DESCRIBE for each kind of object."""

import json
from collections.abc import Callable
from typing import Any

from firnline_local.snowflake.catalog import (
    AuthenticationPolicy,
    Column,
    Database,
    ExternalVolume,
    NetworkPolicy,
    NetworkRule,
    Pipe,
    Schema,
    StorageLocation,
    Table,
    User,
    Warehouse,
)
from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.catalog.kinds import TABLE_VARIETIES
from firnline_local.snowflake.catalog.users import KEY_SLOTS
from firnline_local.snowflake.catalog.volumes import storage_user_arn
from firnline_local.snowflake.sql.result import MOMENT, TEXT, Result, listing
from firnline_local.snowflake.sql.scope import Context, find_named
from firnline_local.snowflake.sql.show.listings import (
    AUTHENTICATION_DEFAULTS,
    DESCRIBED_LISTS,
    NETWORK_RULES,
    PIPES,
    Listed,
    described,
    setting,
)
from firnline_local.snowflake.sql.token_reader import TokenReader

POLICY_COLUMNS = ("property", "value", "default", "description")
VOLUME_COLUMNS = ("parent_property", "property", "property_type", "property_value", "property_default")


def describe_network_policy(context: Context, reader: TokenReader) -> Result:
    policy = context.find(NetworkPolicy, reader.name())
    reader.end()
    rows = [(key, write(policy.listed(key))) for key, write in DESCRIBED_LISTS.items() if policy.listed(key)]
    return listing([("name", TEXT), ("value", TEXT)], rows)


def describe_network_rule(context: Context, reader: TokenReader) -> Result:
    rule = context.find(NetworkRule, reader.name())
    reader.end()
    columns = [column for column in NETWORK_RULES if column.name not in ("entries_in_valuelist", "owner_role_type")]
    columns.append(Listed("value_list", lambda found, _: ",".join(found.listed("VALUE_LIST"))))
    return described(columns, rule, context)


def describe_authentication_policy(context: Context, reader: TokenReader) -> Result:
    policy = context.find(AuthenticationPolicy, reader.name())
    reader.end()
    rows = [["NAME", policy.name, "null", ""], ["OWNER", policy.owner_name, "null", ""]]
    rows += [["COMMENT", policy.comment or "null", "null", ""]]
    for key, default in AUTHENTICATION_DEFAULTS.items():
        value = setting(key, None)(policy, context)
        found = json.loads(value) if value is not None and isinstance(default, list) else value
        rows.append([key, _shown(default if found is None else found), _shown(default), ""])
    return listing([(name, TEXT) for name in POLICY_COLUMNS], rows)


def describe_external_volume(context: Context, reader: TokenReader) -> Result:
    volume = context.find(ExternalVolume, reader.name())
    reader.end()
    user = storage_user_arn(context.account.name)
    rows: list[tuple[Any, ...]] = [("", "ALLOW_WRITES", "Boolean", volume.allow_writes, True)]
    for number, location in enumerate(volume.locations, start=1):
        described = json.dumps(_location(location, user))
        rows.append(("STORAGE_LOCATIONS", f"STORAGE_LOCATION_{number}", "String", described, ""))
    rows.append(("STORAGE_LOCATIONS", "ACTIVE", "String", volume.locations[0].name, ""))
    rows.append(("", "COMMENT", "String", volume.comment, ""))
    return listing([(name, TEXT) for name in VOLUME_COLUMNS], rows)


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


TABLE_COLUMNS = (
    "name", "type", "kind", "null?", "default", "primary key", "unique key", "check", "expression", "comment", "policy name",
    "privacy domain",
)  # fmt: skip # a paragraph, not a column
EVOLUTION = "schema evolution record"
USER_COLUMNS = ("property", "value", "default", "description")
UNSET = "null"
"""How DESCRIBE USER writes a property without a value."""
BOOLEANS = ("DISABLED", "MUST_CHANGE_PASSWORD", "EXT_AUTHN_DUO", "HAS_MFA", "SNOWFLAKE_LOCK", "HAS_PASSWORD")
USER_TEXTS = (
    "NAME", "COMMENT", "DISPLAY_NAME", "TYPE", "LOGIN_NAME", "FIRST_NAME", "LAST_NAME", "EMAIL", "DAYS_TO_EXPIRY",
    "MINS_TO_UNLOCK", "DEFAULT_WAREHOUSE", "DEFAULT_NAMESPACE", "DEFAULT_ROLE", "DEFAULT_SECONDARY_ROLES",
)  # fmt: skip # a paragraph, not a column


def describe(context: Context, reader: TokenReader) -> Result:
    kind = reader.accept_one(*DESCRIBED)
    if kind is None:
        raise NotKnown(f"DESCRIBE {reader.rest[:40]}")
    return DESCRIBED[kind](context, reader)


def _table(context: Context, reader: TokenReader) -> Result:
    table = context.find(Table, reader.name())
    reader.accept("TYPE = COLUMNS")
    reader.end()
    names = [*TABLE_COLUMNS, *([EVOLUTION] if table.enable_schema_evolution else [])]
    rows = [
        [*_column(column), *([column.evolution] if table.enable_schema_evolution else [])] for column in table.columns
    ]
    return listing([(name, TEXT) for name in names], rows)


def _column(column: Column) -> list[str | None]:
    return [
        column.name,
        str(column.type),
        "COLUMN",
        "Y" if column.nullable else "N",
        column.default.text if column.default else None,
        "Y" if column.primary_key else "N",
        "Y" if column.unique else "N",
        None,
        None,
        column.comment or None,
        None,
        None,
    ]


def _pipe(context: Context, reader: TokenReader) -> Result:
    pipe = context.find(Pipe, reader.name())
    reader.end()
    return described(PIPES, pipe, context)


def _user(context: Context, reader: TokenReader) -> Result:
    user = context.find(User, reader.name())
    reader.end()
    known = {**user.properties, "NAME": user.name, "COMMENT": user.comment, "LOGIN_NAME": user.login_name}
    known.setdefault("DISPLAY_NAME", user.name)
    rows = [[name, known.get(name) or UNSET, UNSET, ""] for name in USER_TEXTS]
    rows += [[name, known.get(name, "false"), "false", ""] for name in BOOLEANS]
    for slot in KEY_SLOTS:
        key = user.public_keys.get(slot)
        rows.append([slot, key.text if key else UNSET, UNSET, ""])
        rows.append([f"{slot}_FP", key.fingerprint if key else UNSET, UNSET, ""])
    return listing([(name, TEXT) for name in USER_COLUMNS], rows)


def _contents(container: type[Database] | type[Schema]) -> Callable[[Context, TokenReader], Result]:
    def describe_container(context: Context, reader: TokenReader) -> Result:
        found = context.find(container, reader.name())
        reader.end()
        inside = [inner for objects in found.contents.values() for inner in objects.values()]
        rows = [
            [inner.created_on, inner.name, inner.kind.name]
            for inner in inside
            if context.catalog.sees(context.role, inner)
        ]
        return listing([("created_on", MOMENT), ("name", TEXT), ("kind", TEXT)], rows)

    return describe_container


def _warehouse(context: Context, reader: TokenReader) -> Result:
    found = context.find(Warehouse, reader.name())
    reader.end()
    return listing(
        [("created_on", MOMENT), ("name", TEXT), ("kind", TEXT)], [[found.created_on, found.name, found.kind.name]]
    )


def _variety(words_for_it: str) -> Callable[[Context, TokenReader], Result]:
    def describe_variety(context: Context, reader: TokenReader) -> Result:
        names = reader.name()
        reader.end()
        table = find_named(context, words_for_it, names)
        assert isinstance(table, Table)
        more = ("name mapping", "source iceberg type", "write default") if table.iceberg else ()
        rows = [[*_column(column), *(None for _ in more)] for column in table.columns]
        return listing([(name, TEXT) for name in (*TABLE_COLUMNS, *more)], rows)

    return describe_variety


DESCRIBED: dict[str, Callable[[Context, TokenReader], Result]] = {
    "TABLE": _table,
    **{variety: _variety(variety) for variety in TABLE_VARIETIES},
    "PIPE": _pipe,
    "WAREHOUSE": _warehouse,
    "NETWORK POLICY": describe_network_policy,
    "NETWORK RULE": describe_network_rule,
    "AUTHENTICATION POLICY": describe_authentication_policy,
    "EXTERNAL VOLUME": describe_external_volume,
    "USER": _user,
    "DATABASE": _contents(Database),
    "SCHEMA": _contents(Schema),
}
