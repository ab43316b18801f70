"""Configurations of the Snowflake types that the stock provider takes, and what it refuses of each, by its source."""

from typing import Any

LOCATION = {
    "storage_location_name": "s3",
    "storage_provider": "S3",
    "storage_base_url": "s3://bucket/tables/",
    "storage_aws_role_arn": "arn:aws:iam::111122223333:role/r",
}
ON_TABLE = {"object_type": "TABLE", "object_name": '"D"."S"."T"'}
PLACE = {"database": "D", "schema": "S", "name": "N"}


def location(**said: Any) -> dict[str, Any]:
    given = {**LOCATION, **said}
    return {"storage_location": [{name: value for name, value in given.items() if value is not None}]}


TAKEN: dict[str, dict[str, Any]] = {
    "snowflake_account_role": {"name": "R"},
    "snowflake_authentication_policy": {**PLACE, "authentication_methods": ["KEYPAIR"]},
    "snowflake_database": {"name": "D"},
    "snowflake_dynamic_table": {
        **PLACE,
        "query": "SELECT 1 AS A",
        "warehouse": "W",
        "target_lag": [{"maximum_duration": "5 minutes"}],
        "refresh_mode": "incremental",
    },
    "snowflake_execute": {"execute": "SELECT 1", "revert": "SELECT 2"},
    "snowflake_external_volume": {"name": "V", "storage_location": [LOCATION]},
    "snowflake_grant_account_role": {"role_name": "R", "user_name": "U"},
    "snowflake_grant_ownership": {"account_role_name": "R", "on": ON_TABLE},
    "snowflake_grant_privileges_to_account_role": {
        "account_role_name": "R",
        "privileges": ["SELECT"],
        "on_schema_object": ON_TABLE,
    },
    "snowflake_iceberg_table": {**PLACE, "column": [{"name": "C", "type": "VARIANT"}], "iceberg_version": 3},
    "snowflake_network_policy": {"name": "P", "allowed_ip_list": ["10.0.0.0/8"]},
    "snowflake_pipe": {**PLACE, "copy_statement": "COPY INTO T FROM @S"},
    "snowflake_schema": {"name": "S", "database": "D"},
    "snowflake_service_user": {"name": "U", "disabled": "false", "default_secondary_roles_option": "none"},
    "snowflake_table": {**PLACE, "column": [{"name": "C", "type": "TIMESTAMP_NTZ(9)"}]},
    "snowflake_user_authentication_policy_attachment": {"user_name": "U", "authentication_policy_name": '"D"."S"."A"'},
    "snowflake_warehouse_interactive": {"name": "W", "warehouse_size": "x-small", "tables": ['"D"."S"."T"']},
}
REFUSED: dict[str, list[dict[str, Any]]] = {
    "snowflake_authentication_policy": [{"authentication_methods": ["KEY"]}],
    "snowflake_database": [{"log_level": "LOUD"}],
    "snowflake_dynamic_table": [{"refresh_mode": "SOMETIMES"}, {"initialize": "LATER"}],
    "snowflake_external_volume": [
        {"storage_location": []},
        {"allow_writes": "yes"},
        location(storage_provider="MINIO"),
        location(storage_aws_role_arn=None),
        location(encryption_type="AES"),
        location(azure_tenant_id="t"),
    ],
    "snowflake_grant_account_role": [{"user_name": None}, {"parent_role_name": "P"}],
    "snowflake_grant_ownership": [
        {"account_role_name": None},
        {"outbound_privileges": "MOVE"},
        {"on": {"object_type": "TABLE"}},
        {"on": {"object_name": '"D"."S"."T"'}},
        {"on": {"future": {"object_type_plural": "TABLES"}}},
        {"on": {"future": {"object_type_plural": "TABLES", "in_schema": "S"}}},
    ],
    "snowflake_grant_privileges_to_account_role": [
        {"privileges": None},
        {"privileges": ["OWNERSHIP"]},
        {"privileges": ["IMPORTED PRIVILEGES", "USAGE"]},
        {"all_privileges": True},
        {"on_schema_object": None},
        {"on_account": True},
        {"on_schema_object": None, "on_schema": {"schema_name": "S"}},
        {"on_schema_object": {"object_name": '"D"."S"."T"'}},
    ],
    "snowflake_iceberg_table": [
        {"iceberg_version": 0},
        {"error_logging": "on"},
        {"column": [{"name": "C", "type": "OBJECT(A NUMBER)"}]},
    ],
    "snowflake_network_policy": [{"allowed_network_rule_list": ["RULE"]}, {"blocked_ip_list": ["0.0.0.0/0"]}],
    "snowflake_service_user": [
        {"disabled": "no"},
        {"default_secondary_roles_option": "SOME"},
        {"mins_to_unlock": -2},
    ],
    "snowflake_table": [
        {"column": [{"name": "C", "type": "TIMESTAMP"}]},
        {"column": [{"name": "C", "type": "object (A NUMBER)"}]},
        {"data_retention_time_in_days": 91},
    ],
    "snowflake_user_authentication_policy_attachment": [{"authentication_policy_name": "A"}],
    "snowflake_warehouse_interactive": [
        {"warehouse_size": "HUGE"},
        {"tables": ["T"]},
        {"auto_suspend": 0},
        {"max_cluster_count": 0},
        {"statement_timeout_in_seconds": 604801},
    ],
}
