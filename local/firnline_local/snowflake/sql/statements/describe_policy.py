"""DESCRIBE for policies, network rules and external volumes."""

import json
from typing import Any

from firnline_local.snowflake.catalog import (
    AuthenticationPolicy,
    ExternalVolume,
    NetworkPolicy,
    NetworkRule,
    StorageLocation,
)
from firnline_local.snowflake.catalog.volumes import storage_user_arn
from firnline_local.snowflake.sql.result import TEXT, Result, listing
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.show.listings import Listed, described, setting
from firnline_local.snowflake.sql.show.policies import AUTHENTICATION_DEFAULTS, DESCRIBED_LISTS, NETWORK_RULES
from firnline_local.snowflake.sql.words import Words

POLICY_COLUMNS = ("property", "value", "default", "description")
VOLUME_COLUMNS = ("parent_property", "property", "property_type", "property_value", "property_default")


def describe_network_policy(context: Context, words: Words) -> Result:
    policy = context.find(NetworkPolicy, words.name())
    words.end()
    rows = [(key, write(policy.listed(key))) for key, write in DESCRIBED_LISTS.items() if policy.listed(key)]
    return listing([("name", TEXT), ("value", TEXT)], rows)


def describe_network_rule(context: Context, words: Words) -> Result:
    rule = context.find(NetworkRule, words.name())
    words.end()
    columns = [column for column in NETWORK_RULES if column.name not in ("entries_in_valuelist", "owner_role_type")]
    columns.append(Listed("value_list", lambda found, _: ",".join(found.listed("VALUE_LIST"))))
    return described(columns, rule, context)


def describe_authentication_policy(context: Context, words: Words) -> Result:
    policy = context.find(AuthenticationPolicy, words.name())
    words.end()
    rows = [["NAME", policy.name, "null", ""], ["OWNER", policy.owner_name, "null", ""]]
    rows += [["COMMENT", policy.comment or "null", "null", ""]]
    for key, default in AUTHENTICATION_DEFAULTS.items():
        value = setting(key, None)(policy, context)
        found = json.loads(value) if value is not None and isinstance(default, list) else value
        rows.append([key, _shown(default if found is None else found), _shown(default), ""])
    return listing([(name, TEXT) for name in POLICY_COLUMNS], rows)


def describe_external_volume(context: Context, words: Words) -> Result:
    volume = context.find(ExternalVolume, words.name())
    words.end()
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
