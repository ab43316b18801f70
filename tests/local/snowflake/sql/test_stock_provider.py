"""The statements of the stock provider (2.20.0, recorded), each of which has to be answered so that it can read the answer.

The recording holds every distinct statement by resource, in order of create, read, update and delete, with the columns and
types of an answer that the provider took. It is replayed resource by resource; before each statement the objects that it
is about are put into the state that the recording had them in.
"""

import gzip
import json
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from firnline_local.snowflake.catalog import SqlError
from firnline_local.snowflake.sql.result import WIRE_NAMES

RECORDING = Path(__file__).with_name("stock_provider.jsonl.gz")
TRACKED = ' --terraform_provider_usage_tracking {"json_schema_version":"1","version":"v2.20.0","operation":"read"}'

NAMES = {
    "database": "RAW", "database2": "RAW2", "schema": "LANDING", "schema2": "LANDING2", "table": "EVENTS", "role": "LOADER",
    "role2": "LOADER2", "parent_role": "OWNER", "user": "SVC", "user2": "SVC2", "warehouse": "WH", "warehouse2": "WH2",
    "network_policy": "NP", "network_rule": "NR", "authentication_policy": "AP", "authentication_policy2": "AP2",
    "external_volume": "VOL", "iceberg_table": "ICE", "pipe": "P", "comment": "c", "bucket": "b", "external_id": "x",
    "role_arn": "arn:aws:iam::123456789012:role/r",
}  # fmt: skip # a paragraph, not a column
WORLD = """
CREATE DATABASE IF NOT EXISTS RAW; CREATE SCHEMA IF NOT EXISTS RAW.LANDING; CREATE SCHEMA IF NOT EXISTS RAW."tx lower";
CREATE ROLE IF NOT EXISTS LOADER; CREATE ROLE IF NOT EXISTS OWNER; CREATE WAREHOUSE IF NOT EXISTS WH;
CREATE NETWORK RULE IF NOT EXISTS RAW.LANDING.NR TYPE = IPV4 VALUE_LIST = ('10.0.0.0/8');
CREATE NETWORK POLICY IF NOT EXISTS NP; CREATE AUTHENTICATION POLICY IF NOT EXISTS RAW.LANDING.AP;
CREATE AUTHENTICATION POLICY IF NOT EXISTS RAW.LANDING.AP2; CREATE USER IF NOT EXISTS SVC TYPE = SERVICE;
CREATE TABLE IF NOT EXISTS RAW.LANDING.EVENTS (RECORD_CONTENT VARIANT);
CREATE PIPE IF NOT EXISTS RAW.LANDING.P AS COPY INTO RAW.LANDING.EVENTS
  FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')) MATCH_BY_COLUMN_NAME = CASE_SENSITIVE;
CREATE EXTERNAL VOLUME IF NOT EXISTS VOL
  STORAGE_LOCATIONS = ((NAME = 'l' STORAGE_PROVIDER = 'S3' STORAGE_AWS_ROLE_ARN = 'r' STORAGE_BASE_URL = 's3://b/'));
CREATE ICEBERG TABLE IF NOT EXISTS RAW.LANDING.ICE (ID STRING) EXTERNAL_VOLUME = VOL BASE_LOCATION = 'i/'
"""
COLUMNS_TO_ALTER = '(ID NUMBER NOT NULL, A VARCHAR(10), B TIMESTAMP_NTZ, D ARRAY, "lower" STRING, EXTRA INT)'

# What is NULL or missing here fails the provider's run.
MUST = {
    "SHOW DATABASES": "created_on name",
    "SHOW SCHEMAS": "created_on name is_default is_current database_name owner retention_time owner_role_type",
    "SHOW ROLES": "created_on name assigned_to_users granted_to_roles granted_roles",
    "SHOW USERS": "name created_on owner",
    "DESCRIBE USER": "property value default description",
    "SHOW TABLES": "created_on name database_name schema_name kind owner",
    "DESCRIBE TABLE": "name type kind null? primary_key unique_key",
    "SHOW PIPES": "created_on name database_name schema_name definition owner",
    "SHOW WAREHOUSES": "name state type is_default is_current auto_resume available provisioning quiescing other created_on "
    "resumed_on updated_on owner comment resource_monitor actives pendings failed suspended uuid",
    "SHOW NETWORK POLICIES": "created_on name comment entries_in_allowed_ip_list entries_in_blocked_ip_list "
    "entries_in_allowed_network_rules entries_in_blocked_network_rules",
    "DESCRIBE NETWORK POLICY": "name value",
    "SHOW NETWORK RULES": "created_on name database_name schema_name owner comment type mode entries_in_valuelist "
    "owner_role_type",
    "DESCRIBE NETWORK RULE": "created_on name database_name schema_name owner comment type mode value_list",
    "SHOW AUTHENTICATION POLICIES": "name comment kind options",
    "DESCRIBE AUTHENTICATION POLICY": "property value default description",
    "SHOW EXTERNAL VOLUMES": "name allow_writes",
    "DESCRIBE EXTERNAL VOLUME": "parent_property property property_type property_value property_default",
    "SHOW ICEBERG TABLES": "created_on name database_name schema_name iceberg_table_type can_write_metadata owner_role_type "
    "catalog_sync_name auto_refresh_status iceberg_table_format_version partition_specs current_partition_spec_id",
    "DESCRIBE ICEBERG TABLE": "name type kind null? primary_key unique_key",
    "SHOW PARAMETERS": "value",
    "SHOW GRANTS": "created_on privilege granted_on name granted_to grantee_name grant_option granted_by",
    "SHOW FUTURE GRANTS": "created_on privilege grant_on name grant_to grantee_name grant_option",
}
MOMENT = "timestamp_ltz"
MAY_BE_EMPTY = ("SHOW GRANTS", "SHOW FUTURE", "DESCRIBE SCHEMA", "SELECT *", "DESCRIBE NETWORK POLICY")


def recorded() -> list[dict[str, Any]]:
    with gzip.open(RECORDING, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def resources() -> Iterator[Any]:
    for resource, statements in groupby(recorded(), key=lambda each: each["resource"]):
        yield pytest.param(list(statements), id=resource)


@pytest.fixture
def public_key(admin_key) -> str:
    pem = admin_key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    return "".join(pem.splitlines()[1:-1])


@pytest.mark.parametrize("statements", list(resources()))
def test_each_statement_is_answered_in_columns_that_the_provider_can_read(
    sql, catalog, public_key: str, statements: list[dict[str, Any]]
) -> None:
    catalog.volume_access = lambda _location, _principal: []
    for recording in statements:
        statement = spelled(recording["sql"], public_key)
        make_room(sql, statement)
        result = sql(statement if recording["resource"] == "execute" else statement + TRACKED)
        if not statement.startswith(("SHOW", "DESCRIBE", "SELECT")):
            continue
        wires = {column.name: wire_type(column.type.family) for column in result.columns}
        for name, kind in recording["columns"].items():
            assert name in wires, (statement, name)
            assert (kind == MOMENT) == (wires[name] == MOMENT), (statement, name, wires[name])
        assert result.rows or not recording["found"] or statement.startswith(MAY_BE_EMPTY), statement
        rows = [dict(zip(wires, row, strict=True)) for row in result.rows]
        for needed in (names for kind, names in MUST.items() if statement.startswith(kind)):
            if not statement.startswith("SHOW GRANTS OF"):
                assert all(row[name.replace("_key", " key")] is not None for row in rows for name in needed.split()), (
                    statement
                )


def test_what_is_gone_is_said_in_the_words_that_the_provider_looks_for(sql) -> None:
    for statement in (
        'SHOW TABLES LIKE \'T\' IN SCHEMA "DB"."GONE"',
        "SHOW SCHEMAS LIKE 'S' IN DATABASE \"GONE\"",
        'SHOW GRANTS OF ROLE "GONE"',
        'SHOW GRANTS ON EXTERNAL VOLUME "GONE"',
        'DESCRIBE USER "GONE"',
        'REVOKE USAGE ON DATABASE "GONE" FROM ROLE "PUBLIC"',
        "SELECT * FROM TABLE (SNOWFLAKE.INFORMATION_SCHEMA.POLICY_REFERENCES "
        "(REF_ENTITY_NAME => '\\\"GONE\\\"', REF_ENTITY_DOMAIN => 'USER'))",
    ):
        assert "does not exist or not authorized" in sql.refusal(statement + TRACKED).message


def test_no_boolean_property_of_a_user_is_null_by_default_because_that_crashes_the_provider(sql) -> None:
    sql("CREATE USER u TYPE = SERVICE")
    defaults = {row["property"]: row["default"] for row in sql.table("DESCRIBE USER u")}
    assert {defaults[name] for name in ("DISABLED", "HAS_MFA", "EXT_AUTHN_DUO", "MUST_CHANGE_PASSWORD")} == {"false"}


def wire_type(family: str) -> str:
    return WIRE_NAMES.get(family, family).lower()


def spelled(statement: str, public_key: str) -> str:
    """With names in the place of the recording's placeholders."""
    names = {**NAMES, "public_key": public_key, "public_key_pem": public_key}
    return re.sub(r"<([a-z_0-9]+)>", lambda match: names[match[1]], statement)


def make_room(sql, statement: str) -> None:
    """The object that a statement makes does not exist, and what it is about does."""
    for made in WORLD.split(";"):
        try_to(sql, made)
    if statement.startswith(("CREATE EXTERNAL VOLUME", "DROP EXTERNAL VOLUME")):
        sql("DROP ICEBERG TABLE RAW.LANDING.ICE")
    if made := re.match(r"CREATE (?:TRANSIENT )?([A-Z ]+?) (\".*?)(?: |$)(?=[^.]*)", statement):
        target = re.match(r'(?:"(?:[^"]|"")+"\.?)+', statement[made.start(2) :])[0]
        if made[1] == "NETWORK POLICY":
            try_to(sql, "ALTER USER SVC UNSET NETWORK_POLICY")
        try_to(sql, f"DROP {made[1]} IF EXISTS {target}")
    if statement.startswith("ALTER TABLE") and "SET ENABLE_SCHEMA" not in statement:
        sql(f"CREATE OR REPLACE TABLE RAW.LANDING.EVENTS {COLUMNS_TO_ALTER}")
    if renamed := re.match(r"ALTER ([A-Z]+) (\S+|\"[^\"]+\"\.\"[^\"]+\") RENAME TO (.*)", statement):
        try_to(sql, f"DROP {renamed[1]} IF EXISTS {renamed[3]}")
    elif altered := re.match(
        r'(?:ALTER|SHOW PARAMETERS IN|DESCRIBE|SHOW) (ROLE|DATABASE|USER|WAREHOUSE)S? (?:LIKE )?["\'](\w+2)["\']',
        statement,
    ):
        try_to(sql, f"CREATE {altered[1]} IF NOT EXISTS {altered[2]} {'TYPE = SERVICE' * (altered[1] == 'USER')}")
    if "SET AUTHENTICATION POLICY" in statement and "FORCE" not in statement:
        sql("ALTER USER SVC UNSET AUTHENTICATION POLICY")


def try_to(sql, statement: str) -> None:
    try:
        sql(statement)
    except SqlError as error:
        if error.code not in ("002003", "001492"):
            raise
