"""Redshift's system views, as far as firnline asks them: columns as AWS's page of each has them, those of ours among them.

SVV_MV_INFO, SVV_EXTERNAL_SCHEMAS, SYS_MV_REFRESH_HISTORY, SYS_STREAM_SCAN_STATES and SYS_STREAM_SCAN_ERRORS show a regular user
its own data alone, and a superuser all. PG_VIEWS, PG_NAMESPACE and PG_USER show all to everybody ("System catalog tables"), and
PG_VIEWS has materialized views too. SVV_RELATION_PRIVILEGES and SVV_SCHEMA_PRIVILEGES show all here.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from firnline_local.runtimes.redshift.catalog import ADMIN, DatabaseCatalog, StoredView

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
    "pg_namespace": {"nspname": TEXT, "nspowner": NUMBER},
    "pg_user": {"usename": TEXT, "usesuper": "BOOLEAN"},
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


def rows_of(catalog: DatabaseCatalog, name: str, user: str) -> Iterator[Mapping[str, Any]]:
    """Yields what this user is shown."""
    views = [each for each in catalog.views.values() if user in (ADMIN, each.owner)]
    match name:
        case "svv_mv_info":
            yield from _materialized(catalog, views)
        case "svv_external_schemas":
            yield from _external(catalog, user)
        case "pg_views":
            for view in catalog.views.values():
                whose = {"schemaname": view.path.schema, "viewname": view.path.name, "viewowner": view.owner}
                yield {**whose, "definition": view.text}
        case "pg_namespace":
            for schema in catalog.schemas.values():
                yield {"nspname": schema.name, "nspowner": catalog.users.index(schema.owner)}
        case "pg_user":
            yield from ({"usename": each, "usesuper": each == ADMIN} for each in {*catalog.users, user})
        case "svv_relation_privileges" | "svv_schema_privileges":
            yield from _granted(catalog, "TABLE" if "relation" in name else "SCHEMA")
        case "sys_mv_refresh_history":
            yield from ({"database_name": catalog.database, **row} for row in _of(views, catalog.refreshes))
        case "sys_stream_scan_states":
            yield from _of(views, catalog.scans)
        case "sys_stream_scan_errors":
            yield from _of(views, catalog.errors)


def _external(catalog: DatabaseCatalog, user: str) -> Iterator[Mapping[str, Any]]:
    for number, schema in enumerate(catalog.schemas.values()):
        if user in (ADMIN, schema.owner):
            options = {"IAM_ROLE": schema.role, **({"REGION": schema.region} if schema.region else {})}
            owner = catalog.users.index(schema.owner)
            yield {"esoid": number, "schemaname": schema.name, "esowner": owner, "esoptions": json.dumps(options)}


def _of(views: list[StoredView], rows: list[dict[str, Any]]) -> Iterator[Mapping[str, Any]]:
    names = {each.path.name for each in views}
    return (row for row in rows if row["mv_name"] in names)


def _materialized(catalog: DatabaseCatalog, views: list[StoredView]) -> Iterator[Mapping[str, Any]]:
    for view in views:
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
