"""Objects in Snowflake, as SHOW and DESCRIBE tell of them through the connector, with their grants."""

import json
from collections.abc import Iterator
from typing import Any

from firnline_infra.accounts.accounts import rows

from .in_aws import Facts

Found = Iterator[tuple[str, dict[str, Any]]]
BORN_WITH = {"ACCOUNTADMIN", "SECURITYADMIN", "SYSADMIN", "USERADMIN", "PUBLIC", "INFORMATION_SCHEMA"}
SWITCHES = ("enable_schema_evolution", "error_logging", "row_timestamp")


def in_snowflake(session: Any) -> Facts:
    """`session`: an administrator's."""
    looks = (_containers, _tables, _latest, _stages, _pipes, _roles, _users, _policies, _warehouses, _volumes)
    return dict(found for look in looks for found in look(session))


def _containers(session: Any) -> Found:
    for each in rows(session, "SHOW DATABASES"):
        yield f"database {each['name']}", {"comment": each["comment"]}
    for each in rows(session, "SHOW SCHEMAS IN ACCOUNT"):
        if each["name"] not in BORN_WITH:
            yield f"schema {each['database_name']}.{each['name']}", {"comment": each["comment"]}


def _latest(session: Any) -> Found:
    said = ("target_lag", "refresh_mode", "warehouse", "comment", "scheduling_state", "owner")
    for each in rows(session, "SHOW DYNAMIC TABLES IN ACCOUNT"):
        query = {"query": each["text"].partition(" AS ")[2]}
        yield f"dynamic table {_name(each)}", {name: each[name] for name in said} | query


def _tables(session: Any) -> Found:
    lakes = {_name(each): each for each in rows(session, "SHOW ICEBERG TABLES IN ACCOUNT")}
    interactive = {_name(each) for each in rows(session, "SHOW INTERACTIVE TABLES IN ACCOUNT")}
    for each in rows(session, "SHOW TABLES IN ACCOUNT"):
        if each["is_dynamic"] == "Y":
            continue
        name = _name(each)
        lake = lakes.get(name, {})
        yield (
            f"table {name}",
            {
                "columns": {column["name"]: column["type"] for column in rows(session, f"DESCRIBE TABLE {name}")},
                "switches": {switch: each[switch] in ("ON", "Y") for switch in SWITCHES},
                "owner": each["owner"],
                "comment": each["comment"] or "",
                "iceberg": [lake.get(part) for part in ("external_volume_name", "base_location")],
                "interactive": name in interactive,
                "sorting": each["cluster_by"] or "",
            },
        )


def _stages(session: Any) -> Found:
    for each in rows(session, "SHOW STAGES IN ACCOUNT"):
        yield f"stage {_name(each)}", {"comment": each["comment"]}


def _pipes(session: Any) -> Found:
    for each in rows(session, "SHOW PIPES IN ACCOUNT"):
        yield f"pipe {_name(each)}", {"definition": each["definition"], "comment": each["comment"]}


def _roles(session: Any) -> Found:
    for name in (each["name"] for each in rows(session, "SHOW ROLES")):
        if name not in BORN_WITH:
            has = rows(session, f"SHOW GRANTS TO ROLE {name}")
            of = rows(session, f"SHOW GRANTS OF ROLE {name}")
            yield (
                f"Snowflake role {name}",
                {
                    "may": {f"{each['privilege']} {each['granted_on']} {each['name']}" for each in has},
                    "granted_to": {f"{each['granted_to']} {each['grantee_name']}" for each in of},
                },
            )


def _users(session: Any) -> Found:
    for name in (each["name"] for each in rows(session, "SHOW USERS")):
        told = {each["property"]: each["value"] for each in rows(session, f"DESCRIBE USER {name}")}
        (network,) = rows(session, f"SHOW PARAMETERS LIKE 'NETWORK_POLICY' FOR USER {name}")
        reference = f"REF_ENTITY_NAME => '{name}', REF_ENTITY_DOMAIN => 'USER'"
        policies = rows(session, f"SELECT * FROM TABLE(SNOWFLAKE.INFORMATION_SCHEMA.POLICY_REFERENCES({reference}))")
        yield (
            f"Snowflake user {name}",
            {
                "type": told["TYPE"],
                "roles": [told["DEFAULT_ROLE"], told["DEFAULT_SECONDARY_ROLES"]],
                "warehouse": told["DEFAULT_WAREHOUSE"],
                "keys": [told["RSA_PUBLIC_KEY"], told["RSA_PUBLIC_KEY_2"]],
                "policies": [network["value"] or "", *(each["policy_name"] for each in policies)],
                "comment": told["COMMENT"],
            },
        )


def _policies(session: Any) -> Found:
    for each in rows(session, "SHOW NETWORK POLICIES"):
        told = rows(session, f"DESCRIBE NETWORK POLICY {each['name']}")
        yield (
            f"network policy {each['name']}",
            {"settings": {one["name"]: one["value"] for one in told}, "comment": each["comment"]},
        )
    for each in rows(session, "SHOW AUTHENTICATION POLICIES IN ACCOUNT"):
        told = rows(session, f"DESCRIBE AUTHENTICATION POLICY {_name(each)}")
        methods = [one["value"] for one in told if one["property"] == "AUTHENTICATION_METHODS"]
        yield f"authentication policy {_name(each)}", {"methods": methods, "comment": each["comment"]}


def _listed(tables: str) -> list[str]:
    """`[A.B.C, D.E.F]`, as SHOW WAREHOUSES has it."""
    return [name for name in tables.strip("[]").split(", ") if name]


def _warehouses(session: Any) -> Found:
    for each in rows(session, "SHOW WAREHOUSES"):
        yield (
            f"warehouse {each['name']}",
            {name: each[name] for name in ("type", "size", "comment")} | {"tables": _listed(each["tables"])},
        )


def _volumes(session: Any) -> Found:
    for each in rows(session, "SHOW EXTERNAL VOLUMES"):
        told = rows(session, f"DESCRIBE EXTERNAL VOLUME {each['name']}")
        (location,) = (json.loads(one["property_value"]) for one in told if one["property"] == "STORAGE_LOCATION_1")
        yield f"volume {each['name']}", {"location": location, "comment": each["comment"]}


def _name(row: dict[str, Any]) -> str:
    return f"{row['database_name']}.{row['schema_name']}.{row['name']}"
