"""A resource of every kind that there is in Snowflake, each with a change that an update can reach, and what they need."""

import json
from collections.abc import Mapping
from typing import Any

from firnline_local.providers.clients import Clients
from firnline_local.providers.snowflake.volumes import EXTERNAL_VOLUME

DATABASE, LAKE = "KILLED", "killed-lake"
IN_SCHEMA = {"database": DATABASE, "schema": "S"}
OURS = {"comment": "killed"}
CHANGED = {"comment": "killed, and changed"}
COPY = f"COPY INTO {DATABASE}.S.T FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')) MATCH_BY_COLUMN_NAME=CASE_SENSITIVE"
FIND = f"SHOW TABLES LIKE 'KILLED_E' IN SCHEMA {DATABASE}.S"
LOCATION = {
    "storageLocationName": "lake", "storageProvider": "S3", "storageBaseUrl": f"s3://{LAKE}/raw/",
    "storageAwsExternalId": "ours",
}  # fmt: skip
KINDS: Mapping[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "database:Database": ({"name": "KILLED_D", **OURS}, CHANGED),
    "schema:Schema": ({"name": "KILLED_S", "database": DATABASE, **OURS}, CHANGED),
    "accountRole:AccountRole": ({"name": "KILLED_A", **OURS}, CHANGED),
    "serviceUser:ServiceUser": ({"name": "KILLED_SU", **OURS}, CHANGED),
    "networkPolicy:NetworkPolicy": ({"name": "KILLED_N", "allowedIpLists": ["127.0.0.1/32"], **OURS}, CHANGED),
    "authenticationPolicy:AuthenticationPolicy": (
        {"name": "KILLED_P", **IN_SCHEMA, "authenticationMethods": ["KEYPAIR"], **OURS},
        CHANGED,
    ),
    "userAuthenticationPolicyAttachment:UserAuthenticationPolicyAttachment": (
        {"userName": "KILLED_U", "authenticationPolicyName": f'"{DATABASE}"."S"."FIRST"'},
        {"authenticationPolicyName": f'"{DATABASE}"."S"."SECOND"'},
    ),
    "table:Table": (
        {"name": "KILLED_T", **IN_SCHEMA, "columns": [{"name": "V", "type": "VARIANT", "nullable": True}], **OURS},
        CHANGED,
    ),
    "externalVolume:ExternalVolume": (
        {
            "name": "KILLED_V",
            "storageLocations": [{**LOCATION, "storageAwsRoleArn": "arn:aws:iam::123456789012:role/nobody"}],
            **OURS,
        },
        CHANGED,
    ),
    "icebergTable:IcebergTable": (
        {
            "name": "KILLED_I",
            **IN_SCHEMA,
            "externalVolume": "KILLED_LAKE",
            "catalog": "SNOWFLAKE",
            "baseLocation": "killed/",
            "columns": [{"name": "V", "type": "VARIANT"}],
            "icebergVersion": 3,
            **OURS,
        },
        CHANGED,
    ),
    "dynamicTable:DynamicTable": (
        {
            "name": "KILLED_DT",
            **IN_SCHEMA,
            "query": f"SELECT V FROM {DATABASE}.S.T",
            "warehouse": "COMPUTE_WH",
            "targetLag": {"maximumDuration": "5 minutes"},
            "refreshMode": "INCREMENTAL",
            **OURS,
        },
        CHANGED,
    ),
    "pipe:Pipe": ({"name": "KILLED_PIPE", **IN_SCHEMA, "copyStatement": COPY, **OURS}, CHANGED),
    "warehouseInteractive:WarehouseInteractive": ({"name": "KILLED_WI", "warehouseSize": "XSMALL", **OURS}, CHANGED),
    "execute:Execute": (
        {
            "execute": f"CREATE TABLE IF NOT EXISTS {DATABASE}.S.KILLED_E (A INT)",
            "revert": f"DROP TABLE IF EXISTS {DATABASE}.S.KILLED_E",
            "query": FIND,
        },
        {"query": f"{FIND} -- again"},
    ),
    "grantAccountRole:GrantAccountRole": ({"roleName": "KILLED_R", "userName": "KILLED_U"}, {}),
    "grantOwnership:GrantOwnership": (
        {
            "accountRoleName": "KILLED_R",
            "outboundPrivileges": "COPY",
            "on": {"objectType": "TABLE", "objectName": f'"{DATABASE}"."S"."OWNED"'},
        },
        {},
    ),
    "grantPrivilegesToAccountRole:GrantPrivilegesToAccountRole": (
        {
            "accountRoleName": "KILLED_R",
            "privileges": ["USAGE"],
            "onAccountObject": {"objectType": "DATABASE", "objectName": DATABASE},
        },
        {"privileges": ["USAGE", "MONITOR"]},
    ),
}


def prepare(clients: Clients) -> None:
    clients.execute(
        f"CREATE DATABASE {DATABASE}",
        f"CREATE SCHEMA {DATABASE}.S",
        f"CREATE TABLE {DATABASE}.S.T (V VARIANT)",
        f"CREATE TABLE {DATABASE}.S.OWNED (V VARIANT)",
        f"CREATE AUTHENTICATION POLICY {DATABASE}.S.FIRST",
        f"CREATE AUTHENTICATION POLICY {DATABASE}.S.SECOND",
        "CREATE ROLE KILLED_R",
        "CREATE USER KILLED_U TYPE = SERVICE",
    )
    _prepare_a_lake(clients)


def _prepare_a_lake(clients: Clients) -> None:
    """A volume that Snowflake can use: its role trusts the user that the volume has got."""
    iam = clients.aws("iam")
    clients.aws("s3").create_bucket(Bucket=LAKE)
    role = {**LOCATION, "storageAwsRoleArn": f"arn:aws:iam::{clients.account}:role/{LAKE}"}
    volume = EXTERNAL_VOLUME.create({"name": "KILLED_LAKE", "storageLocations": [role]}, clients).properties
    user = volume["describeOutputs"][0]["storageLocations"][0]["s3StorageLocations"][0]["storageAwsIamUserArn"]
    trust = {
        "Effect": "Allow",
        "Principal": {"AWS": user},
        "Action": "sts:AssumeRole",
        "Condition": {"StringEquals": {"sts:ExternalId": LOCATION["storageAwsExternalId"]}},
    }
    use = {"Effect": "Allow", "Action": "s3:*", "Resource": [f"arn:aws:s3:::{LAKE}", f"arn:aws:s3:::{LAKE}/*"]}
    iam.create_role(RoleName=LAKE, AssumeRolePolicyDocument=_document(trust))
    iam.put_role_policy(RoleName=LAKE, PolicyName="lake", PolicyDocument=_document(use))


def remove(clients: Clients) -> None:
    """Removes what was prepared, and with its database all that is left in it."""
    clients.execute(
        "DROP USER IF EXISTS KILLED_U",
        f"DROP DATABASE IF EXISTS {DATABASE}",
        "DROP ROLE IF EXISTS KILLED_R",
        "DROP EXTERNAL VOLUME IF EXISTS KILLED_LAKE",
    )
    iam = clients.aws("iam")
    iam.delete_role_policy(RoleName=LAKE, PolicyName="lake")
    iam.delete_role(RoleName=LAKE)
    clients.aws("s3").delete_bucket(Bucket=LAKE)


def _document(statement: Mapping[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})
