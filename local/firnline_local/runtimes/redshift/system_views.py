"""Redshift's system views, as far as firnline asks them: columns as AWS's page of each has them, those of ours among them.

SVV_MV_INFO, SVV_EXTERNAL_SCHEMAS, SVV_RELATION_PRIVILEGES, SVV_SCHEMA_PRIVILEGES, PG_VIEWS, SYS_MV_REFRESH_HISTORY,
SYS_STREAM_SCAN_STATES, SYS_STREAM_SCAN_ERRORS. Redshift shows a regular user its own rows alone; here everybody sees all.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from firnline_local.runtimes.redshift.catalog import DatabaseCatalog

TEXT, WHEN, NUMBER = "VARCHAR", "TIMESTAMP", "BIGINT"
SYSTEM_VIEWS: Mapping[str, Mapping[str, str]] = {
    "svv_mv_info": {
        **dict.fromkeys(("database_name", "schema_name", "user_name", "name", "is_stale"), TEXT),
        "state": NUMBER,
        "autorefresh": TEXT,
        "autorewrite": TEXT,
    },
    "svv_external_schemas": {
        "esoid": NUMBER,
        "eskind": NUMBER,
        "schemaname": TEXT,
        "esowner": NUMBER,
        "databasename": TEXT,
        "esoptions": TEXT,
    },
    "svv_relation_privileges": dict.fromkeys(
        ("namespace_name", "relation_name", "privilege_type", "identity_name", "identity_type"), TEXT
    ),
    "svv_schema_privileges": dict.fromkeys(
        ("namespace_name", "privilege_type", "identity_name", "identity_type"), TEXT
    ),
    "pg_views": dict.fromkeys(("schemaname", "viewname", "viewowner", "definition"), TEXT),
    "sys_mv_refresh_history": {
        **dict.fromkeys(("database_name", "schema_name", "mv_name", "refresh_type", "status"), TEXT),
        **dict.fromkeys(("start_time", "end_time"), WHEN),
    },
    "sys_stream_scan_states": {
        **dict.fromkeys(("external_schema_name", "stream_name", "mv_name", "partition_id", "latest_position"), TEXT),
        **dict.fromkeys(("scanned_rows", "skipped_rows", "scanned_bytes"), NUMBER),
        **dict.fromkeys(("record_time", "stream_record_time_min", "stream_record_time_max"), WHEN),
    },
    "sys_stream_scan_errors": {
        **dict.fromkeys(("external_schema_name", "stream_name", "mv_name", "partition_id", "position"), TEXT),
        "record_time": WHEN,
        "error_code": NUMBER,
        "error_reason": TEXT,
    },
}
PADDED = 128
"""Names are CHAR(128) there, and come with blanks."""


def rows_of(catalog: DatabaseCatalog, name: str) -> Iterator[Mapping[str, Any]]:
    match name:
        case "svv_mv_info":
            yield from _materialized(catalog)
        case "svv_external_schemas":
            for number, schema in enumerate(catalog.schemas.values()):
                options = {"IAM_ROLE": schema.role, **({"REGION": schema.region} if schema.region else {})}
                yield {
                    "esoid": number,
                    "schemaname": schema.name,
                    "esowner": catalog.users.index(schema.owner),
                    "esoptions": json.dumps(options),
                }
        case "pg_views":
            for view in catalog.views.values():
                if not view.materialized:
                    whose = {"schemaname": view.path.schema, "viewname": view.path.name, "viewowner": view.owner}
                    yield {**whose, "definition": view.text}
        case "svv_relation_privileges" | "svv_schema_privileges":
            yield from _granted(catalog, "TABLE" if "relation" in name else "SCHEMA")
        case "sys_mv_refresh_history":
            yield from ({"database_name": catalog.database, **row} for row in catalog.refreshes)
        case "sys_stream_scan_states":
            yield from catalog.scans
        case "sys_stream_scan_errors":
            yield from catalog.errors


def _materialized(catalog: DatabaseCatalog) -> Iterator[Mapping[str, Any]]:
    for view in catalog.views.values():
        if view.materialized:
            whose = {"database_name": catalog.database, "schema_name": view.path.schema, "user_name": view.owner}
            padded = {key: value.ljust(PADDED) for key, value in {**whose, "name": view.path.name}.items()}
            auto = "t" if view.auto_refresh else "f"
            yield {**padded, "is_stale": "f", "state": 1, "autorefresh": auto, "autorewrite": "f"}


def _granted(catalog: DatabaseCatalog, kind: str) -> Iterator[Mapping[str, Any]]:
    for privilege, of_kind, name, grantee in sorted(catalog.grants):
        if of_kind == kind:
            schema, _, relation = name.partition(".")
            whom = {"identity_name": grantee, "identity_type": "role" if grantee in catalog.roles else "user"}
            yield {"namespace_name": schema, "relation_name": relation, "privilege_type": privilege, **whom}
